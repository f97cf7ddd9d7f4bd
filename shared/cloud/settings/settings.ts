import { patched, without } from '../../base/fields.ts'
import { resourceUri } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import type { Kind } from '../../resource/kind.ts'
import { changeRecord, getRecord } from '../../resource/records.ts'
import type { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import {
  USUAL_BACKUPS,
  USUAL_NOTIFICATION,
  type BackupSettings,
  type ExpiryNotification,
  type UpdateBackupSettings,
  type UpdateExpiryNotification,
} from './model.ts'
import {
  BACKUPS,
  backupSettings,
  expiryLooks,
  expiryNotifications,
  type StoredBackups,
  type StoredNotification,
} from './store.ts'

/** `cloud_a_key_expiry_notification` for `cloud-a`. */
export const notificationName = (cloud: string): string => `${cloud.replaceAll('-', '_')}_key_expiry_notification`

const uriOf =
  (name: string) =>
  (domain: string): string =>
    resourceUri(domain, 'keymgr', 'settings', name)

/** A setting of every domain; revision 0 while it has its default. */
function notification(cloud: string): Kind<StoredNotification, object, ExpiryNotification> {
  const name = notificationName(cloud)
  return {
    entity: expiryNotifications,
    noun: 'setting',
    uri: uriOf(name),
    find: async ({ caller }) =>
      (await expiryNotifications.get(caller.domain.id, cloud)) ?? {
        item: { ...USUAL_NOTIFICATION, id: cloud },
        rev: 0,
      },
    nameOf: () => name,
    audited: ['enabled', 'notify_before'],
    present: (setting) => without(setting, 'id'),
  }
}

export const getNotification = (context: Context, cloud: string): Promise<Stored<ExpiryNotification>> =>
  getRecord(notification(cloud), context, cloud)

/** Stages that keys are checked from now on, or no longer. */
async function stageLook(changes: Changes, domain: string, cloud: string, isOn: boolean, now: Date): Promise<void> {
  const look = await expiryLooks.get(domain, cloud)
  const item = { id: cloud, nextAt: now.toISOString() }
  if (look === undefined && isOn) changes.create(expiryLooks, domain, item)
  else if (look !== undefined && isOn) changes.update(expiryLooks, domain, look, item)
  else if (look !== undefined) changes.remove(expiryLooks, domain, look)
}

/** @throws Refusal VERSION_STALE */
export async function updateNotification(
  context: Context,
  cloud: string,
  body: UpdateExpiryNotification,
): Promise<Stored<ExpiryNotification>> {
  const { caller, changes, now } = context
  const after = await changeRecord(notification(cloud), context, cloud, (setting) => patched(setting, body))
  await stageLook(changes, caller.domain.id, cloud, after.item.enabled, now)
  return after
}

const backups: Kind<StoredBackups, object, BackupSettings> = {
  entity: backupSettings,
  noun: 'setting',
  uri: uriOf(BACKUPS),
  find: async ({ caller }) =>
    (await backupSettings.get(caller.domain.id, BACKUPS)) ?? { item: { ...USUAL_BACKUPS, id: BACKUPS }, rev: 0 },
  nameOf: () => BACKUPS,
  audited: ['cloud_key_backup_limit', 'take_backup_on_sync'],
  present: (setting) => without(setting, 'id'),
}

export const getBackups = (context: Context): Promise<Stored<BackupSettings>> => getRecord(backups, context, BACKUPS)

/** @throws Refusal VERSION_STALE */
export const updateBackups = (context: Context, body: UpdateBackupSettings): Promise<Stored<BackupSettings>> =>
  changeRecord(backups, context, BACKUPS, (setting) => patched(setting, body))
