import { uuid } from '../../../base/ids.ts'
import { isBeingMade } from '../../../cloud/keys/being-made.ts'
import type { KeyKind } from '../../../cloud/keys/kind.ts'
import { synchronizedKeys } from '../../../cloud/keys/synchronize.ts'
import { once } from '../../../base/once.ts'
import type { Synchronized } from '../../../work/synchronize/synchronized.ts'
import { vaultAlignment } from '../vaults/rotation-job.ts'
import { refreshVault } from '../vaults/refresh-vault.ts'
import { CONTAINER_LIST } from '../name.ts'
import { markOf, nameIn, newItem, refreshedItem, type ItemKind, type ItemTypes } from './item.ts'
import { knownNames } from './known-names.ts'
import { overtaken, recordsOf } from './one-name.ts'

/** Omits refs of unreadable names that are on record: reading the records reports the refusal already. */
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
export const synchronizedItems = <T extends ItemTypes>(
  kind: ItemKind<T>,
): Synchronized<T['read'], T['key'], T['row']> =>
  synchronizedKeys<T, T['read']>(kind, {
    may: `${kind.noun}synchronize`,
    containerList: CONTAINER_LIST,
    locationOf: ({ region }) => region,
    read: async ({ domain, stored, place, now }) => {
      const { id } = stored.item
      const vault = await refreshVault(domain, stored, place, now)
      const { cloud } = kind
      const survey = await cloud.surveyNames(place)
      const isKnown = knownNames(kind.entity, domain, id)
      const holdsKeysAlone = vault.managed_hsm && kind.noun !== 'key'
      const deletions = once(() => cloud.deletions(place))
      return {
        survey: { read: (ref, known) => survey.read(ref, known?.cloud_b_param) },
        refs: async (cursor) => {
          if (holdsKeysAlone) return { refs: [] }
          const { refs, ...rest } = await cloud.refsBeyond(place, cursor, isKnown)
          return { ...rest, refs: await untold(kind, domain, id, refs) }
        },
        // Other versions of recorded names are found while those are read, so no name is listed twice.
        beside: (refs) => survey.beside(refs),
        refreshed: async (record, read, now) => {
          if (read !== undefined) return refreshedItem(kind, record, read, now)
          const name = nameIn(kind.refOf(record))
          const listed = (await deletions()).get(name)
          // Read separately once: the name may have been deleted after the list was read.
          const deletion = listed ?? (record.gone ? undefined : await cloud.deletion(place, name))
          return refreshedItem(kind, record, deletion && { ref: kind.refOf(record), deletion }, now)
        },
        found: async (read, now) => {
          if (await isBeingMade(domain, markOf(read.param))) return undefined
          // Ours: the cloud does not report whether it generated or imported a version's material. The origin of a
          // found version is therefore unknown, even if this service created other versions of its name.
          return newItem(kind, domain, vault, read, { id: uuid(now), now, key_material_origin: 'unknown' })
        },
        recorded: async (record, _read, now) => {
          if (record.is_latest) await overtaken(kind, domain, record, now)
        },
      }
    },
    noted: (vault, _regions, now, changes, domain) => {
      // Found keys get the job of their vault.
      if (kind.withJob !== undefined && vault.labels !== undefined)
        vaultAlignment.stage(changes, domain, now, { vault_id: vault.id })
      const at = now.toISOString()
      return { ...vault, synchronized: { ...vault.synchronized, [kind.noun]: at }, refreshed_at: at }
    },
  })
