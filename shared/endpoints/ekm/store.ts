import * as z from 'zod'
import { LOCAL_KEY_ID, ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { Time } from '../../http/common-fields.ts'
import { EkmEndpoint } from './model.ts'
import { inSpace } from './spaces/record.ts'
import type { Changes } from '../../store/changes.ts'
import { entity } from '../../store/entity.ts'
import { itemKey } from '../../store/layout.ts'
import { extended } from '../../base/lazy-fields.ts'

const StoredEkmEndpoint = extended(EkmEndpoint.omit({ keyURI: true, key_path: true, state: true }), () => ({
  /** the version in keyURI: the first one when the endpoint was created */
  uri_kek_id: z.string().regex(LOCAL_KEY_ID),
  /** whether the local key was created for this endpoint; then administrators of endpoints may rotate it */
  own_key: z.boolean(),
  /** the dialect in which `policy.rego` was parsed when it was stored; later reads use the same */
  dialect: z.enum(['v0', 'v1']).optional(),
  /** when its key was destroyed, in a crypto space */
  destroyedAt: Time.optional(),
}))
export type StoredEkmEndpoint = z.infer<typeof StoredEkmEndpoint>

/** Kind of the items that name the owner of an endpoint, by the id of a local key's version. */
export const EKM_KEK = 'ekm-kek'
export interface StoredKek {
  readonly id: string
  readonly domain: string
  /** id of the endpoint */
  readonly endpoint: string
}

/** Reads served: an endpoint by id; by name; by the name of its local key; all endpoints; their number in a space. */
export const ekmEndpoints = entity({
  name: 'ekm-endpoint',
  schema: StoredEkmEndpoint,
  id: ({ id }) => id,
  // An address names a version of a local key and must identify one endpoint, so a key has at most one.
  unique: ({ name, kekName }) => ({ name: [name], kek: [kekName] }),
  sets: ({ cryptospace_id: space, destroyedAt }) => [
    'all',
    ...(space === undefined || destroyedAt !== undefined ? [] : [inSpace(space)]),
  ],
  row: (endpoint) => ({
    id: endpoint.id,
    name: endpoint.name,
    keyURIHostname: endpoint.keyURIHostname,
    kekName: endpoint.kekName,
    kekID: endpoint.kekID,
    key_type: endpoint.key_type,
    algorithm: endpoint.algorithm,
    endpoint_type: endpoint.endpoint_type,
    enabled: endpoint.enabled,
    cryptospace_id: endpoint.cryptospace_id,
    createdAt: endpoint.createdAt,
    updatedAt: endpoint.updatedAt,
  }),
})

export type EkmEndpointRow = ReturnType<typeof ekmEndpoints.row>

const written = (): Error => new Error('A write without a condition was refused')

/**
 * Stages that the address with a version's id refers to an endpoint. The data plane reads the item before it knows the
 * domain, so the root domain contains it. Ours: an existing item is overwritten: an id is never reused, and an item of
 * a deleted endpoint has no effect.
 */
export function leadToEndpoint(changes: Changes, domain: string, endpoint: string, versionId: string): void {
  const { pk, sk } = itemKey(ROOT_DOMAIN_ID, EKM_KEK, versionId)
  const kek: StoredKek = { id: versionId, domain, endpoint }
  changes.plan({ put: { pk: { S: pk }, sk: { S: sk }, data: { S: JSON.stringify(kek) } } }, written)
}

/** Stages that a version's id refers to no endpoint any more. */
export const forgetKek = (changes: Changes, versionId: string): void =>
  changes.plan({ remove: itemKey(ROOT_DOMAIN_ID, EKM_KEK, versionId) }, written)
