import { atOnce } from '../../base/at-once.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { errorFields, log } from '../../base/log.ts'
import type { Sweep } from '../../base/time.ts'
import { auditRecord, OWN_WORK } from '../../http/audit/record.ts'
import type { AuditRecord } from '../../http/audit/model.ts'
import { auditRecords } from '../../http/audit/store.ts'
import { domains } from '../../identity/domains/store.ts'
import { Changes, retryWhenStale } from '../../store/changes.ts'
import { getBoth, type Stored } from '../../store/entity.ts'
import { idsAfter } from '../../store/list.ts'
import { sequencedRecords } from '../log/read.ts'
import { auditLogs } from '../log/store.ts'
import { activeRules, type ActiveRule } from './active-rules.ts'
import { Evaluation, SERVICE } from './evaluation.ts'
import type { Alarm } from './model.ts'
import { alarmCursors, alarmRules, alarms, ONLY, type AlarmCursor } from './store.ts'
import { Windows } from './windows.ts'

/**
 * Maximum number of records of a domain per turn: with expensive rules, a turn takes at most a second, and other
 * domains follow.
 */
const RECORDS_A_TURN = 200
const DOMAINS_AT_ONCE = 4
const DOMAINS_A_TIME = 1_000

/**
 * Evaluates the records that were appended to the logs since the last evaluation, in turns of each domain. It may run
 * twice at once, and stop anywhere: one transaction contains the progress of a domain and the results. Ours: no lease.
 * Of two concurrent evaluations one commits, and the other starts again after it.
 * @returns number of evaluated records
 */
export async function raiseAlarms({ now, hasTime }: Sweep): Promise<{ evaluated: number }> {
  let evaluated = 0
  let waiting = await allDomains()
  while (waiting.length > 0 && hasTime()) {
    const counts = await atOnce(waiting, DOMAINS_AT_ONCE, async (domain) => {
      const count = hasTime() ? await takeTurn(domain, now) : 0
      return { domain, count }
    })
    evaluated += counts.reduce((sum, { count }) => sum + count, 0)
    waiting = counts.filter(({ count }) => count > 0).map(({ domain }) => domain)
  }
  return { evaluated }
}

async function allDomains(): Promise<string[]> {
  const all: string[] = []
  for (;;) {
    const ids = await idsAfter(domains, ROOT_DOMAIN_ID, 'all', all.at(-1), DOMAINS_A_TIME)
    all.push(...ids)
    if (ids.length < DOMAINS_A_TIME) return all
  }
}

/** A failure in a domain does not delay other domains. */
async function takeTurn(domain: string, now: Date): Promise<number> {
  try {
    return await retryWhenStale(() => evaluateSome(domain, now))
  } catch (error) {
    log('error', 'audit records not evaluated', { domain, ...errorFields(error) })
    return 0
  }
}

/** @returns number of records by which the domain advanced; 0 at the end of its log */
async function evaluateSome(domain: string, now: Date): Promise<number> {
  const [grown, stored] = await getBoth(domain, ONLY, [auditLogs, alarmCursors])
  const cursor = stored?.item ?? { id: ONLY, position: 0, windows: [], on: {} }
  if (grown === undefined || grown.item.size <= cursor.position) return 0
  const [{ records }, rules, on] = await Promise.all([
    sequencedRecords(domain, cursor.position, RECORDS_A_TURN),
    activeRules(domain),
    alarms.getMany(domain, Object.values(cursor.on), 'leave out'),
  ])
  const windows = new Windows(cursor.windows, rules)
  const evaluation = new Evaluation(domain, now, windows, on)
  let position = cursor.position
  for (const { record } of records) {
    if (evaluation.isFull) break
    if (record) evaluation.take(record, rules)
    position += 1
  }
  const after = { id: ONLY, position, windows: windows.stored(), on: evaluation.on } as const
  await commit(domain, { stored, after, evaluation, on }, now)
  return position - cursor.position
}

interface Outcome {
  readonly stored: Stored<AlarmCursor> | undefined
  readonly after: AlarmCursor
  readonly evaluation: Evaluation
  readonly on: readonly Stored<Alarm>[]
}

/** @throws Stale when another evaluation was faster, or an alarm or a rule was changed meanwhile */
async function commit(domain: string, { stored, after, evaluation, on }: Outcome, now: Date): Promise<void> {
  const changes = new Changes()
  if (stored) changes.update(alarmCursors, domain, stored, after)
  else changes.create(alarmCursors, domain, after)
  for (const { alarm, isNew } of evaluation.touched.values()) {
    const before = on.find(({ item }) => item.id === alarm.id)
    if (before) changes.update(alarms, domain, before, { ...alarm, updatedAt: now.toISOString() })
    else changes.create(alarms, domain, alarm)
    if (isNew) stageRecord(changes, domain, raised(alarm), now)
  }
  for (const [rule, error] of evaluation.switchedOff) switchOff(changes, domain, rule, error, now)
  await changes.commit(now)
}

type Told = Pick<AuditRecord, 'severity' | 'message' | 'success' | 'errorMessage' | 'details'>

const raised = ({ severity, uri, name, rule_id, details, count }: Alarm): Told => ({
  severity,
  message: 'Raise Alarm',
  success: true,
  details: {
    action: 'raise-alarm',
    resource_uri: uri,
    resource_name: name,
    after: { state: 'on', rule_id, count, record: details.record },
  },
})

function switchOff(changes: Changes, domain: string, rule: ActiveRule, error: string, now: Date): void {
  if (rule.stored === undefined) return
  const { item } = rule.stored
  const last_error = `The condition costs too much, or compiles no longer (${error}).`
  changes.update(alarmRules, domain, rule.stored, { ...item, enabled: false, last_error, updatedAt: now.toISOString() })
  const told: Told = {
    severity: 'error',
    message: 'Switch Off Alarm Rule',
    success: false,
    errorMessage: last_error,
    details: { action: 'switch-off-alarm-rule', resource_uri: item.uri, resource_name: item.name },
  }
  stageRecord(changes, domain, told, now)
}

function stageRecord(changes: Changes, domain: string, told: Told, now: Date): void {
  const by = { service: SERVICE, ...OWN_WORK }
  changes.create(auditRecords, domain, auditRecord(domain, now, { ...told, ...by }))
}
