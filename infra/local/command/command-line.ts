import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

/** An invalid command line; `message` is the sentence that states why. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Options of a command line without positional arguments. @throws UsageError */
export const readArguments = <Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) =>
  orUsageError(() => parseArgs({ args: [...args], options }).values)

/** Options and positional arguments of a command line. @throws UsageError */
export const readCommand = <Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) =>
  orUsageError(() => parseArgs({ args: [...args], options, allowPositionals: true }))

function orUsageError<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    // Node's sentence names the option; its advice on positional arguments does not apply here
    const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split(/\.? To specify|\n/, 1)
    throw new UsageError(`${sentence.replace(/\.$/, '')}; see --help.`, { cause: error })
  }
}

/**
 * The sentence of an expected error, the stack of any other. @param expected classes whose `message` is written for
 * users
 */
export function printed(reason: unknown, expected: readonly (new (...args: never[]) => Error)[]): string {
  if (!(reason instanceof Error)) return String(reason)
  return expected.some((kind) => reason instanceof kind) ? reason.message : (reason.stack ?? reason.message)
}
