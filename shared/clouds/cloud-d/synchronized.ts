import { isFinal } from '../../base/attempts.ts'
import { Refusal } from '../../base/errors.ts'
import { without } from '../../base/fields.ts'
import { errorFields, log } from '../../base/log.ts'
import { requestBudget } from '../../cloud/budget.ts'
import { containerById } from '../../cloud/containers/find-container.ts'
import { synchronizedVersions } from '../../cloud/keys/versions/synchronize-versions.ts'
import type { Whole } from '../../cloud/keys/versions/kind.ts'
import type { Synchronized } from '../../work/synchronize/synchronized.ts'
import { cloudD } from './adapter.ts'
import type { CloudDPlace } from './adapter/types.ts'
import { isExternalVault } from './external/external.ts'
import { keyKind, type CloudDTypes } from './keys/kind.ts'
import type { CloudDKeyRow, StoredCloudDKey } from './keys/store.ts'
import { CONTAINER_LIST } from './name.ts'
import { openVault } from './place.ts'
import { vaultKind } from './vaults/kind.ts'
import type { StoredCloudDVault } from './vaults/store.ts'

type Read = Whole<CloudDTypes>

const keys = synchronizedVersions(keyKind, {
  may: 'keysynchronize',
  containerList: CONTAINER_LIST,
  isRead: (vault) => !isExternalVault(vault),
  locationOf: ({ region }) => region,
})

/** @throws Refusal STATE_CONFLICT for an external vault, whose keys the cloud does not have */
async function assertNoneExternal(domain: string, ids: readonly string[]): Promise<void> {
  for (const { item: vault } of await vaultKind.entity.getMany(domain, ids, 'leave out'))
    if (isExternalVault(vault))
      throw new Refusal('STATE_CONFLICT', `The vault ${vault.display_name} is external: its keys are here.`)
}

const STEADY: ReadonlySet<string> = new Set(['ENABLED', 'DISABLED'])

/** Whether keys of the vault are backed up. The cloud allows it only for virtual private vaults. */
const hasBackups = ({ vault_type, bucket_name }: StoredCloudDVault): boolean =>
  vault_type === 'VIRTUAL_PRIVATE' && bucket_name !== undefined

/** Whether a hardware key in a steady state has no backup, or one that lacks a version. */
const needsBackup = ({ backup_at }: StoredCloudDKey, { key: { param }, versions }: Read): boolean =>
  param.protection_mode === 'HSM' &&
  STEADY.has(param.lifecycle_state) &&
  (backup_at === undefined || versions.some((version) => version.param.time_created > backup_at))

/** Backs up the key if its backup is outdated. @returns the record, unchanged if the cloud refuses */
async function backedUp(
  place: CloudDPlace,
  record: StoredCloudDKey,
  read: Read | undefined,
  now: Date,
): Promise<StoredCloudDKey> {
  if (read === undefined || !needsBackup(record, read)) return record
  try {
    await cloudD.backup(place, read.key.ref)
  } catch (error) {
    if (!isFinal(error)) throw error
    log('warn', 'a key could not be backed up', { key: record.id, ...errorFields(error) })
    return record
  }
  return { ...record, backup_at: now.toISOString(), updatedAt: now.toISOString() }
}

/** The vault's record as the cloud describes it now; unchanged if the cloud does not show the vault. */
async function asDescribed(domain: string, vault: StoredCloudDVault, now: Date): Promise<StoredCloudDVault> {
  try {
    const place = await openVault(domain, vault, { now, budget: requestBudget(), patience: 'request' })
    const read = await cloudD.vault(place, vault.region, vault.vault_id)
    if (read === undefined) return vault
    const isMoved = read.compartment_id !== vault.compartment_id
    const compartment = isMoved ? await cloudD.compartment(place, read.compartment_id) : undefined
    return {
      ...without(vault, 'time_of_deletion'),
      ...read,
      name: read.display_name,
      compartment_name: isMoved ? (compartment?.name ?? '') : vault.compartment_name,
    }
  } catch (error) {
    if (error instanceof Refusal) return vault
    throw error
  }
}

/** Keys of vaults, with their versions and, if the vault has a bucket, their backups. */
export const cloudDSynchronized: Synchronized<Read, StoredCloudDKey, CloudDKeyRow> = {
  ...keys,
  named: async (context, references) => {
    const places = await keys.named(context, references)
    await assertNoneExternal(
      context.caller.domain.id,
      places.map(({ id }) => id),
    )
    return places
  },
  noteSynchronized: async (changes, domain, id, _regions, { now }) => {
    const stored = await vaultKind.entity.get(domain, id)
    if (stored === undefined) return
    const vault = await asDescribed(domain, stored.item, now)
    changes.update(vaultKind.entity, domain, stored, { ...vault, refreshed_at: now.toISOString() })
  },
  open: async (domain, container, region, when) => {
    await assertNoneExternal(domain, [container])
    const opened = await keys.open(domain, container, region, when)
    const { item: vault } = await containerById(vaultKind, domain, container)
    if (!hasBackups(vault)) return opened
    const place = await openVault(domain, vault, { ...when, patience: 'job' })
    return {
      ...opened,
      refreshed: async (record, read, now) => backedUp(place, await opened.refreshed(record, read, now), read, now),
      found: async (read, now) => {
        const record = await opened.found(read, now)
        return record && backedUp(place, record, read, now)
      },
    }
  },
}
