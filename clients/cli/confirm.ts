import type { Shared } from './arguments/parse.ts'
import type { CommandRow } from './command.ts'
import { Failure } from './failures.ts'
import { printable } from './output/printable.ts'

/**
 * Asks at a terminal before a call whose effect cannot be undone, and names the loss. Without a terminal, as in scripts, nothing is
 * asked.
 * @throws Failure unless the answer is yes
 */
export async function confirmed(row: CommandRow, values: readonly string[], shared: Shared): Promise<void> {
  if (row.lost === undefined || shared.has('yes') || shared.has('dry-run') || !process.stdin.isTTY) return
  const { ask } = await import('./prompt.ts')
  const question = `${[row.summary, ...values].join(' ')}? ${row.lost} [y/N] `
  const answer = await ask(printable(question), { echo: true })
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new Failure('interrupted', 'Nothing was changed.')
}
