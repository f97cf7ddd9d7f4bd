import { atOnce } from '../../../base/at-once.ts'
import { defined } from '../../../base/fields.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import { ask, everyPage } from './client.ts'
import type { CloudD, CloudDConnection, CloudDEntry, CloudDPage } from './types.ts'
import {
  Buckets,
  Compartment,
  compartmentRead,
  Compartments,
  Namespace,
  RegionSubscriptions,
  summaryRead,
  TagNamespaces,
  Tags,
  Tenancy,
  Vault,
  vaultRead,
  VaultSummaries,
} from './wire.ts'

/** Ours: above the cloud's limits of compartments, namespaces and tags per tenancy. */
const LISTED_MOST = 10_000
const A_PAGE = 1_000
/** Ours: tag namespaces that are read concurrently. */
const NAMESPACES_AT_ONCE = 5

const IDENTITY = '/20160918'
const segment = encodeURIComponent

const paged = <Item>(items: readonly Item[], next: string | undefined): CloudDPage<Item> => ({
  items,
  ...defined({ next }),
})

/** A call to the identity service in the connection's region. */
const identity = <Reply extends Parameters<typeof ask>[3]['reply']>(
  entry: CloudDEntry,
  path: string,
  query: Parameters<typeof ask>[3]['query'],
  reply: Reply,
) => ask(entry, 'identity', entry.connection.region, { method: 'GET', path: `${IDENTITY}${path}`, query, reply })

export const tenancy: CloudD['tenancy'] = async (entry) => {
  const { data } = await identity(entry, `/tenancies/${segment(entry.connection.tenancy_id)}`, {}, Tenancy)
  return { tenancy: data.name, tenancy_id: data.id }
}

export async function test(connection: CloudDConnection, budget: AbortSignal): Promise<void> {
  await tenancy({ connection, budget, patience: 'request' })
}

export const regions: CloudD['regions'] = async (entry) => {
  const path = `/tenancies/${segment(entry.connection.tenancy_id)}/regionSubscriptions`
  const { data } = await identity(entry, path, {}, RegionSubscriptions)
  return data.map(({ regionName: name, regionKey: key, isHomeRegion: is_home, status }) => ({
    name,
    key,
    is_home,
    status,
  }))
}

/** Compartments directly below one, or all of the tenancy except its root. */
const listed = (entry: CloudDEntry, parentId: string | undefined, limit: number, page: string | undefined) =>
  identity(
    entry,
    '/compartments',
    {
      compartmentId: parentId ?? entry.connection.tenancy_id,
      ...(parentId === undefined && { compartmentIdInSubtree: true }), // the cloud allows it only for the tenancy
      accessLevel: 'ANY',
      limit,
      page,
    },
    Compartments,
  )

export const compartments: CloudD['compartments'] = async (entry, parentId, { limit = A_PAGE, page }) => {
  const { data, next } = await listed(entry, parentId, limit, page)
  const items = data.map(compartmentRead)
  if (parentId !== undefined || page !== undefined) return paged(items, next)
  const { tenancy: name, tenancy_id: compartment_id } = await tenancy(entry)
  return paged([{ compartment_id, name, lifecycle_state: 'ACTIVE' }, ...items], next)
}

/**
 * Ids of all compartments, including the root, without deleted ones, which are empty. `areAll`: false if the connection
 * may not list them, so that only the root is known.
 */
export async function allCompartments(entry: CloudDEntry): Promise<{ ids: readonly string[]; areAll: boolean }> {
  const found = await ifThere(everyPage((page) => listed(entry, undefined, A_PAGE, page), LISTED_MOST))
  const below = (found ?? []).filter(({ lifecycleState }) => lifecycleState !== 'DELETED').map(({ id }) => id)
  return { ids: [entry.connection.tenancy_id, ...below], areAll: found !== undefined }
}

export const compartment: CloudD['compartment'] = async (entry, id) => {
  const found = await ifThere(identity(entry, `/compartments/${segment(id)}`, {}, Compartment))
  return found && compartmentRead(found.data)
}

export const vaults: CloudD['vaults'] = async (entry, region, compartmentId, { limit, page }) => {
  const path = '/20180608/vaults'
  const query = { compartmentId, limit, page }
  const { data, next } = await ask(entry, 'kms', region, { method: 'GET', path, query, reply: VaultSummaries })
  return paged(data.map(summaryRead), next)
}

export const vault: CloudD['vault'] = async (entry, region, id) => {
  const path = `/20180608/vaults/${segment(id)}`
  const found = await ifThere(ask(entry, 'kms', region, { method: 'GET', path, reply: Vault }))
  return found && vaultRead(found.data)
}

/** A namespace that the connection may not read has no tags. */
export const definedTags: CloudD['definedTags'] = async (entry, compartmentId = entry.connection.tenancy_id) => {
  const query = { compartmentId, includeSubcompartments: true, limit: A_PAGE }
  const namespaces = await everyPage(
    (page) => identity(entry, '/tagNamespaces', { ...query, page }, TagNamespaces),
    LISTED_MOST,
  )
  const found = await atOnce(namespaces, NAMESPACES_AT_ONCE, async ({ id, name }) => {
    const path = `/tagNamespaces/${segment(id)}/tags`
    const tags = await ifThere(everyPage((page) => identity(entry, path, { limit: A_PAGE, page }, Tags), LISTED_MOST))
    return [name, (tags ?? []).map((tag) => tag.name)] as const
  })
  return Object.fromEntries(found)
}

export const buckets: CloudD['buckets'] = async (entry, region, compartmentId, namespace, { limit, page }) => {
  const get = { method: 'GET' } as const
  const own = namespace ?? (await ask(entry, 'objectStorage', region, { ...get, path: '/n', reply: Namespace })).data
  const path = `/n/${segment(own)}/b`
  const query = { compartmentId, limit, page }
  const { data, next } = await ask(entry, 'objectStorage', region, { ...get, path, query, reply: Buckets })
  return paged(data, next)
}
