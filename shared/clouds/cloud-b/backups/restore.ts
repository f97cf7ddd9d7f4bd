import { defined } from '../../../base/fields.ts'
import { doOnce } from '../../../base/journal.ts'
import { notThere, Refusal, ruleBroken } from '../../../base/errors.ts'
import { tellOfKey, findKeyFor } from '../../../cloud/keys/find-key.ts'
import { answeredKeys, type KeySaga } from '../../../cloud/keys/kind.ts'
import { unlessRefused, unrecordedIn } from '../../../cloud/keys/creation.ts'
import { reach } from '../../../cloud/keys/place.ts'
import { shownKey } from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { refOf } from '../adapter/names.ts'
import type { CloudBPlace } from '../adapter/types.ts'
import { vaultBeyondKeys, vaultOfBody } from '../items/creation.ts'
import { vaultHome, type ItemKind, type ItemTypes, type StoredItem } from '../items/item.ts'
import { followName, latestOf, recordsOf } from '../items/one-name.ts'
import { nameOfItem, noneStored } from './change-backups.ts'
import type { RestoreItem } from './model.ts'
import { backupsOf, bytesOf, type StoredBackup } from './store.ts'

/** Input of a restore. */
interface Restore {
  readonly backup_id: string
  /** a version in the backup: once the vault has it, the backup is restored */
  readonly key_version: string
  readonly name: string
  readonly source_vault_id: string
  readonly vault_id: string
}

const RESTORED = 'restored'

/** The origin of a version's material, which is the same in every vault. */
const originOf = ({ created_by, key_material_origin, ...item }: StoredItem): object => ({
  key_material_origin,
  ...defined({ created_by }),
  ...Object.fromEntries(
    Object.entries(item).filter(([field]) => ['local_key_id', 'local_key_name', 'kek_kid'].includes(field)),
  ),
})

/** The backup to restore. @throws Refusal STATE_CONFLICT without any, NOT_FOUND */
function chosen(backups: readonly Stored<StoredBackup>[], noun: string, id: string | undefined): StoredBackup {
  const newest = backups.at(-1)
  if (newest === undefined) throw noneStored(noun)
  const backup = id === undefined ? newest : backups.find(({ item }) => item.id === id)
  if (backup === undefined)
    throw notThere('There is no such backup.', { pointer: '#/backup_id', detail: `is no backup of this ${noun}` })
  return backup.item
}

export interface Restoring<T extends ItemTypes> {
  readonly saga: KeySaga<T, Restore, true>
  readonly restore: (context: Context, id: string, body: RestoreItem) => Promise<Stored<T['shown']>>
}

/** Restores backups of keys, secrets or certificates into vaults. */
export function restoring<T extends ItemTypes>(kind: ItemKind<T>): Restoring<T> {
  const vaultOf = kind.noun === 'key' ? vaultOfBody : vaultBeyondKeys
  /** Records every version that the cloud has now; each record is written separately. */
  async function follow(context: Context, input: Restore, place: CloudBPlace): Promise<void> {
    const { name, source_vault_id, vault_id: vaultId } = input
    const known = await recordsOf(kind.entity, context.caller.domain.id, source_vault_id, name)
    const origins = new Map(known.map(({ item }) => [kind.refOf(item), originOf(item)]))
    await followName(kind, context, { vaultId, name, place }, { particularsOf: (ref) => origins.get(ref) })
  }
  const saga: KeySaga<T, Restore, true> = {
    name: `restore-cloud-b-${kind.noun}`,
    entity: answeredKeys(kind),
    lasting: [RESTORED],
    unrecorded: (context, { vault_id }, refs) => unrecordedIn(kind, context, vaultHome(vault_id), refs),
    run: async (context, input, journal) => {
      const { name, backup_id, key_version, vault_id } = input
      const place = await reach(kind, context, vaultHome(vault_id))
      const { cloud } = kind
      const restore = async (): Promise<unknown> => {
        const bytes = await bytesOf(context.caller.domain.id, backup_id)
        if (bytes === undefined) throw new Refusal('STATE_CONFLICT', 'The backup was deleted meanwhile.')
        return cloud.restore(place, bytes)
      }
      // versions keep their random ids, so another key of this name does not have them
      await doOnce(journal, RESTORED, restore, async () =>
        (await cloud.versions(place, name)).includes(refOf(name, key_version)),
      )
      await follow(context, input, place)
      return true
    },
    settle: async (context, { vault_id, name }) => {
      const latest = latestOf(await recordsOf(kind.entity, context.caller.domain.id, vault_id, name))
      if (latest === undefined) throw notThere(`The ${kind.noun} is not on record any more.`)
      tellOfKey(kind, context, latest.item)
      return shownKey(kind, context, latest)
    },
    /** Ours: a restored name stays, and is recorded: deleting it would not help the caller. */
    undo: async (context, input, journal) => {
      if (journal.noted(RESTORED) === undefined) return
      await unlessRefused(
        reach(kind, context, vaultHome(input.vault_id)).then((place) => follow(context, input, place)),
      )
    },
  }
  /**
   * Restores a name with all of its versions: a deleted name into any vault of its subscription, any other into another
   * vault. The cloud decides about the geography, and whether the name is free. Ours: a restore into its own vault
   * reuses the existing records of the versions.
   * @returns the latest version @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT, CLOUD_…
   */
  const restore: Restoring<T>['restore'] = (context, id, { key_vault, backup_id }) =>
    carryOut(context, saga, async () => {
      const may = `${kind.noun}restore`
      const { stored, container } = await findKeyFor(kind, context, id, may)
      const { item } = stored
      const vault = await vaultOf(context, key_vault, may)
      if (vault.subscription_id !== container.item.subscription_id)
        throw ruleBroken('key_vault', `must be a vault of the subscription ${container.item.subscription_id}`)
      if (vault.id === container.item.id && item.status !== 'DELETED')
        throw ruleBroken('key_vault', `must be another vault: in this one, the ${kind.noun} is ${item.status}`)
      const name = nameOfItem(kind, item)
      const backup = chosen(await backupsOf(context.caller.domain.id, name), kind.noun, backup_id)
      const input: Restore = {
        backup_id: backup.id,
        key_version: backup.key_version,
        name: name.item_name,
        source_vault_id: name.vault_id,
        vault_id: vault.id,
      }
      return { subject: `${kind.noun} ${vault.id} ${name.item_name}`, container: vault.id, input }
    })
  return { saga, restore }
}
