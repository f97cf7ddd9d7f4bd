import { uuid, commonFields, resourceUri } from '../../../base/ids.ts'
import { without } from '../../../base/fields.ts'
import { notThere, Refusal } from '../../../base/errors.ts'
import { findKey, findKeyFor, type Found } from '../../../cloud/keys/find-key.ts'
import { reachKey } from '../../../cloud/keys/place.ts'
import type { Context } from '../../../http/context.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import type { ListQuery } from '../../../http/lists/list-query.ts'
import { listedWhole, type ResourceList } from '../../../resource/listed.ts'
import { sealFor } from '../../../keyring/domain-key.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertIs } from '../items/item-actions.ts'
import type { ItemKind, ItemTypes } from '../items/item.ts'
import { latestOf, recordsOf } from '../items/one-name.ts'
import type { BackupWords, CloudBBackup } from './model.ts'
import {
  BACKUP_BYTES_MOST,
  backupBytes,
  backupsOf,
  bytesPurpose,
  cloudBBackups,
  dropBackups,
  type BackedName,
  type StoredBackup,
} from './store.ts'

/**
 * Ours: old backups that one transaction removes together with a new one. There are more only after a limit was
 * lowered.
 */
const DROPPED_MOST = 5

export const nameOfItem = <T extends ItemTypes>(kind: ItemKind<T>, item: T['key']): BackedName => ({
  noun: kind.noun,
  vault_id: item.key_vault_id,
  item_name: kind.nameOf(item),
})

const present = ({ item, rev }: Stored<StoredBackup>): Stored<CloudBBackup> => ({
  item: without(item, 'noun', 'vault_id', 'item_name'),
  rev,
})

function tell({ about }: Pick<Context, 'about'>, backup: StoredBackup, before?: StoredBackup, isGone = false): void {
  const told = ({ name, description, item_name, key_version, size }: StoredBackup) => ({
    name,
    description,
    of: item_name,
    key_version,
    size,
  })
  const after = isGone ? {} : { after: told(backup) }
  about({ uri: backup.uri, name: backup.name ?? backup.item_name, ...(before && { before: told(before) }), ...after })
}

/**
 * Stages a reference to a name's newest backup in the record of its latest version. @returns the record, if it exists
 */
async function tellNewest<T extends ItemTypes>(
  kind: ItemKind<T>,
  { caller, changes, now }: Pick<Context, 'caller' | 'changes' | 'now'>,
  { vault_id, item_name }: BackedName,
  newest: StoredBackup | undefined,
): Promise<Stored<T['key']> | undefined> {
  const domain = caller.domain.id
  const before = latestOf(await recordsOf(kind.entity, domain, vault_id, item_name))
  if (before === undefined) return undefined
  const link = newest && { backup: newest.id, backup_at: newest.createdAt }
  const after = { ...without(before.item, 'backup', 'backup_at'), ...link, updatedAt: now.toISOString() } as T['key']
  changes.update(kind.entity, domain, before, after)
  return { item: after, rev: before.rev + 1 }
}

/** A backup from the cloud, sealed. Made once per request. */
interface Taken {
  readonly id: string
  readonly sealed: string
  readonly size: number
  readonly version: string
}

async function take<T extends ItemTypes>(kind: ItemKind<T>, context: Context, item: T['key']): Promise<Taken> {
  const place = await reachKey(kind, context, item)
  const { cloud } = kind
  const name = kind.nameOf(item)
  const latest = (await cloud.versions(place, name)).at(-1) // read first, so that the backup has at least this version
  if (latest === undefined) throw new Refusal('STATE_CONFLICT', `The cloud no longer has this ${kind.noun}.`)
  const bytes = await cloud.backup(place, name)
  if (bytes.length > BACKUP_BYTES_MOST)
    throw new Refusal(
      'STATE_CONFLICT',
      `The backup has ${bytes.length} bytes, and at most ${BACKUP_BYTES_MOST} are kept: there are too many versions.`,
    )
  const id = uuid(context.now)
  const sealed = await sealFor(context.caller.domain.id, bytesPurpose({ id }), bytes)
  return { id, sealed, size: bytes.length, version: latest.slice(name.length + 1) }
}

/**
 * Takes a backup of all versions of a name, and removes the oldest beyond the vault's limit. Ours: requires the
 * permission to update, since backups have none of their own.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT unless the name is live and its backup can be stored, and
 * refusals of the cloud
 */
export async function takeBackup<T extends ItemTypes>(
  kind: ItemKind<T>,
  context: Context,
  id: string,
  words: BackupWords = {},
): Promise<Stored<CloudBBackup>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { stored, container } = await findKeyFor(kind, context, id, `${kind.noun}update`)
  kind.assertManaged(stored.item)
  assertIs(stored.item, 'ACTIVE', kind.noun)
  const taken = await context.once(`backup of ${kind.noun} ${id}`, () => take(kind, context, stored.item))
  const name = nameOfItem(kind, stored.item)
  const backup: StoredBackup = {
    ...commonFields(domain, taken.id, resourceUri(domain, 'keymgr', 'cloud-b-backup', taken.id), now),
    ...name,
    ...words,
    key_id: id,
    key_version: taken.version,
    size: taken.size,
  }
  const latest = await tellNewest(kind, context, name, backup)
  const whole = { ...backup, key_id: latest?.item.id ?? id }
  changes.rely(kind.containers.entity, domain, container) // fails while its records are being removed
  changes.create(cloudBBackups, domain, whole)
  changes.create(backupBytes, domain, { id: taken.id, vault_id: name.vault_id, sealed: taken.sealed })
  const former = await backupsOf(domain, name)
  const beyond = Math.max(0, former.length + 1 - container.item.cloud_key_backup_limit)
  await dropBackups(changes, domain, former.slice(0, Math.min(beyond, DROPPED_MOST)))
  tell(context, whole)
  return present({ item: whole, rev: 1 })
}

const noBackup = (): Refusal => notThere('There is no such backup.')

const isOf = (name: BackedName, backup: StoredBackup): boolean =>
  backup.noun === name.noun &&
  backup.vault_id === name.vault_id &&
  backup.item_name.toLowerCase() === name.item_name.toLowerCase()

/** A backup of a version's name, whichever of its versions is given. @throws Refusal NOT_FOUND */
export async function backupOf<T extends ItemTypes>(
  kind: ItemKind<T>,
  { caller }: Pick<Context, 'caller'>,
  { stored }: Found<T>,
  backupId: string,
): Promise<Stored<StoredBackup>> {
  const backup = await cloudBBackups.get(caller.domain.id, backupId)
  if (backup === undefined || !isOf(nameOfItem(kind, stored.item), backup.item)) throw noBackup()
  return backup
}

/** Stages the removal of a backup. @returns the record of the latest version, if it exists */
export async function dropBackup<T extends ItemTypes>(
  kind: ItemKind<T>,
  context: Context,
  backup: Stored<StoredBackup>,
): Promise<Stored<T['key']> | undefined> {
  const domain = context.caller.domain.id
  const left = (await backupsOf(domain, backup.item)).filter(({ item }) => item.id !== backup.item.id)
  await dropBackups(context.changes, domain, [backup])
  tell(context, backup.item, backup.item, true)
  return tellNewest(kind, context, backup.item, left.at(-1)?.item)
}

/** The verbs of the backups of keys, secrets or certificates. */
export const backupVerbs = <T extends ItemTypes>(kind: ItemKind<T>) => {
  const removal = `${kind.noun}backupdelete`
  return {
    take: (context: Context, id: string, words: BackupWords) => takeBackup(kind, context, id, words),
    /** Backups of all versions, oldest first; also for a deleted name. @throws Refusal NOT_FOUND */
    list: async (context: Context, id: string, query: ListQuery): Promise<ResourceList<CloudBBackup>> => {
      const { stored } = await findKey(kind, context, id)
      const all = await backupsOf(context.caller.domain.id, nameOfItem(kind, stored.item))
      return listedWhole(
        all.map((backup) => present(backup).item),
        query,
        ({ createdAt }) => createdAt,
      )
    },
    /** @throws Refusal NOT_FOUND */
    get: async (context: Context, id: string, backupId: string): Promise<Stored<CloudBBackup>> =>
      present(await backupOf(kind, context, await findKey(kind, context, id), backupId)),
    /** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE */
    update: async (context: Context, id: string, backupId: string, words: BackupWords) => {
      const { changes, caller, now } = context
      const found = await findKeyFor(kind, context, id, `${kind.noun}update`)
      const before = await backupOf(kind, context, found, backupId)
      assertIfMatch(context, before)
      const item: StoredBackup = { ...before.item, ...words, updatedAt: now.toISOString() }
      changes.update(cloudBBackups, caller.domain.id, before, item)
      tell(context, item, before.item)
      return present({ item, rev: before.rev + 1 })
    },
    /** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE */
    remove: async (context: Context, id: string, backupId: string): Promise<void> => {
      const backup = await backupOf(kind, context, await findKeyFor(kind, context, id, removal), backupId)
      assertIfMatch(context, backup)
      await dropBackup(kind, context, backup)
    },
    /**
     * Removes the newest backup. @returns the given version @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
     * without any
     */
    removeNewest: async (context: Context, id: string): Promise<Stored<T['shown']>> => {
      const { stored, container } = await findKeyFor(kind, context, id, removal)
      const newest = (await backupsOf(context.caller.domain.id, nameOfItem(kind, stored.item))).at(-1)
      if (newest === undefined) throw noneStored(kind.noun)
      const latest = await dropBackup(kind, context, newest)
      return kind.present(latest?.item.id === id ? latest : stored, container.item)
    },
  }
}

export const noneStored = (noun: string): Refusal =>
  new Refusal('STATE_CONFLICT', `No backup of this ${noun} is stored.`)
