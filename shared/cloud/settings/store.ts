import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { entity } from '../../store/entity.ts'
import { removing, type PurgeStep } from '../../store/remove-some.ts'
import { extended, object } from '../../base/lazy-fields.ts'
import { BackupSettings, ExpiryNotification, USUAL_BACKUPS } from './model.ts'

const StoredNotification = extended(ExpiryNotification, () => ({ id: z.string() }))
export type StoredNotification = z.infer<typeof StoredNotification>

/** Supported reads: the setting of a domain for a cloud, by the cloud's name. */
export const expiryNotifications = entity({
  name: 'expiry-notification',
  schema: StoredNotification,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
})

export const NOTICE = { due: 'notice-key-expiry' } as const

const ExpiryLook = object(() => ({ id: z.string(), nextAt: Time }))

/**
 * Time of the next check of a cloud's keys. It is separate from the setting, whose ETag does not change. Supported
 * reads: by the cloud's name.
 */
export const expiryLooks = entity({
  name: 'expiry-look',
  schema: ExpiryLook,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
  due: ({ nextAt }) => ({ what: NOTICE.due, at: nextAt }),
})

export const BACKUPS = 'backups'
const StoredBackups = extended(BackupSettings, () => ({ id: z.literal(BACKUPS) }))
export type StoredBackups = z.infer<typeof StoredBackups>

/** Supported reads: the setting of a domain. */
export const backupSettings = entity({
  name: 'backup-settings',
  schema: StoredBackups,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
})

/** One read. */
const backupsOf = async (domain: string): Promise<BackupSettings> =>
  (await backupSettings.get(domain, BACKUPS))?.item ?? USUAL_BACKUPS

/** Number of backups that are kept of each key in a newly added container. */
export const backupLimitOf = async (domain: string): Promise<number> => (await backupsOf(domain)).cloud_key_backup_limit

/** Whether synchronizations of keys take backups unless they state otherwise. */
export const takesBackupsOnSync = async (domain: string): Promise<boolean> =>
  (await backupsOf(domain)).take_backup_on_sync

export const settingsPurge: readonly PurgeStep[] = [
  removing(expiryNotifications, 'all'),
  removing(expiryLooks, 'all'),
  removing(backupSettings, 'all'),
]
