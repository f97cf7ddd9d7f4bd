import { uuid } from '../../../base/ids.ts'
import { containerById, everyContainerFor, findContainersFor } from '../../../cloud/containers/find-container.ts'
import { isBeingMade } from '../../../cloud/keys/being-made.ts'
import type { KeyKind } from '../../../cloud/keys/kind.ts'
import { unreadKey } from '../../../cloud/keys/record-key.ts'
import { once } from '../../../base/once.ts'
import type { ContainerPlaces, OpenPlace, Synchronized } from '../../../work/synchronize/synchronized.ts'
import { openVault } from '../place.ts'
import { cloudBVaults, type StoredCloudBVault } from '../vaults/store.ts'
import { vaultAlignment } from '../vaults/rotation-job.ts'
import { refreshVault } from '../vaults/refresh-vault.ts'
import { vaultKind } from '../vaults/kind.ts'
import { markOf, nameIn, newItem, refreshedItem, versionsIn, type Items, type ItemTypes } from './kind.ts'
import { knownNames } from './known-names.ts'
import { overtaken, recordsOf } from './one-name.ts'
import { CONTAINER_LIST } from '../name.ts'

const placesOf = ({ id, name, region }: StoredCloudBVault): ContainerPlaces => ({ id, name, regions: [region] })

/** Refs, but for names that may not be looked at and are on record: their records tell of the refusal. */
async function untold<T extends ItemTypes>(
  kind: KeyKind<T>,
  domain: string,
  vaultId: string,
  refs: readonly string[],
): Promise<readonly string[]> {
  const isTold = async (ref: string): Promise<boolean> =>
    ref.endsWith('/') && (await recordsOf(kind.entity, domain, vaultId, nameIn(ref))).length > 0
  const told = await Promise.all(refs.map(isTold))
  return refs.filter((_ref, at) => told[at] === false)
}

/** Synchronization of the keys, secrets or certificates of vaults, every version a record. */
export function synchronizedItems<T extends ItemTypes>(
  items: Items<T>,
  kind: KeyKind<T>,
): Synchronized<T['read'], T['key'], T['row']> {
  const may = `${items.noun}synchronize`
  const open = async (
    domain: string,
    id: string,
    when: { readonly now: Date; readonly budget: AbortSignal },
  ): Promise<OpenPlace<T['read'], T['key']>> => {
    const stored = await containerById(vaultKind, domain, id)
    const place = await openVault(domain, stored.item, { ...when, patience: 'job' })
    const vault = await refreshVault(domain, stored, place, when.now)
    const cloud = await kind.cloud()
    const survey = await cloud.surveyNames(place)
    const isKnown = knownNames(kind.entity, domain, id)
    const holdsKeysAlone = vault.managed_hsm && items.noun !== 'key'
    const deletions = once(() => cloud.deletions(place))
    return {
      survey: { read: (ref, known) => survey.read(ref, known?.cloud_b_param) },
      refs: async (cursor) => {
        if (holdsKeysAlone) return { refs: [] }
        const { refs, ...rest } = await cloud.refsBeyond(place, cursor, isKnown)
        return { ...rest, refs: await untold(kind, domain, id, refs) }
      },
      // Other versions of names on record are found with those that are, so that no name is asked for twice.
      beside: (refs) => survey.beside(refs),
      refreshed: async (record, read, now) => {
        if (read !== undefined) return refreshedItem(items, record, read, now)
        const name = nameIn(kind.refOf(record))
        const listed = (await deletions()).get(name)
        // Asked for by itself once: it may have been deleted after the list was read.
        const deletion = listed ?? (record.gone ? undefined : await cloud.deletion(place, name))
        return refreshedItem(items, record, deletion && { ref: kind.refOf(record), deletion }, now)
      },
      found: async (read, now) => {
        if (await isBeingMade(domain, markOf(read.param))) return undefined
        // Ours: the cloud does not tell where a version's material is from, whether it made it or took it in. One that is
        // found is therefore unknown, also under a name whose other versions this service made.
        return newItem(items, domain, vault, read, { id: uuid(now), now, key_material_origin: 'unknown' })
      },
      recorded: async (record, _read, now) => {
        if (record.is_latest) await overtaken(kind, domain, record, now)
      },
    }
  }
  return {
    entity: kind.entity,
    placeName: (container) => container,
    family: versionsIn,
    refOf: kind.refOf,
    isGone: ({ gone }) => gone,
    unread: unreadKey,
    named: async (context, references) =>
      (await findContainersFor(vaultKind, context, references, may, CONTAINER_LIST)).map(placesOf),
    all: async ({ caller }) => (await everyContainerFor(vaultKind, caller, may)).map(placesOf),
    open: (domain, id, _region, when) => open(domain, id, when),
    assertThere: async (domain, container) => {
      await containerById(vaultKind, domain, container)
    },
    noteSynchronized: async (changes, domain, container, _regions, now) => {
      const stored = await cloudBVaults.get(domain, container)
      if (stored === undefined) return
      const synchronized = { ...stored.item.synchronized, [items.noun]: now.toISOString() }
      changes.update(cloudBVaults, domain, stored, { ...stored.item, synchronized, refreshed_at: now.toISOString() })
      // Keys that were found take the job of their vault.
      if (items.withJob !== undefined && stored.item.labels !== undefined)
        vaultAlignment.stage(changes, domain, now, { vault_id: container })
    },
  }
}
