import { defined } from '../../base/fields.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import type { AuditRecord } from '../../http/audit/model.ts'
import type { Stored } from '../../store/entity.ts'
import type { ActiveRule } from './active-rules.ts'
import { TOO_COSTLY } from './condition.ts'
import type { Alarm } from './model.ts'
import type { Windows } from './windows.ts'

/**
 * Service of the records that the evaluation writes. They are not evaluated, since an alarm could otherwise trigger
 * itself.
 */
export const SERVICE = 'alarms'

/** Maximum number of alarms and disabled rules per transaction. */
const TOUCHED_MOST = 6

/** Results of an evaluation of a domain's records, before they are committed. */
export class Evaluation {
  readonly #domain: string
  readonly #now: Date
  readonly #windows: Windows
  /** alarms that are on, by rule */
  readonly #on: Map<string, Alarm>
  /** alarms that were raised or counted */
  readonly touched = new Map<string, { readonly alarm: Alarm; readonly isNew: boolean }>()
  /** disabled rules, which cost too much, with the code of the failure */
  readonly switchedOff = new Map<ActiveRule, string>()

  constructor(domain: string, now: Date, windows: Windows, on: readonly Stored<Alarm>[]) {
    this.#domain = domain
    this.#now = now
    this.#windows = windows
    this.#on = new Map(on.filter(({ item }) => item.state === 'on').map(({ item }) => [item.rule_id, item]))
  }

  /** Whether another record could exceed a transaction. */
  get isFull(): boolean {
    return this.touched.size + this.switchedOff.size >= TOUCHED_MOST
  }

  /** Ids of the alarms that are on, by rule. */
  get on(): Record<string, string> {
    return Object.fromEntries([...this.#on].map(([rule, { id }]) => [rule, id]))
  }

  take(record: AuditRecord, rules: readonly ActiveRule[]): void {
    if (record.service === SERVICE) return
    for (const rule of rules) if (!this.switchedOff.has(rule)) this.#hold(rule, record)
  }

  #hold(rule: ActiveRule, record: AuditRecord): void {
    const subject = rule.subjectOf(record)
    if (rule.endsRow(record)) this.#windows.forget(rule, subject)
    const { holds, error } = rule.holds(record, this.#now)
    if (error === TOO_COSTLY) this.switchedOff.set(rule, error)
    if (!holds) return
    const known = this.#on.get(rule.id)
    if (known) return this.#touch(rule, { ...known, ...factsOf(record), count: known.count + 1 }, false)
    const count = this.#windows.count(rule, subject, Date.parse(record.createdAt))
    if (count >= rule.threshold) this.#touch(rule, this.#turnedOn(rule, record), true)
  }

  #touch(rule: ActiveRule, alarm: Alarm, isNew: boolean): void {
    this.#on.set(rule.id, alarm)
    this.touched.set(alarm.id, { alarm, isNew: isNew || this.touched.get(alarm.id)?.isNew === true })
  }

  #turnedOn({ id: rule_id, name, description, severity, threshold }: ActiveRule, record: AuditRecord): Alarm {
    const id = uuid(this.#now)
    return {
      ...commonFields(this.#domain, id, resourceUri(this.#domain, 'system', 'alarms', id), this.#now),
      name,
      ...defined({ description }),
      severity,
      state: 'on',
      rule_id,
      count: threshold,
      triggeredAt: this.#now.toISOString(),
      ...factsOf(record),
    }
  }
}

function factsOf(record: AuditRecord): Pick<Alarm, 'source' | 'lastAt' | 'details'> {
  const { id, createdAt, service, message, success, username, errorMessage, details } = record
  const { resource_uri, resource_name } = details
  return {
    source: service,
    lastAt: createdAt,
    details: {
      ...{ record: id, message, success, username },
      ...defined({ resource_uri, resource_name, errorMessage }),
    },
  }
}
