import { notThere, type BrokenField } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import type { ListQuery } from '../../../http/lists/list-query.ts'
import { fieldTests, listed, type ResourceList } from '../../../resource/listed.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKey } from '../find-key.ts'
import { versionsOf } from './entity.ts'
import { storedVersions, type VersionedKind, type VersionedTypes } from './kind.ts'

/**
 * A version of a key, by the id of its record or by the cloud's own name of it.
 * @param field of a body that names it, for the refusal
 * @throws Refusal NOT_FOUND
 */
export async function findVersion<T extends VersionedTypes>(
  { versions: { entity, placeIn } }: VersionedKind<T>,
  { caller }: Pick<Context, 'caller'>,
  keyId: string,
  reference: string,
  field?: BrokenField,
): Promise<Stored<T['version']>> {
  const domain = caller.domain.id
  const place = placeIn(reference)
  const id = place === undefined ? reference : await entity.member(domain, { name: versionsOf(keyId), key: place })
  const stored = id === undefined ? undefined : await entity.get(domain, id)
  if (stored?.item.parent_key_id !== keyId) throw notThere('The key has no such version.', field)
  return stored
}

/** The version that a key uses: its primary, or else its newest. */
export async function currentVersion<T extends VersionedTypes>(
  { versions: { entity, placeIn, primaryOf } }: VersionedKind<T>,
  domain: string,
  key: T['key'],
): Promise<T['version'] | undefined> {
  const family = versionsOf(key.id)
  const place = placeIn(primaryOf(key) ?? '')
  const id =
    place === undefined
      ? (await entity.members(domain, family)).at(-1)
      : await entity.member(domain, { name: family, key: place })
  return id === undefined ? undefined : (await entity.get(domain, id))?.item
}

/** A recorded version. @throws Refusal NOT_FOUND */
export async function getVersion<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  context: Pick<Context, 'caller'>,
  keyId: string,
  reference: string,
): Promise<Stored<T['versionShown']>> {
  const { stored } = await findKey(kind, context, keyId)
  const { item, rev } = await findVersion(kind, context, keyId, reference)
  return { item: kind.versions.present(item, stored.item), rev }
}

/** Filters that every list of versions has; a cloud's own filters match the fields of the same names. */
export interface VersionQuery extends ListQuery {
  /** the cloud's own names of versions */
  readonly version?: readonly string[] | undefined
  readonly name?: readonly string[] | undefined
  readonly is_primary?: boolean | undefined
}

/** A key's versions, oldest first. One read for every hundred versions. @throws Refusal NOT_FOUND */
export async function listVersions<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  context: Pick<Context, 'caller'>,
  keyId: string,
  query: VersionQuery,
): Promise<ResourceList<T['versionShown']>> {
  const { domain } = context.caller
  const { item: key } = (await findKey(kind, context, keyId)).stored
  const { entity, primaryOf, rowRefOf, present } = kind.versions
  const primary = primaryOf(key)
  const { version: named, name, is_primary: isPrimary } = query
  const tests: ((row: T['versionRow']) => boolean)[] = fieldTests(query, ['version', 'name', 'is_primary'])
  if (named !== undefined) tests.push((row) => named.includes(rowRefOf(row)))
  if (isPrimary !== undefined) tests.push((row) => (rowRefOf(row) === primary) === isPrimary)
  return listed<T['version'], T['versionRow'], T['versionShown']>(entity, domain.id, query, {
    served: [],
    extraItems: await storedVersions(kind, domain.id, keyId, 'salvage'),
    patterns: { name },
    matches: (row) => tests.every((test) => test(row)),
    matchesNarrows: tests.length > 0,
    present: ({ item }) => present(item, key),
  })
}
