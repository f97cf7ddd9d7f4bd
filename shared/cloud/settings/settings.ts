import { differences, patched, without } from '../../base/fields.ts'
import { resourceUri } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import type { Changes } from '../../store/changes.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import {
  USUAL_BACKUPS,
  USUAL_NOTIFICATION,
  type BackupSettings,
  type ExpiryNotification,
  type UpdateBackupSettings,
  type UpdateExpiryNotification,
} from './model.ts'
import { BACKUPS, backupSettings, expiryLooks, expiryNotifications } from './store.ts'

/** A document that every domain has: revision 0 while it is as usual. */
interface Document<T extends object> {
  readonly entity: Entity<T & { readonly id: string }, object>
  readonly id: string
  /** in its address */
  readonly name: string
  readonly usual: T
  readonly audited: readonly (keyof T & string)[]
}

async function read<T extends object>(
  { entity, id, usual }: Document<T>,
  domain: string,
): Promise<Stored<T & { readonly id: string }>> {
  return (await entity.get(domain, id)) ?? { item: { ...usual, id }, rev: 0 }
}

const shown = <T extends object>({ item, rev }: Stored<T & { readonly id: string }>): Stored<T> => ({
  item: without(item, 'id') as unknown as T, // the document is what is beside its id
  rev,
})

const get = async <T extends object>(document: Document<T>, { caller }: Context): Promise<Stored<T>> =>
  shown(await read(document, caller.domain.id))

async function update<T extends object>(document: Document<T>, context: Context, body: object): Promise<Stored<T>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const before = await read(document, domain)
  assertIfMatch(context, before)
  const item = { ...patched<T & { id: string }>(before.item, body), updatedAt: now.toISOString() }
  if (before.rev === 0) changes.create(document.entity, domain, item)
  else changes.update(document.entity, domain, before, item)
  const uri = resourceUri(domain, 'keymgr', 'settings', document.name)
  context.about({ uri, name: document.name, ...differences(before.item, item, document.audited) })
  return shown({ item, rev: before.rev + 1 })
}

/** `cloud_a_key_expiry_notification` of `cloud-a`. */
export const notificationName = (cloud: string): string => `${cloud.replaceAll('-', '_')}_key_expiry_notification`

const notification = (cloud: string): Document<ExpiryNotification> => ({
  entity: expiryNotifications,
  id: cloud,
  name: notificationName(cloud),
  usual: USUAL_NOTIFICATION,
  audited: ['enabled', 'notify_before'],
})

export const getNotification = (context: Context, cloud: string): Promise<Stored<ExpiryNotification>> =>
  get(notification(cloud), context)

/** Stages that keys are looked at from now on, or no more. */
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
  const after = await update(notification(cloud), context, body)
  await stageLook(changes, caller.domain.id, cloud, after.item.enabled, now)
  return after
}

const backups: Document<BackupSettings> = {
  entity: backupSettings as unknown as Document<BackupSettings>['entity'],
  id: BACKUPS,
  name: BACKUPS,
  usual: USUAL_BACKUPS,
  audited: ['cloud_key_backup_limit'],
}

export const getBackups = (context: Context): Promise<Stored<BackupSettings>> => get(backups, context)

/** @throws Refusal VERSION_STALE */
export const updateBackups = (context: Context, body: UpdateBackupSettings): Promise<Stored<BackupSettings>> =>
  update(backups, context, body)
