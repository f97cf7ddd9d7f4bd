import type { ConnectionRow, FaultRow, TestLine } from './row.ts'

/** Faults that are the same for every service. */
const COMMON: readonly FaultRow[] = [
  {
    matches: /cannot be reached|did not answer|not reached|ENOTFOUND|ECONNREFUSED|ETIMEDOUT/i,
    line: 'reached',
    next: ['Check the address and the region.', 'The host must be public, or on the list of allowed hosts.'],
  },
]

interface ReadFault {
  readonly line: TestLine
  readonly next: readonly string[]
}

/** The line of a test that a text of the cloud belongs to. An unknown text belongs to the log-in. */
export const readFault = ({ faults }: Pick<ConnectionRow, 'faults'>, text: string): ReadFault =>
  [...faults, ...COMMON].find(({ matches }) => matches.test(text)) ?? {
    line: 'logged-in',
    next: ['Enter the secret again: a blank at its end is the usual reason.', 'Or make new credentials at the cloud.'],
  }
