import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { printedFailure } from '../../../../infra/local/command/start-refusal.ts'
import { invokeOnce } from '../../../../infra/local/invoke-once.ts'
import { BUNDLES } from '../../../support/build.ts'

/** An error that the system makes: nothing can be written to this device. */
function fullDevice(): Error {
  try {
    fs.writeFileSync('/dev/full', 'x')
  } catch (error) {
    return error as Error
  }
  throw new Error('/dev/full took a byte')
}

test.each([
  ['of a file', fullDevice()],
  ['of the table', new Error('InternalServerError: commit failed (backend: database or disk is full)')],
  ['of a function', new Error('triggers failed', { cause: new Error('ENOSPC: no space left on device, write') })],
])('a full disk %s ends the start with a sentence', (_what, reason) => {
  expect(printedFailure(reason)).toMatch(/^The disk is full: [^\n]*\.\n$/)
})

test('any other failure is shown as it is', () => {
  const other = new Error('something else')
  expect(printedFailure(other)).toBe(`${other.stack ?? ''}\n`)
  expect(printedFailure(other, Error)).toBe('something else\n')
})

test('a call of one function ends with that sentence too', async () => {
  const event = path.join(import.meta.dirname, '../../../events/front.unknown-path.json')
  const build = () => Promise.reject(fullDevice())
  const ended = await invokeOnce(['front', event, '--in-memory'], {}, { bundles: BUNDLES, build })
  expect(ended).toEqual({ code: 1, out: '', err: expect.stringMatching(/^The disk is full: [^\n]*\.\n$/) as string })
})
