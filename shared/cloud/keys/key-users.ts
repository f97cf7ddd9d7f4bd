import type { Context } from '../../http/context.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import type { Family } from '../../store/layout.ts'
import { mayRead, NAMED_MOST, type KeyUse } from '../../vault/keys/lifecycle/key-users.ts'
import type { StoredLocalKey } from '../../vault/keys/store.ts'
import type { Acl } from '../containers/acl-model.ts'
import { may } from '../containers/acl.ts'

/** The family of the records with material of one version of a local key, by their ids. */
const withMaterialOf = (localKeyId: string): string => `material:${localKeyId}`

/**
 * Those families of a record. Ours: a record whose key the cloud no longer has uses no material; one whose material the cloud
 * destroyed does, since it takes the same material again.
 * @param sources ids of versions of local keys
 */
export function materialFamilies(
  { id, gone }: { readonly id: string; readonly gone: boolean },
  sources: readonly (string | undefined)[],
): Family[] {
  const known = gone ? [] : [...new Set(sources)].filter((source) => source !== undefined)
  return known.map((source) => ({ name: withMaterialOf(source), key: id }))
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
}

/** Records as a refusal describes them: all are counted, those that the caller may see are named. */
export async function usesBy<T extends { readonly uri: string }, R>(
  { noun, entity, containerOf, viewOf, nameOf, action }: UsingRecords<T, R>,
  { caller, uses }: Pick<Context, 'caller' | 'uses'>,
  ids: readonly string[],
): Promise<KeyUse> {
  const domain = caller.domain.id
  const names: string[] = []
  for (const { item } of await entity.getMany(domain, ids.slice(0, NAMED_MOST))) {
    const container = await containerOf(domain, item)
    if (container && may(caller, container, viewOf(item)) && mayRead({ uses }, action, item)) names.push(nameOf(item))
  }
  return { noun, count: ids.length, names }
}

/** The records that have material of versions of a local key. */
export async function usesOfMaterial<T extends { readonly uri: string }, R>(
  records: UsingRecords<T, R>,
  context: Pick<Context, 'caller' | 'uses'>,
  versions: readonly Stored<StoredLocalKey>[],
): Promise<KeyUse> {
  const { id: domain } = context.caller.domain
  const found = await Promise.all(versions.map(({ item }) => records.entity.members(domain, withMaterialOf(item.id))))
  return { ...(await usesBy(records, context, [...new Set(found.flat())])), haveCopies: true }
}
