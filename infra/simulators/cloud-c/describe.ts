import { isPending, JOB_LIFE_MS, primaryOf } from './held.ts'
import type { HeldJob, HeldKey, HeldRing, HeldVersion } from './held.ts'

const iso = (at: number): string => new Date(at).toISOString()
const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 1000)}s`

/** Non-empty members: the wire omits empty lists, maps and texts, and `false`. */
const there = (members: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) =>
        value !== undefined &&
        value !== false &&
        value !== '' &&
        !(typeof value === 'object' && value !== null && Object.keys(value).length === 0),
    ),
  )

export const describeRing = ({ name, createdAt }: HeldRing): object => ({ name, createTime: iso(createdAt) })

export const versionName = (key: Pick<HeldKey, 'name'>, { number }: Pick<HeldVersion, 'number'>): string =>
  `${key.name}/cryptoKeyVersions/${number}`

/** Whether the same bytes may be imported again. */
export const mayComeAgain = ({ state, importJob }: HeldVersion): boolean =>
  importJob !== undefined && (state === 'DESTROYED' || state === 'IMPORT_FAILED')

export const describeVersion = (key: Pick<HeldKey, 'name'>, version: HeldVersion): object =>
  there({
    name: versionName(key, version),
    state: version.state,
    createTime: iso(version.createdAt),
    protectionLevel: version.protectionLevel,
    algorithm: version.algorithm,
    generateTime: version.generatedAt !== undefined && iso(version.generatedAt),
    destroyTime: version.destroyAt !== undefined && iso(version.destroyAt),
    destroyEventTime: version.destroyedAt !== undefined && version.state === 'DESTROYED' && iso(version.destroyedAt),
    importJob: version.importJob,
    importTime: version.importedAt !== undefined && !isPending(version) && iso(version.importedAt),
    importFailureReason: version.state === 'IMPORT_FAILED' && version.importFailure,
    reimportEligible: mayComeAgain(version),
  })

export function describeKey(key: HeldKey): object {
  const primary = primaryOf(key)
  return there({
    name: key.name,
    primary: primary && describeVersion(key, primary),
    purpose: key.purpose,
    createTime: iso(key.createdAt),
    nextRotationTime: key.nextRotationAt !== undefined && iso(key.nextRotationAt),
    rotationPeriod: key.rotationPeriodMs !== undefined && seconds(key.rotationPeriodMs),
    versionTemplate: key.template,
    labels: key.labels,
    importOnly: key.importOnly,
    destroyScheduledDuration: seconds(key.destroyMs),
  })
}

/** @param pem of the public key, once it exists */
export function describeJob(job: HeldJob, now: number, pem: string | undefined): object {
  const endsAt = job.createdAt + JOB_LIFE_MS
  const isOver = endsAt <= now
  const isThere = pem !== undefined
  return there({
    name: job.name,
    importMethod: job.method,
    protectionLevel: job.protectionLevel,
    createTime: iso(job.createdAt),
    generateTime: isThere && iso(job.createdAt),
    expireTime: iso(endsAt),
    expireEventTime: isOver && iso(endsAt),
    state: isOver ? 'EXPIRED' : isThere ? 'ACTIVE' : 'PENDING_GENERATION',
    publicKey: isThere && !isOver && { pem },
  })
}
