import { defined } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import { localKeys, ROTATED_BY_AGE, rotationDueAt, type StoredLocalKey } from '../../../vault/keys/store.ts'
import { DAY_MS, later } from '../../../base/time.ts'
import { mayChange } from '../../../vault/keys/policies/access.ts'
import { keyAsOf } from '../../../vault/keys/lifecycle/key-state.ts'
import { newVersion } from '../../../vault/keys/lifecycle/new-version.ts'
import { graceMs } from '../configs/durations.ts'
import { familyPage, foreseeRotations, skipped } from './joined.ts'
import type { Operation, SubJobPlan } from './operation.ts'

/** The name of local keys where others have the name of a cloud; they have no quota. */
const HERE = 'local'

/** Whether the caller may rotate the key by hand. */
const isRotatable = ({ caller }: Context, key: StoredLocalKey, at: Date): boolean =>
  mayChange(caller, key) && key.archiveDate === undefined && keyAsOf(key, at).state === 'Active'

const planOf = ({ id, name }: StoredLocalKey): SubJobPlan => ({
  cloud: HERE,
  resource_type: 'key',
  resource_id: id,
  resource_name: name,
  container: HERE,
  quotaGroup: HERE,
  seconds: 0,
})

/** Keys with a rotation frequency, in order of their due time. */
const page = (domain: string, after: string | undefined) => familyPage(localKeys, domain, ROTATED_BY_AGE, after)

const isDue = (dueAt: string | undefined, at: Date, spacingMinutes: number): boolean =>
  dueAt !== undefined && Date.parse(dueAt) - graceMs(spacingMinutes) <= at.getTime()

const foreseen = (key: StoredLocalKey) => ({
  plan: planOf(key),
  days: key.rotationFrequencyDays ?? 0,
  dueAt: rotationDueAt(key),
})

/**
 * Creates a new version of local keys whose age reached their `rotationFrequencyDays`. Ours: every such key of the
 * domain that the configuration's author may change takes part, without joining.
 */
export const localKeyRotation: Operation = {
  description: 'Gives local keys a new version when they are as old as their rotationFrequencyDays says.',
  summary: 'Rotate Key',
  check: () => Promise.resolve(),
  find: async ({ domain, context, at, spacingMinutes }, cursor) => {
    const { records: keys, last } = await page(domain, cursor)
    const due = keys.filter((key) => isDue(rotationDueAt(key), at, spacingMinutes))
    const isLast = due.length < keys.length // keys after the first one that is not due are not due either
    return {
      plans: due.filter((key) => isRotatable(context, key, at)).map(planOf),
      ...(!isLast && last !== undefined && { cursor: last }),
    }
  },
  foresee: ({ domain, context, at: from, spacingMinutes }, runs) =>
    foreseeRotations(
      async (cursor) => {
        const { records, last } = await page(domain, cursor)
        const keys = records.filter((key) => isRotatable(context, key, from))
        return { keys: keys.map(foreseen), ...defined({ cursor: last }) }
      },
      'are rotated by age',
      runs,
      ({ dueAt }, at) => isDue(dueAt, at, spacingMinutes),
      (key, at) => {
        key.dueAt = later(at, key.days * DAY_MS).toISOString()
      },
    ),
  single: () => Promise.resolve({ action: 'RotateKey', may: 'key-users' }),
  act: async (context, { resource_id: id }) => {
    const key = (await localKeys.get(context.caller.domain.id, id))?.item
    if (key === undefined) return skipped('The key is not on record any more.')
    if (rotationDueAt(key) === undefined) return skipped('The key has a new version, or asks for none any more.')
    return { end: 'done', result: (await newVersion(context, id, {}, 'id')).id }
  },
}
