import type { VersionState } from './enums.ts'
import { isPending, nextNumber, type HeldKey, type HeldVersion } from './held.ts'

/** A pending state ends after this time, however few reads there are. */
const DONE_AFTER_MS = 60_000

/** A new version of a key. It can be stored at once: its bytes are generated at first use. */
export function newVersion(key: HeldKey, now: number, looksLeft: number): HeldVersion {
  const { algorithm, protectionLevel } = key.template
  const version: HeldVersion = {
    number: nextNumber(key),
    state: looksLeft > 0 ? 'PENDING_GENERATION' : 'ENABLED',
    algorithm,
    protectionLevel,
    createdAt: now,
    generatedAt: looksLeft > 0 ? undefined : now,
    looksLeft,
  }
  key.versions.push(version)
  return version
}

/** Applies the passage of time to a key. @returns whether it changed */
export function settle(key: HeldKey, now: number): boolean {
  const changes = key.versions.map((version) => destroyed(version, now) || overdue(version, now))
  return rotated(key, now) || changes.includes(true)
}

function destroyed(version: HeldVersion, now: number): boolean {
  if (version.state !== 'DESTROY_SCHEDULED' || (version.destroyAt ?? Infinity) > now) return false
  destroyNow(version, version.destroyAt ?? now)
  return true
}

/** Destroys the bytes but keeps their digest. */
export function destroyNow(version: HeldVersion, at: number): void {
  version.bytes?.fill(0)
  Object.assign(version, {
    state: 'DESTROYED' satisfies VersionState,
    destroyAt: undefined,
    destroyedAt: at,
    bytes: undefined,
  })
}

function overdue(version: HeldVersion, now: number): boolean {
  const since = version.state === 'PENDING_IMPORT' ? (version.importedAt ?? version.createdAt) : version.createdAt
  return isPending(version) && now - since >= DONE_AFTER_MS && finish(version, now)
}

/** Counts one read of a pending version. After the last such read it is no longer pending. */
export function look(version: HeldVersion, now: number): boolean {
  if (!isPending(version)) return false
  if (version.looksLeft > 0) {
    version.looksLeft--
    return true
  }
  return finish(version, now)
}

function finish(version: HeldVersion, now: number): boolean {
  const { verdict } = version
  version.looksLeft = 0
  version.verdict = undefined
  if (version.state === 'PENDING_GENERATION') {
    version.state = 'ENABLED'
    version.generatedAt = now
  } else if (verdict !== undefined && 'bytes' in verdict) {
    version.state = 'ENABLED'
    version.importedAt = now
    version.bytes = verdict.bytes
    version.destroyedAt = undefined
  } else {
    version.state = 'IMPORT_FAILED'
    version.importFailure = verdict?.failure ?? 'The import did not finish.'
  }
  return true
}

/** Rotates a key when it is due. One version replaces all missed rotations, at the time of the first. */
function rotated(key: HeldKey, now: number): boolean {
  const { nextRotationAt: at, rotationPeriodMs: periodMs } = key
  if (at === undefined || at > now || key.importOnly) return false
  key.primary = newVersion(key, at, 0).number
  key.nextRotationAt = periodMs === undefined ? undefined : at + Math.ceil((now - at + 1) / periodMs) * periodMs
  return true
}
