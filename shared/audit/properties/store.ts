import * as z from 'zod'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { RecentCache } from '../../base/recent-cache.ts'
import { Time } from '../../http/common-fields.ts'
import { entity } from '../../store/entity.ts'
import { object } from '../../base/lazy-fields.ts'

interface Declared {
  readonly description: string
  readonly usual: number
  readonly min: number
  readonly max: number
}

/** Ours: settings that deployments may need to change, and that take effect without a new deployment. */
export const PROPERTIES = {
  audit_export_retention_days: {
    description: 'days that the archive of an audit-log export is kept',
    ...{ usual: 7, min: 1, max: 90 },
  },
  audit_exports_under_way: {
    description: 'audit-log exports of a domain that may be under way at a time',
    ...{ usual: 5, min: 1, max: 50 },
  },
  log_forwarding_retry_hours: {
    description: 'hours after which audit records that a target did not take are dropped',
    ...{ usual: 24, min: 1, max: 168 },
  },
} as const satisfies Readonly<Record<string, Declared>>
export type PropertyName = keyof typeof PROPERTIES

export const isProperty = (name: string): name is PropertyName => Object.hasOwn(PROPERTIES, name)

const StoredProperty = object(() => ({ id: z.string(), value: z.int(), updatedAt: Time }))
export type StoredProperty = z.infer<typeof StoredProperty>

/** Changed values, in the root domain. Supported reads: by the property's name; all. */
export const properties = entity({
  name: 'property',
  schema: StoredProperty,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
})

/** Maximum time for which an instance uses the former value. */
const CACHED_MS = 60_000
const values = new RecentCache<number>(Object.keys(PROPERTIES).length, CACHED_MS)

/** The value of a property, at most a minute old. */
export const propertyValue = (name: PropertyName, now: Date): Promise<number> =>
  values.get(name, now, async () => (await properties.get(ROOT_DOMAIN_ID, name))?.item.value ?? PROPERTIES[name].usual)
