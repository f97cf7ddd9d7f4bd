import * as z from 'zod'
import { entity } from '../store/entity.ts'
import { object } from '../base/lazy-fields.ts'

/** Progress of resealing: the current set and the last id done in it. */
const Reseal = object(() => ({
  startAt: z.string(),
  entity: z.string(),
  after: z.string().optional(),
  /** items that could not be opened so far */
  failures: z.int(),
}))

export const DOMAIN_KEY_STATES = ['current', 'resealing', 'retired', 'failed'] as const

const StoredDomainKey = object(() => ({
  id: z.uuid(),
  version: z.int(),
  /** `resealing`: replaced, and its data is being resealed; `failed`: some of its data cannot be opened */
  state: z.enum(DOMAIN_KEY_STATES),
  createdAt: z.iso.datetime({ offset: true }),
  /** the key, sealed under the deployment's root key; base64 */
  sealed: z.string(),
  reseal: Reseal.optional(),
}))
export type StoredDomainKey = z.infer<typeof StoredDomainKey>

/**
 * Reads served: a key by id; the domain's current key; its keys, oldest first; keys whose data waits to be resealed.
 */
export const domainKeys = entity({
  name: 'domain-key',
  schema: StoredDomainKey,
  id: ({ id }) => id,
  unique: ({ state }) => (state === 'current' ? { state: ['current'] } : {}),
  sets: () => ['all'],
  row: ({ version, state, createdAt }) => ({ version, state, createdAt }),
  due: ({ state, reseal }) =>
    state === 'resealing' && reseal ? { what: 'reseal-domain', at: reseal.startAt } : undefined,
})
