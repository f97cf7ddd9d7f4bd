import { nextRuns, readCron, scheduleExpressions, shortestSpacingMinutes } from '../../../shared/base/cron.ts'
import { filled, type Target } from '../target.ts'

const FROM = new Date('2026-01-01T00:00:00Z')

export const target: Target = {
  parse: (bytes) => {
    const read = readCron(bytes.toString('latin1'))
    if ('fault' in read) return
    scheduleExpressions(read.cron)
    shortestSpacingMinutes(read.cron)
    const runs = nextRuns(read.cron, FROM)
    for (let count = 0; count < 3; count++)
      if (runs.next().done === true) throw new Error('An accepted cron has no run')
  },
  seeds: () => ['0 3 * * *', '*/5 1-4,7 29 feb mon-fri', '59 23 31 12 7', '0 0 30 2 *'],
  shapes: () => ({
    blanks: filled(' '),
    commas: filled(',', '0', ' * * * *'),
    numbers: filled('1,', '', '1 * * * *'),
    'a list in all fields': Array.from({ length: 5 }, () => '1,2,3,4,5,6').join(' '),
    'a rare day': '0 0 29 2 *',
    steps: filled('*/'),
  }),
}
