import { Refusal, type BrokenField } from '../../base/errors.ts'
import { DAY_MS, later } from '../../base/time.ts'
import type { ReportWishes } from './model.ts'

/** The default: the last 24 hours. */
const USUAL_MS = DAY_MS
const MOST_DAYS = 90

/**
 * The time that a report covers. Default of `end_time`: now; of `start_time`: 24 hours before the end. Given times stay
 * as they are. Ours: the same for every kind of report, though ages of keys do not depend on it.
 * @throws Refusal RULE_BROKEN unless it has a length, lies in the past and has at most 90 days
 */
export function spanOf(
  { start_time: start, end_time: end }: Pick<ReportWishes, 'start_time' | 'end_time'>,
  now: Date,
): { start_time: string; end_time: string } {
  const end_time = end ?? now.toISOString()
  const start_time = start ?? later(new Date(end_time), -USUAL_MS).toISOString()
  const [from, to] = [Date.parse(start_time), Date.parse(end_time)]
  const errors: BrokenField[] = []
  if (to > now.getTime()) errors.push({ pointer: '#/end_time', detail: 'must not lie in the future' })
  if (from >= to) errors.push({ pointer: '#/start_time', detail: 'must be before end_time' })
  if (to - from > MOST_DAYS * DAY_MS)
    errors.push({ pointer: '#/start_time', detail: `must be at most ${MOST_DAYS} days before end_time` })
  if (errors.length > 0) throw new Refusal('RULE_BROKEN', 'The time of the report is not one it can cover.', { errors })
  return { start_time, end_time }
}
