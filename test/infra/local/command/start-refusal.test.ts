import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { startFailure, StartRefusal } from '../../../../infra/local/command/start-refusal.ts'

/** An error that the system makes: nothing can be written to this device. */
function fullDevice(): unknown {
  try {
    fs.writeFileSync('/dev/full', 'x')
    return undefined
  } catch (error) {
    return error
  }
}

test.each([
  ['of a file', fullDevice()],
  ['of the table', new Error('InternalServerError: commit failed (backend: database or disk is full)')],
  ['of a function', new Error('triggers failed', { cause: new Error('ENOSPC: no space left on device, write') })],
])('a full disk %s ends the start with a sentence', (_what, reason) => {
  const shown = startFailure(reason)
  expect(shown).toBeInstanceOf(StartRefusal)
  expect((shown as StartRefusal).message).toMatch(/^The disk is full: .*\.$/)
})

test('any other failure is shown as it is', () => {
  const other = new Error('something else')
  expect(startFailure(other)).toBe(other)
})
