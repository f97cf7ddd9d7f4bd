import { call } from './client.ts'
import { assertVaultUrl, isPool, scopeOf } from './hosts.ts'
import type { LinkedPage, Listed, DeletedName } from './items.ts'
import type { CloudBPlace } from './types.ts'
import { deletedRead, ItemPage, listedRead, nameRead, secretRead, type Kind, type ListItem } from './wire.ts'

/** The version of the service that the SDKs use too. */
const API_VERSION = '2025-07-01'

export const vaultScope = (place: CloudBPlace): string =>
  scopeOf(place.connection.cloud_name, isPool(place) ? 'pools' : 'vaults')

/** @throws Refusal RULE_BROKEN for a place that is not a vault */
export function vaultAddress(place: CloudBPlace, path: string): URL {
  assertVaultUrl(place)
  return new URL(`${place.vault_url}${path}?api-version=${API_VERSION}`)
}

/**
 * Ours: read without the SDKs, which follow the link to the next page but do not return it, so that a list could not be
 * resumed. The caller must have checked a link.
 */
async function page<Item>(
  place: CloudBPlace,
  path: string,
  link: string | undefined,
  read: (item: ListItem) => Item,
): Promise<LinkedPage<Item>> {
  const url = link === undefined ? vaultAddress(place, path) : new URL(link)
  if (path === '/certificates') url.searchParams.set('includePending', 'true') // these have records too
  const { value, nextLink } = await call(place, { method: 'GET', url, scope: vaultScope(place), reply: ItemPage })
  return { items: (value ?? []).map(read), next: nextLink ? nextLink : undefined }
}

/** The three lists of each kind. */
export const listsOf = (kind: Kind) => ({
  names: (place: CloudBPlace, link: string | undefined): Promise<LinkedPage<string>> =>
    page(place, `/${kind}`, link, nameRead),
  versions: (place: CloudBPlace, name: string, link: string | undefined): Promise<LinkedPage<Listed<never>>> =>
    page(place, `/${kind}/${name}/versions`, link, listedRead),
  deleted: (place: CloudBPlace, link: string | undefined): Promise<LinkedPage<DeletedName>> =>
    page(place, `/deleted${kind}`, link, deletedRead),
})

/** Like the list of versions of other kinds, but with the whole description of each. */
export const secretVersions = (place: CloudBPlace, name: string, link: string | undefined) =>
  page(place, `/secrets/${name}/versions`, link, secretRead)
