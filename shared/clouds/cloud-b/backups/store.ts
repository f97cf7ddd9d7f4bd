import * as z from 'zod'
import { openFor } from '../../../keyring/domain-key.ts'
import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import type { Changes } from '../../../store/changes.ts'
import { entity, type Stored } from '../../../store/entity.ts'
import { extended, object } from '../../../base/lazy-fields.ts'
import { versionsIn, type ItemNoun } from '../items/item.ts'
import { recordsOf } from '../items/one-name.ts'
import { CloudBBackup } from './model.ts'

const StoredBackup = extended(CloudBBackup, () => ({
  noun: z.enum(['key', 'secret', 'certificate']),
  vault_id: z.string(),
  item_name: z.string(),
}))
export type StoredBackup = z.infer<typeof StoredBackup>

/** A name in a vault: the subject of backups. */
export type BackedName = Pick<StoredBackup, 'noun' | 'vault_id' | 'item_name'>

/** The set of the backups of a vault's keys, secrets or certificates. */
export const backupsIn = (noun: ItemNoun, vaultId: string): string => `${noun} ${vaultId}`

/**
 * Reads served: a backup by id; those of one name, oldest first; those of a vault; all. They belong to a name in a
 * vault, so they outlive its versions and are removed with the vault.
 */
export const cloudBBackups = entity({
  name: 'cloud-b-backup',
  schema: StoredBackup,
  id: ({ id }) => id,
  sets: ({ noun, vault_id }) => ['all', backupsIn(noun, vault_id)],
  families: ({ id, noun, vault_id, item_name }) => [
    { name: versionsIn(vault_id), key: `${noun} ${item_name.toLowerCase()}/${id}` },
  ],
  row: ({ id, vault_id, createdAt }) => ({ id, vault_id, createdAt }),
})

/**
 * Ours: a table item has at most 400 KB, and sealed bytes are a third longer in Base64. The cloud's backups have a few
 * KB for each version, and a secret value has at most 25 KB.
 */
export const BACKUP_BYTES_MOST = 262_144

const BackupBytes = object(() => ({ id: z.string(), vault_id: z.string(), sealed: z.string() }))

/**
 * Reads served: the bytes of a backup by its id; those of a vault; all. A separate item, so that lists do not read
 * them.
 */
export const backupBytes = entity({
  name: 'cloud-b-backup-bytes',
  schema: BackupBytes,
  id: ({ id }) => id,
  sets: () => ['all'],
  families: ({ id, vault_id }) => [{ name: versionsIn(vault_id), key: id }],
  row: ({ id }) => ({ id }),
})

export const bytesPurpose = ({ id }: { readonly id: string }): string[] => ['cloud-b-backup', id]
export const sealedBackups = sealingFieldAgain(backupBytes, 'all', bytesPurpose)

/** The bytes of a backup; `undefined` when it was deleted. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export async function bytesOf(domain: string, id: string): Promise<Buffer | undefined> {
  const stored = await backupBytes.get(domain, id)
  return stored && openFor(domain, bytesPurpose({ id }), stored.item.sealed)
}

/** The backups of a name, oldest first. */
export const backupsOf = (domain: string, { noun, vault_id, item_name }: BackedName): Promise<Stored<StoredBackup>[]> =>
  recordsOf(cloudBBackups, domain, vault_id, `${noun} ${item_name}`)

/** Stages the removal of backups, with their bytes. */
export async function dropBackups(
  changes: Changes,
  domain: string,
  backups: readonly Stored<StoredBackup>[],
): Promise<void> {
  const ids = backups.map(({ item }) => item.id)
  for (const backup of backups) changes.remove(cloudBBackups, domain, backup)
  for (const bytes of await backupBytes.getMany(domain, ids)) changes.remove(backupBytes, domain, bytes)
}
