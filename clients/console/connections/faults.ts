import type { ConnectionRow, TestStep } from './row.ts'

/** Advice for a failed step whose fault no row of the service covers. */
const NEXT: Readonly<Record<TestStep, readonly string[]>> = {
  address: ['Check the address and the region.', 'The host must be public, or on the list of allowed hosts.'],
  log_in: ['Enter the secret again: a blank at its end is the usual reason.', 'Or make new credentials at the cloud.'],
  permission: ['Give the credentials the permissions that are listed beside the form.'],
}

/** Steps that lead on after a fault. @param text the words of the cloud */
export const nextAfter = ({ faults }: Pick<ConnectionRow, 'faults'>, step: TestStep, text: string): readonly string[] =>
  faults.find((fault) => fault.step === step && fault.matches.test(text))?.next ?? NEXT[step]
