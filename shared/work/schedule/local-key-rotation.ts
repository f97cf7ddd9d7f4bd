import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { localKeys, ROTATED_BY_AGE, rotationDueAt, type StoredLocalKey } from '../../vault/keys/store.ts'
import { DAY_MS, later } from '../../base/time.ts'
import { mayChange } from '../../vault/keys/access.ts'
import { keyAsOf } from '../../vault/keys/key-state.ts'
import { newVersion } from '../../vault/keys/new-version.ts'
import { graceMs } from './durations.ts'
import type { Act, Operation, SubJobPlan, RunOf } from './operation.ts'

const PAGE = 100
/** Keys a preview looks through. */
const FORESEEN_MOST = 10_000
/** Stands for local keys where clouds are named; they have no quota. */
const HERE = 'local'

const skipped = (reason: string): Act => ({ end: 'skipped', reason })

/** Whether the caller may rotate the key by hand. */
const isRotatable = ({ caller }: Context, key: StoredLocalKey, at: Date): boolean =>
  mayChange(caller, key) && key.archiveDate === undefined && keyAsOf(key, at).state === 'Active'

const planOf = ({ id, name }: StoredLocalKey): SubJobPlan => ({
  cloud: HERE,
  resource_type: 'key',
  resource_id: id,
  resource_name: name,
  container: HERE,
  lane: HERE,
  seconds: 0,
})

/** Keys with a rotation frequency, in order of their due time. */
async function page(domain: string, after: string | undefined) {
  const members = await localKeys.membersAfter(domain, ROTATED_BY_AGE, after, PAGE)
  const stored = await localKeys.getMany(
    domain,
    members.map(({ id }) => id),
  )
  const last = members.length === PAGE ? members.at(-1)?.key : undefined
  return { keys: stored.map(({ item }) => item), last }
}

const isDue = (dueAt: string | undefined, at: Date, spacingMinutes: number): boolean =>
  dueAt !== undefined && Date.parse(dueAt) - graceMs(spacingMinutes) <= at.getTime()

/** @throws Refusal RULE_BROKEN */
async function everyKey({ domain, context, at }: RunOf): Promise<StoredLocalKey[]> {
  const found: StoredLocalKey[] = []
  let after: string | undefined
  do {
    const { keys, last } = await page(domain, after)
    found.push(...keys.filter((key) => isRotatable(context, key, at)))
    if (found.length > FORESEEN_MOST)
      throw new Refusal('RULE_BROKEN', `More than ${FORESEEN_MOST} keys are rotated by age: too many to look ahead.`)
    after = last
  } while (after !== undefined)
  return found
}

/**
 * Gives local keys a new version when they are as old as their `rotationFrequencyDays` says. Ours: every such key of the
 * domain that the configuration's author may change takes part, without joining.
 */
export const localKeyRotation: Operation = {
  description: 'Gives local keys a new version when they are as old as their rotationFrequencyDays says.',
  summary: 'Rotate Key',
  check: () => Promise.resolve(),
  find: async ({ domain, context, at, spacingMinutes }, cursor) => {
    const { keys, last } = await page(domain, cursor)
    const due = keys.filter((key) => isDue(rotationDueAt(key), at, spacingMinutes))
    const isLast = due.length < keys.length // the others are not due yet
    return {
      plans: due.filter((key) => isRotatable(context, key, at)).map(planOf),
      ...(!isLast && last !== undefined && { cursor: last }),
    }
  },
  foresee: async (of, runs) => {
    const keys = (await everyKey(of)).map((key) => ({
      plan: planOf(key),
      days: key.rotationFrequencyDays ?? 0,
      dueAt: rotationDueAt(key),
    }))
    return runs.map((at) => {
      const due = keys.filter(({ dueAt }) => isDue(dueAt, at, of.spacingMinutes))
      for (const key of due) key.dueAt = later(at, key.days * DAY_MS).toISOString()
      return due.map(({ plan }) => plan)
    })
  },
  act: async (context, { resource_id: id }) => {
    const key = (await localKeys.get(context.caller.domain.id, id))?.item
    if (key === undefined) return skipped('The key is not on record any more.')
    if (rotationDueAt(key) === undefined) return skipped('The key has a new version, or asks for none any more.')
    return { end: 'done', result: (await newVersion(context, id, {}, 'id')).id }
  },
}
