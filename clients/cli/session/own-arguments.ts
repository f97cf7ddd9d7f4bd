import { parseOptions, takesValueIn, type Parsed } from '../arguments/parse.ts'
import { tokensOf } from '../arguments/tokens.ts'
import type { CommandRow } from '../command.ts'

/** Options and words of a command of keymgr itself; `undefined` after `--help`, which is shown. */
export async function argumentsOf(
  word: string,
  row: CommandRow,
  args: readonly string[],
): Promise<(Parsed & { readonly words: readonly string[] }) | undefined> {
  const { words, options } = tokensOf(args, takesValueIn(row))
  if (options.some(({ name }) => name === 'help')) {
    ;(await import('../help/help.ts')).commandHelp(word, row)
    return undefined
  }
  const { shared, values, secrets } = parseOptions(row, options)
  return { shared, values, secrets, words }
}
