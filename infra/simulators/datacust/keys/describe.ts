import type { HeldKey, HeldVersion } from '../state/held.ts'

/** The platform writes times without a zone. */
const timeText = (at: number): string => new Date(at).toISOString().replace('Z', '')

export const isRestoring = ({ restoringUntil }: HeldKey, now: number): boolean =>
  restoringUntil !== undefined && restoringUntil > now

/** The newest version. */
export const newestOf = ({ versions }: HeldKey): HeldVersion | undefined => versions.at(-1)

function stateOf(key: HeldKey, now: number): string {
  if (isRestoring(key, now)) return 'RESTORING'
  return key.enabled ? 'ENABLED' : 'DISABLED'
}

/** A key as the platform shows it. */
export function describeKey(key: HeldKey, now: number, provider: string): object {
  const { curve, nativeId } = key
  return {
    ...{ id: key.id, name: key.name, description: key.description, groupId: key.groupId },
    ...{ type: key.type, size: key.size, ...(curve !== undefined && { curve }) },
    operations: [...key.operations].sort(),
    ...{ role: key.role, enabled: key.enabled, exportable: key.exportable, state: stateOf(key, now) },
    keystoreContext: { customerHeld: provider === 'CUSTOMER_HELD', ...(nativeId !== undefined && { nativeId }) },
    meta: {
      ...{ created: timeText(key.createdAt), lastModified: timeText(key.changedAt) },
      ...{ creatorId: key.creator.id, creatorName: key.creator.name, imported: key.imported },
      ...{ primaryVersion: newestOf(key)?.number ?? 0, totalVersions: key.versions.length },
      lastUsed: key.lastUsed === undefined ? null : timeText(key.lastUsed),
      ...{ beingRestored: isRestoring(key, now), templateGenerated: false, expired: false },
    },
  }
}

export const describeVersion = (key: HeldKey, { number, createdAt, enabled, operations, imported }: HeldVersion) => ({
  ...{ version: number, keyId: key.id, enabled, operations: [...operations].sort() },
  ...{ created: timeText(createdAt), imported, primary: newestOf(key)?.number === number },
})
