import { LOCAL_KEY_ID } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import type { Family } from '../../store/layout.ts'
import { mayRead, NAMED_MOST, type KeyUse } from '../../vault/keys/lifecycle/key-users.ts'
import type { StoredLocalKey } from '../../vault/keys/store.ts'
import { usedVersion } from '../../vault/keys/used-version.ts'
import type { Acl } from '../containers/acl-model.ts'
import { may } from '../containers/acl.ts'

/** How records use a version of a local key: with a copy of its material, or by calls to this service. */
type Way = 'material' | 'served'

/** The family of the records that use one version of a local key in a way, by their ids. */
const usersOf = (way: Way, localKeyId: string): string => `${way}:${localKeyId}`

/**
 * Those families of a record with copies of material. Ours: a record whose key the cloud no longer has uses no material; one whose material the cloud
 * destroyed does, since it takes the same material again. A record that a synchronization finds again uses it again.
 * @param sources ids of versions of local keys
 */
export function materialFamilies(
  { id, gone }: { readonly id: string; readonly gone: boolean },
  sources: readonly (string | undefined)[],
): Family[] {
  const known = gone ? [] : [...new Set(sources)].filter((source) => source !== undefined)
  return known.map((source) => ({ name: usersOf('material', source), key: id, uses: usedVersion(source) }))
}

/** The family of a record that uses a version of a local key without a copy of it. */
export const servedFamily = (id: string, localKeyId: string): Family => ({
  name: usersOf('served', localKeyId),
  key: id,
  uses: usedVersion(localKeyId),
})

/** Ids of the records that use any of these versions of local keys. @param localKeyIds other texts are ignored */
export async function usersOfVersions<T, R>(
  entity: Pick<Entity<T, R>, 'members'>,
  domain: string,
  localKeyIds: readonly string[],
): Promise<string[]> {
  const families = localKeyIds
    .filter((id) => LOCAL_KEY_ID.test(id))
    .flatMap((id) => [usersOf('material', id), usersOf('served', id)])
  const found = await Promise.all(families.map((family) => entity.members(domain, family)))
  return [...new Set(found.flat())]
}

/** Records of one kind that use local keys, in containers with permissions. */
export interface UsingRecords<T extends { readonly uri: string }, R> {
  /** as in "2 cloud-a keys" */
  readonly noun: string
  readonly entity: Entity<T, R>
  readonly containerOf: (domain: string, record: T) => Promise<{ readonly acls: readonly Acl[] } | undefined>
  /** the action on the container that lets a caller see the record */
  readonly viewOf: (record: T) => string
  readonly nameOf: (record: T) => string
  /** the action of policies that reads such records */
  readonly action: string
  /** id of the endpoint whose data plane uses the key for a record, if one does */
  readonly endpointOf?: (domain: string, record: T) => Promise<string | undefined>
}

/** Records as a refusal describes them: all are counted, those that the caller may see are named. */
export async function usesBy<T extends { readonly uri: string }, R>(
  { noun, entity, containerOf, viewOf, nameOf, action, endpointOf }: UsingRecords<T, R>,
  { caller, uses }: Pick<Context, 'caller' | 'uses'>,
  ids: readonly string[],
): Promise<KeyUse> {
  const domain = caller.domain.id
  const names: string[] = []
  const endpoints = new Set<string>()
  for (const { item } of await entity.getMany(domain, ids.slice(0, NAMED_MOST), 'leave out')) {
    const container = await containerOf(domain, item)
    if (!container || !may(caller, container, viewOf(item)) || !mayRead({ uses }, action, item)) continue
    names.push(nameOf(item))
    const endpoint = await endpointOf?.(domain, item)
    if (endpoint !== undefined) endpoints.add(endpoint)
  }
  return { noun, count: ids.length, names, endpoints: [...endpoints] }
}

async function usesIn<T extends { readonly uri: string }, R>(
  way: Way,
  records: UsingRecords<T, R>,
  context: Pick<Context, 'caller' | 'uses'>,
  versions: readonly Stored<StoredLocalKey>[],
): Promise<KeyUse> {
  const { id: domain } = context.caller.domain
  const found = await Promise.all(versions.map(({ item }) => records.entity.members(domain, usersOf(way, item.id))))
  return usesBy(records, context, [...new Set(found.flat())])
}

type Uses = <T extends { readonly uri: string }, R>(
  records: UsingRecords<T, R>,
  context: Pick<Context, 'caller' | 'uses'>,
  versions: readonly Stored<StoredLocalKey>[],
) => Promise<KeyUse>

/** The records that have material of versions of a local key. */
export const usesOfMaterial: Uses = async (...of) => ({ ...(await usesIn('material', ...of)), haveCopies: true })

/** The records that use versions of a local key without a copy. */
export const usesServed: Uses = (...of) => usesIn('served', ...of)
