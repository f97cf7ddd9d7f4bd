import type { EntryOf } from '../../../sdk/pages.ts'
import { HOME } from '../../home.ts'

/** Something that waits for a person. */
export interface Need {
  readonly id: string
  readonly isCritical: boolean
  readonly title: string
  readonly detail: string
  readonly time?: string | undefined
  /** address of the page where it can be settled */
  readonly at: string
  /** what can be done there */
  readonly step: string
}

const DAY_MS = 86_400_000
/** An end is a need this many days before, and critical in the last days. */
const DAYS = { warning: 30, critical: 7 }
/** Failed runs in a row after which a plan is critical. */
const FAILURES_CRITICAL = 3

type Refused = Pick<
  EntryOf<'/v1/connectionmgmt/connections'>,
  'id' | 'name' | 'last_connection_error' | 'last_connection_at'
>
export const connectionNeeds = (connections: readonly Refused[]): readonly Need[] =>
  connections.map(({ id, name, last_connection_error: fault = 'It is refused.', last_connection_at: time }) => ({
    ...{ id, isCritical: true, title: `The connection ${name} fails`, detail: fault, time },
    ...{ at: `${HOME}connections/${id}`, step: 'Repair' },
  }))

type Run = Pick<EntryOf<'/v1/scheduler/jobs'>, 'id' | 'name' | 'job_config_id' | 'status' | 'errors' | 'createdAt'>
/** Plans whose last run failed. @param runs newest first */
export const runNeeds = (runs: readonly Run[]): readonly Need[] =>
  [...Map.groupBy(runs, ({ job_config_id }) => job_config_id)].flatMap(([, [last, ...before]]) => {
    if (last?.status !== 'failed') return []
    const others = before.findIndex(({ status }) => status !== 'failed')
    const failures = 1 + (others < 0 ? before.length : others)
    return {
      ...{ id: last.id, isCritical: failures >= FAILURES_CRITICAL, title: `The job ${last.name} failed` },
      detail: `${failures > 1 ? `${failures} times in a row. ` : ''}${last.errors[0] ?? 'No reason is recorded.'}`,
      ...{ time: last.createdAt, at: `${HOME}jobs/runs/${last.id}`, step: 'See the run' },
    }
  })

interface Ending {
  readonly id: string
  readonly what: string
  readonly name: string
  readonly time: string
  readonly at: string
  readonly step: string
}

function endNeeds(endings: readonly Ending[], now: number): readonly Need[] {
  const days = (time: string): number => (Date.parse(time) - now) / DAY_MS
  return endings
    .filter(({ time }) => days(time) >= 0 && days(time) <= DAYS.warning)
    .map(({ what, name, ...rest }) => ({
      ...{ ...rest, title: `${what} ${name} ends`, isCritical: days(rest.time) <= DAYS.critical },
      detail: 'Without a successor, what uses it stops.',
    }))
}

interface Ends {
  readonly items: readonly { readonly id: string; readonly title: string; readonly time: string }[]
}

/** Keys of a place that end soon. */
export const keyNeeds = (place: string, { items }: Ends, now: number): readonly Need[] =>
  endNeeds(
    items.map(({ id, title: name, time }) => ({
      ...{ id, name, time, what: 'The key', at: `${HOME}keys/${place}/${id}`, step: 'Rotate' },
    })),
    now,
  )

interface Certified {
  readonly id: string
  readonly name: string
  readonly ends: string | undefined
}

/** Certificates that end soon. @param resource of the console, which has a page for each */
export const certificateNeeds = (resource: string, all: readonly Certified[], now: number): readonly Need[] =>
  endNeeds(
    all.flatMap(({ id, name, ends: time }) =>
      time === undefined
        ? []
        : {
            ...{ id, name, time, what: 'The certificate of', step: 'Renew' },
            at: `${HOME}administration/${resource}/${id}`,
          },
    ),
    now,
  )

interface Store {
  readonly id: string
  readonly at: string
  readonly title: string
  readonly state: string
}

export const storeNeeds = (stores: readonly Store[]): readonly Need[] =>
  stores.map(({ id, at, title, state }) => ({
    ...{ id, isCritical: true, title: `${title} is not connected`, detail: state, at: HOME + at, step: 'Open' },
  }))

type On = Pick<EntryOf<'/v1/system/alarms'>, 'id' | 'name' | 'severity' | 'triggeredAt' | 'acknowledgedAt'>
/** Alarms without an acknowledgement. */
export const alarmNeeds = (alarms: readonly On[]): readonly Need[] =>
  alarms
    .filter(({ acknowledgedAt }) => acknowledgedAt === undefined)
    .map(({ id, name, severity, triggeredAt: time }) => ({
      ...{ id, isCritical: severity === 'critical', title: name, detail: `Alarm of severity ${severity}`, time },
      ...{ at: `${HOME}administration/alarms/${encodeURIComponent(id)}`, step: 'Acknowledge' },
    }))

/** The critical ones first, each part by time. */
export const inOrder = (needs: readonly Need[]): readonly Need[] =>
  needs.toSorted((a, b) => Number(b.isCritical) - Number(a.isCritical) || (a.time ?? '').localeCompare(b.time ?? ''))
