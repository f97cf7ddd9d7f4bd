import * as z from 'zod'
import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import { listQuery } from '../http/lists/list-query.ts'
import { listOf } from '../http/common-fields.ts'
import type { Context } from '../http/context.ts'
import { listed, type ResourceList } from '../resource/listed.ts'
import { domains } from '../identity/domains/store.ts'
import { pageOf } from '../store/list.ts'
import { serviceInstanceOf } from '../audit/platform-record.ts'
import { object } from '../base/lazy-fields.ts'

/** The only type of service here, and the `source` of its audit records. */
export const SOURCE = 'dsp'

/** A provisioned service: a domain, which is a tenant of its own. */
const ServiceInstance = object(() => ({
  id: z.string().meta({ description: 'resourceid of its audit records' }),
  name: z.string(),
  type: z.literal(SOURCE),
  tenantID: z.string(),
  createdAt: z.string(),
}))
type ServiceInstance = z.infer<typeof ServiceInstance>
export const ServiceInstances = listOf(ServiceInstance)
export const ServiceInstanceQuery = listQuery(ServiceInstance, () => ({}))
type ServiceInstanceQuery = z.infer<typeof ServiceInstanceQuery>

/** Service instances of the credential's domain: itself, and its children if it is the root. */
export const listServiceInstances = (
  { caller }: Context,
  query: ServiceInstanceQuery,
): Promise<ResourceList<ServiceInstance>> =>
  listed(domains, ROOT_DOMAIN_ID, query, {
    served: 'all',
    matches: (_row, id) => caller.domain.id === ROOT_DOMAIN_ID || id === caller.domain.id,
    matchesNarrows: caller.domain.id !== ROOT_DOMAIN_ID,
    present: ({ item: { id, name, createdAt } }) => ({
      id: serviceInstanceOf(id),
      name,
      type: SOURCE,
      tenantID: id,
      createdAt,
    }),
  })

const DOMAINS_A_PAGE = 1_000

/**
 * The domain of a service instance that a credential may see. Ours: reads all domains, of which a deployment has few,
 * because the id of an instance does not contain its domain.
 */
export async function domainOfInstance({ caller }: Context, instance: string): Promise<string | undefined> {
  if (instance === serviceInstanceOf(caller.domain.id)) return caller.domain.id
  if (caller.domain.id !== ROOT_DOMAIN_ID) return undefined
  for (let skip = 0; ; skip += DOMAINS_A_PAGE) {
    const { items } = await pageOf(domains, ROOT_DOMAIN_ID, 'all', { skip, limit: DOMAINS_A_PAGE })
    const found = items.find(({ item }) => serviceInstanceOf(item.id) === instance)
    if (found !== undefined) return found.item.id
    if (items.length < DOMAINS_A_PAGE) return undefined
  }
}
