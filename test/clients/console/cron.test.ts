import { expect, test } from 'vitest'
import { cronInWords } from '../../../clients/console/words/cron.ts'

test.each([
  ['0 3 * * *', 'Each day at 03:00 UTC'],
  ['30 4 * * mon', 'Each Monday at 04:30 UTC'],
  ['30 4 * * 1,FRI', 'Each Monday and Friday at 04:30 UTC'],
  ['5 12 * * 7', 'Each Sunday at 12:05 UTC'],
  ['0 0 1 * *', 'On day 1 of each month at 00:00 UTC'],
  ['*/15 * * * *', 'Every 15 minutes'],
  ['10 * * * *', 'Every hour, 10 minutes past'],
  ['0 */6 * * *', 'Every 6 hours, 0 minutes past the hour'],
])('%s is %s', (cron, words) => {
  expect(cronInWords(cron)).toBe(words)
})

test.each(['0 3 1 6 *', '0 3 * * mon-fri', '0 3 1 * mon', '1-5 * * * *', 'every day', ''])(
  'the expression "%s" stays as it is',
  (cron) => {
    expect(cronInWords(cron)).toBe(cron)
  },
)
