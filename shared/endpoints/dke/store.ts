import * as z from 'zod'
import { entity } from '../../store/entity.ts'
import { idsAfter } from '../../store/list.ts'
import { joinedFamily } from '../../work/schedule/job-operations/rotated.ts'
import { extended } from '../../base/lazy-fields.ts'
import { DkeEndpoint } from './model.ts'

const StoredDkeEndpoint = extended(DkeEndpoint.omit({ key_uri: true, kek_uuid: true, auto_rotate: true }), () => ({
  /** whether the local key was created for this endpoint; then administrators of endpoints may rotate it */
  own_key: z.boolean(),
}))
export type StoredDkeEndpoint = z.infer<typeof StoredDkeEndpoint>

/** Kind of the items that name the domain of an endpoint. */
export const DKE_OWNER = 'dke-owner'

/** The set of endpoints that admit readers by role: each may look up readers in all of its tenants. */
const BY_ROLE = 'by role'
const readsRoles = ({ authorization_params: params }: StoredDkeEndpoint): boolean =>
  params?.authorization_type === 'role'

/** Reads served: an endpoint by id; by name; by the name of its local key; all; those by role; those of a job. */
export const dkeEndpoints = entity({
  name: 'dke-endpoint',
  schema: StoredDkeEndpoint,
  id: ({ id }) => id,
  // Ours: a key has at most one endpoint, so that its rotation has one owner.
  unique: ({ name, kek_name }) => ({ name: [name], kek: [kek_name] }),
  sets: (endpoint) => ['all', ...(readsRoles(endpoint) ? [BY_ROLE] : [])],
  families: joinedFamily,
  row: (endpoint) => ({
    id: endpoint.id,
    name: endpoint.name,
    key_uri_hostname: endpoint.key_uri_hostname,
    kek_name: endpoint.kek_name,
    kek_id: endpoint.kek_id,
    algorithm: endpoint.algorithm,
    status: endpoint.status,
    auto_rotate: endpoint.labels !== undefined,
    createdAt: endpoint.createdAt,
    updatedAt: endpoint.updatedAt,
  }),
})

export type DkeEndpointRow = ReturnType<typeof dkeEndpoints.row>

const PAGE = 100

/**
 * Name of an endpoint that looks up roles in a tenant; `undefined` if none does. One read for each 100 endpoints that
 * admit by role.
 */
export async function readsRolesIn(domain: string, tenantId: string): Promise<string | undefined> {
  for (let after: string | undefined, isLeft = true; isLeft;) {
    const ids = await idsAfter(dkeEndpoints, domain, BY_ROLE, after, PAGE)
    const stored = await dkeEndpoints.getMany(domain, ids)
    const found = stored.find(({ item }) => item.auth_tenants.includes(tenantId))
    if (found !== undefined) return found.item.name
    after = ids.at(-1)
    isLeft = ids.length === PAGE
  }
  return undefined
}
