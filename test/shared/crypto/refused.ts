import { expect } from 'vitest'
import { Refusal } from '../../../shared/base/errors.ts'
import type { Reason } from '../../../shared/base/errors.ts'

/** Expects `attempt` to end in a refusal, and returns its message. */
export async function refused(reason: Reason, attempt: () => unknown): Promise<string> {
  let thrown: unknown
  try {
    await attempt()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(Refusal)
  const refusal = thrown as Refusal
  expect(refusal.reason).toBe(reason)
  return refusal.message
}
