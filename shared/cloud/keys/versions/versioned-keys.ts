import { Refusal } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import { refusalOf } from '../creation.ts'
import { noLongerThere } from '../find-key.ts'
import type { KeyKind, NewKey } from '../kind.ts'
import { bringUp, compared, stageVersions } from './compare-versions.ts'
import { newKeyRecord, presentKey, type Outcome } from './key-records.ts'
import {
  NO_VERSIONS,
  storedVersions,
  type VersionedKind,
  type VersionedTypes,
  type Versions,
  type VersionSource,
  type Whole,
} from './kind.ts'
import { followVersions } from './record-versions.ts'

/** Members of a kind that derive from its versions. */
type Derived =
  'assertManaged' | 'present' | 'read' | 'wholeOf' | 'beforehand' | 'made' | 'refreshed' | 'removed' | 'cloud'

/** The cloud-specific part of a kind of keys with versions. */
type Stated<T extends VersionedTypes> = Omit<KeyKind<T>, Derived> & {
  readonly cloud: Versions<T>['cloud']
  readonly versions: Omit<Versions<T>, 'cloud'>
}

/** Ours: since no key can be deleted, one that cannot be finished is recorded as `failed`. */
const outcomeOf = async (domain: string, { id, outcome }: Pick<NewKey, 'id' | 'outcome'>): Promise<Outcome> =>
  outcome === 'made' ? { create_status: 'success' } : { create_status: 'failed', error: await refusalOf(domain, id) }

/** Stages the records of the versions of a created key. @returns the key's own record */
async function made<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  { caller, changes, now }: Context,
  container: T['container'],
  whole: Whole<T>,
  facts: NewKey,
): Promise<T['key']> {
  const domain = caller.domain.id
  const { id } = facts
  const source: VersionSource | undefined = facts.source && { key_material_origin: 'keymgr', ...facts.source }
  const sources = new Map(source === undefined ? [] : whole.versions.map(({ ref }) => [ref, source] as const))
  const versions = compared(kind, domain, id, [], whole.versions, now, sources)
  stageVersions(kind, changes, domain, versions.changes)
  const outcome = await outcomeOf(domain, facts)
  return newKeyRecord(kind, domain, container, whole, versions.all, { id, now, ...outcome })
}

/** Keys with versions: completes the cloud-specific part with the common verbs that read and record them. */
export function versionedKeys<T extends VersionedTypes>({ versions, cloud, ...stated }: Stated<T>): VersionedKind<T> {
  const wholeOf = async (place: T['place'], key: T['read']): Promise<Whole<T>> => ({
    key,
    versions: await cloud.versions(place, key.ref, key),
  })
  const kind: VersionedKind<T> = {
    ...stated,
    versions: { ...versions, cloud },
    cloud,
    assertManaged: (key) => {
      if (key.gone) throw noLongerThere()
    },
    present: presentKey,
    wholeOf,
    read: async (place, ref, ...known) => {
      const key = await cloud.read(place, ref, ...known)
      return key && wholeOf(place, key)
    },
    beforehand: async ({ caller, now }, key, whole) => {
      await bringUp(kind, caller.domain.id, key.id, whole ?? NO_VERSIONS, now)
    },
    made: (context, container, whole, facts) => made(kind, context, container, whole, facts),
    refreshed: async (context, key, whole) => (await followVersions(kind, context, key, whole)).key,
    removed: async ({ caller, changes }, { id }) => {
      for (const version of await storedVersions(kind, caller.domain.id, id, 'salvage'))
        changes.remove(versions.entity, caller.domain.id, version)
    },
  }
  return kind
}

/**
 * Ours: a name that our records show as taken is refused without calling the cloud, which itself refuses any other
 * taken name.
 * @param pointer field of a body that names the key
 * @throws Refusal NAME_TAKEN
 */
export async function assertNameFree<T extends VersionedTypes>(
  { entity, familyOf, containers }: VersionedKind<T>,
  { caller }: Pick<Context, 'caller'>,
  container: T['container'],
  name: string,
  pointer: string,
): Promise<void> {
  const known = await entity.membersBy(caller.domain.id, familyOf(container.id, ''), [name])
  if (known.size === 0) return
  const message = `The ${containers.noun} has a key named ${name} already: the cloud gives no name twice.`
  throw new Refusal('NAME_TAKEN', message, { errors: [{ pointer, detail: 'is taken' }] })
}
