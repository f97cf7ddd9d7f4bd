import type { Shared } from './arguments/parse.ts'
import { sharedOptionsOf } from './arguments/shared-options.ts'
import type { CommandRow } from './command.ts'
import { Failure } from './failures.ts'
import { printable } from './output/printable.ts'

const isAsked = (row: CommandRow): boolean => sharedOptionsOf(row).some(({ option }) => option === 'yes')

/**
 * Asks at a terminal before something is deleted. Without one, as in scripts, nothing is asked.
 * @throws Failure unless the answer is yes
 */
export async function confirmed(row: CommandRow, values: readonly string[], shared: Shared): Promise<void> {
  if (!isAsked(row) || shared.has('yes') || shared.has('dry-run') || !process.stdin.isTTY) return
  const { ask } = await import('./prompt.ts')
  const answer = await ask(`${printable([row.summary, ...values].join(' '))}? [y/N] `, { echo: true })
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new Failure('interrupted', 'Nothing was changed.')
}
