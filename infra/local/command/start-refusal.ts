import { printed, UsageError } from './command-line.ts'

/** Reason why the deployment does not start. `message` is one sentence for the user. */
export class StartRefusal extends Error {
  override readonly name = 'StartRefusal'
}

const FULL = /\b(?:ENOSPC|EDQUOT)\b|disk is full/

/** Whether a failure comes from a full disk: of this process, or of a function or the table, whose failures are texts. */
const isOfFullDisk = (reason: unknown): boolean =>
  reason instanceof Error &&
  (FULL.test(`${'code' in reason ? String(reason.code) : ''} ${reason.message}`) || isOfFullDisk(reason.cause))

/** The reason to print. A full disk has one sentence of its own. */
const startFailure = (reason: unknown): unknown =>
  isOfFullDisk(reason)
    ? new StartRefusal('The disk is full: free some space in the data directory and the folder for temporary files.')
    : reason

/** The text of a failure that a command prints. @param expected further classes with a sentence for users */
export const printedFailure = (reason: unknown, ...expected: readonly (new (...args: never[]) => Error)[]): string =>
  `${printed(startFailure(reason), [...expected, StartRefusal, UsageError])}\n`
