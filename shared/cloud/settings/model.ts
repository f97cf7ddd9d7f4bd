import * as z from 'zod'
import { byName } from '../../base/fields.ts'
import { listOf, Time } from '../../http/common-fields.ts'
import { listQuery } from '../../http/lists/list-query.ts'
import { LIVES } from '../../vault/keys/lists/totals.ts'
import { object, strictObject } from '../../base/lazy-fields.ts'

/** Ours: the API specifies neither value. */
const NOTICE_DAYS = { most: 365, usual: 30 }
const BACKUPS = { most: 50, usual: 10 }

const NotifyBefore = z.int().min(1).max(NOTICE_DAYS.most).meta({ description: 'days before the end of a key' })

/** Whether keys that expire cause an audit record, which raises an alarm. */
export const ExpiryNotification = object(() => ({
  enabled: z.boolean(),
  notify_before: NotifyBefore,
  updatedAt: Time.optional(),
}))
export type ExpiryNotification = z.infer<typeof ExpiryNotification>
export const UpdateExpiryNotification = strictObject(() => ({
  enabled: z.boolean().optional(),
  notify_before: NotifyBefore.optional(),
}))
export type UpdateExpiryNotification = z.infer<typeof UpdateExpiryNotification>

const BackupLimit = z
  .int()
  .min(1)
  .max(BACKUPS.most)
  .meta({ description: 'number of backups of each key, in containers added later' })
const TakeOnSync = z
  .boolean()
  .meta({ description: 'whether synchronizations of keys take backups unless they state otherwise; cloud-b' })

export const BackupSettings = object(() => ({
  cloud_key_backup_limit: BackupLimit,
  take_backup_on_sync: TakeOnSync,
  updatedAt: Time.optional(),
}))
export type BackupSettings = z.infer<typeof BackupSettings>
export const UpdateBackupSettings = strictObject(() => ({
  cloud_key_backup_limit: BackupLimit.optional(),
  take_backup_on_sync: TakeOnSync.optional(),
}))
export type UpdateBackupSettings = z.infer<typeof UpdateBackupSettings>

/** The default of a domain. */
export const USUAL_NOTIFICATION: ExpiryNotification = { enabled: false, notify_before: NOTICE_DAYS.usual }
export const USUAL_BACKUPS: BackupSettings = { cloud_key_backup_limit: BACKUPS.usual, take_backup_on_sync: false }

const KeyCount = z.int().min(0)

/** The keys of one place, counted once each, that the caller may see. */
const KeyTotalsOfPlace = object(() => ({
  place: z.string().meta({ description: '`local`, or the name of a cloud' }),
  total: KeyCount,
  lives: z
    .object(byName(LIVES, () => KeyCount))
    .meta({ description: 'the same by life, in words common to all places' }),
  complete: z.boolean().meta({ description: 'false: more keys exist than a list can read' }),
}))
export const KeyTotalsOfPlaces = listOf(KeyTotalsOfPlace)
export const KeyTotalsQuery = listQuery(KeyTotalsOfPlace, () => ({}))

const CloudUnit = object(() => ({
  cloud_name: z.string(),
  used: z.int().meta({ description: 'keys on record' }),
  limit: z.int().meta({ description: '-1: none exists' }),
}))
export const CloudUnits = listOf(CloudUnit)
export const CloudUnitQuery = listQuery(CloudUnit, () => ({}))
export type CloudUnitQuery = z.infer<typeof CloudUnitQuery>
