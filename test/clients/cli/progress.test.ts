import { expect, test } from 'vitest'
import { Progress } from '../../../clients/cli/jobs/progress.ts'
import { now } from '../../../clients/cli/session/clock.ts'

/** What a job's progress writes to a terminal, or to a file. */
function writtenTo(isTTY: boolean, seconds: number): string {
  let text = ''
  const progress = new Progress({ isTTY, write: (more) => (text += more) !== '' })
  const ends = new Date(now() + seconds * 1_000).toISOString()
  progress.show('in_progress', { done: 5, total: 10, ends })
  progress.end()
  return text
}

test.each([
  [3, /about \d s left/],
  [600, /about 10 min left/],
  [7_300, /about 2 h left/],
])('on a terminal the bar shows that a job ends in about %i seconds', (seconds, left) => {
  expect(writtenTo(true, seconds)).toMatch(/\] 50 % in_progress, 5 of 10, about/)
  expect(writtenTo(true, seconds)).toMatch(left)
})

test('an end that has passed is not shown, nor any end where lines are kept', () => {
  expect(writtenTo(true, -10)).not.toContain('left')
  expect(writtenTo(false, 600)).toBe('in_progress, 5 of 10\n')
})
