import { Refusal } from '../../../base/errors.ts'
import { defined, without } from '../../../base/fields.ts'
import { errorFields, log } from '../../../base/log.ts'
import { noLongerThere } from '../../../cloud/keys/find-key.ts'
import type { Home, NewKey } from '../../../cloud/keys/kind.ts'
import { reach } from '../../../cloud/keys/place.ts'
import { isUnread } from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { refOf as refOfVersion } from '../adapter/names.ts'
import { NAME } from '../name.ts'
import { openVault } from '../place.ts'
import { vaultKind } from '../vaults/kind.ts'
import type { StoredCloudBVault } from '../vaults/store.ts'
import {
  nameIn,
  newItem,
  refreshedItem,
  subjectOf,
  versionsIn,
  VIEW,
  type ItemKind,
  type Items,
  type ItemTypes,
  type StoredItem,
} from './item.ts'
import { followItem, followName, recordsOf, succeed } from './one-name.ts'

/** Refuses actions on the key or secret of a certificate. @throws Refusal STATE_CONFLICT */
const assertOfItself = ({ cloud_b_param: { managed } }: StoredItem, noun: string): void => {
  if (managed === true)
    throw new Refusal('STATE_CONFLICT', `The ${noun} belongs to a certificate, which alone can be changed.`)
}

/** The record as callers see it: synchronized when it was read itself, or later with the whole vault. */
function presentItem<T extends ItemTypes>(
  { noun, hidden = [] }: Items<T>,
  { item, rev }: Stored<T['key']>,
  vault: StoredCloudBVault | undefined,
): Stored<T['shown']> {
  const whole = vault?.synchronized[noun]
  const isLater = whole !== undefined && Date.parse(whole) > Date.parse(item.syncedAt) && !isUnread(item)
  const { labels, backup_job_config_id } = item
  const shown = {
    ...without(item, 'backup_job_config_id', ...hidden),
    ...(backup_job_config_id !== undefined && { labels: { ...labels, backup_job_config_id } }),
    deleted: item.status === 'DELETED',
    soft_delete_enabled: vault?.soft_delete_enabled ?? false,
    ...(noun === 'key' && { key_soft_deleted_in_azure: item.status === 'SOFT-DELETED' }),
    syncedAt: isLater ? whole : item.syncedAt,
  }
  return { item: shown, rev }
}

/** The record of a version that this service created. Stages that it succeeds the former versions of its name. */
async function made<T extends ItemTypes>(
  kind: ItemKind<T>,
  { caller, changes, now }: Context,
  vault: StoredCloudBVault,
  read: T['read'],
  { id, source, known }: NewKey,
): Promise<T['key']> {
  const domain = caller.domain.id
  const records = await recordsOf(kind.entity, domain, vault.id, nameIn(read.ref))
  const others = records.filter(({ item }) => kind.refOf(item) !== read.ref)
  const inherited = read.is_latest ? succeed(kind, changes, domain, others, now) : {}
  const origin = source === undefined ? 'native' : 'keymgr'
  const particulars = { created_by: caller.username, ...source, ...inherited, ...known }
  const item = newItem(kind, domain, vault, read, { id, now, key_material_origin: origin }, particulars)
  return kind.withJob?.(vault, item) ?? item
}

/**
 * Updates the records of a name after a refusal: the item that has the name now may be its reason. Ours: a refusal of
 * this read is only logged, because the caller gets the first refusal anyway.
 */
async function followRefused<T extends ItemTypes>(
  kind: ItemKind<T>,
  context: Context,
  home: Home,
  name: string,
): Promise<void> {
  const vaultId = home.container
  if ((await recordsOf(kind.entity, context.caller.domain.id, vaultId, name)).length === 0) return
  try {
    await followName(kind, context, { vaultId, name, place: await reach(kind, context, home) })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    log('warn', 'a name is not read after a refusal', errorFields(error))
  }
}

/** Keys, secrets or certificates, completed with the members that the common verbs need. */
export function itemKind<T extends ItemTypes>(items: Items<T>): ItemKind<T> {
  const { noun, cloud, nameOf } = items
  const kind: ItemKind<T> = {
    ...items,
    service: NAME,
    containers: vaultKind,
    containerIdOf: ({ key_vault_id }) => key_vault_id,
    setOf: (vaultId) => `vault:${vaultId}`,
    familyOf: versionsIn,
    viewOf: () => VIEW,
    subjectOf: (item) => subjectOf(noun, item.key_vault_id, nameOf(item)),
    auditView: ({ key_vault, version, status, is_latest, gone, backup, ...item }) => ({
      key_vault,
      version,
      status,
      is_latest,
      gone,
      ...defined({ rotation_job: item.labels, backup_job: item.backup_job_config_id, backup }),
      ...('local_key_id' in item && { local_key_id: item.local_key_id }), // only keys have it
      attributes: item.cloud_b_param.attributes,
      tags: item.cloud_b_param.tags,
    }),
    showsUnchanged: true,
    honoursIfMatch: true,
    present: (stored, vault) => presentItem(items, stored, vault),
    assertManaged: (item) => {
      if (item.gone) throw noLongerThere()
      assertOfItself(item, noun)
    },
    refOf: (item) => refOfVersion(nameOf(item), item.version),
    open: openVault,
    read: async (place, ref) => {
      const read = await cloud.read(place, ref)
      if (read !== undefined) return read
      const deletion = await cloud.deletion(place, nameIn(ref))
      return deletion && { ref, deletion }
    },
    wholeOf: (_place, read) => read,
    // A created item is live, so `whole` is a full description.
    made: (context, vault, whole, facts) => made(kind, context, vault, whole as T['read'], facts),
    refreshed: ({ now }, item, whole) => refreshedItem(items, item, whole ?? undefined, now),
    /** If another party deleted a name, all of its versions are deleted. */
    afterRefusal: async (context, item, whole) => {
      if (whole === null || 'deletion' in whole) await followItem(kind, context, item)
    },
    /** Ours: no single version can be deleted, so one that cannot be finished is disabled, and recorded. */
    withdraw: async (place, ref) => cloud.update(place, ref, { attributes: { enabled: false } }),
    notMade: (context, home, { name }) => followRefused(kind, context, home, name),
  }
  return kind
}
