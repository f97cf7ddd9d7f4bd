import { algorithmRow, ALGORITHMS } from './algorithms.ts'
import type { Call } from './call.ts'
import { durationAt, objectAt, onlyKnown, timeAt, type Body } from './body.ts'
import { PROTECTION_LEVELS, wordOf, type Purpose } from './enums.ts'
import { invalid } from './errors.ts'
import { DAY_MS, type HeldKey } from './held.ts'

const HOUR_MS = 3_600_000
const ROTATION_MS = { least: 24 * HOUR_MS, most: 876_000 * HOUR_MS }
const DESTROY_MS = { least: DAY_MS, standard: 30 * DAY_MS, most: 120 * DAY_MS }
const LABELS_MOST = 64
const LABEL_NAME = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u
const LABEL_VALUE = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u

/** Template of a key's versions. @throws ApiError INVALID_ARGUMENT */
export function templateIn(body: Body, purpose: Purpose, before?: HeldKey['template']): HeldKey['template'] {
  const template = onlyKnown(objectAt(body, 'versionTemplate'), ['algorithm', 'protectionLevel'])
  const level = wordOf(PROTECTION_LEVELS, template.protectionLevel, 'crypto_key.version_template.protection_level')
  const standard = purpose === 'ENCRYPT_DECRYPT' ? 'GOOGLE_SYMMETRIC_ENCRYPTION' : undefined
  const algorithm = wordOf(ALGORITHMS, template.algorithm, 'crypto_key.version_template.algorithm') ?? standard
  const protectionLevel = level ?? before?.protectionLevel ?? 'SOFTWARE'
  if (before !== undefined && protectionLevel !== before.protectionLevel)
    throw invalid('The protection level of a CryptoKey cannot be changed.')
  if (algorithm === undefined) throw invalid('crypto_key.version_template.algorithm must be set.')
  const row = algorithmRow(algorithm)
  if (row.purpose !== purpose) throw invalid(`The algorithm ${algorithm} cannot be used with purpose ${purpose}.`)
  if (row.hardwareOnly === true && protectionLevel !== 'HSM')
    throw invalid(`The algorithm ${algorithm} is only supported with protection level HSM.`)
  return { algorithm, protectionLevel }
}

/** Keys of a cipher without authentication need a special permission. @throws ApiError PERMISSION_DENIED */
export function requireExpert(call: Pick<Call, 'require'>, algorithm: string | undefined, resource: string): void {
  const permission = algorithm === undefined ? undefined : algorithmRow(algorithm).permission
  if (permission !== undefined) call.require(permission, resource)
}

/** @throws ApiError INVALID_ARGUMENT */
export function labelsIn(body: Body): Readonly<Record<string, string>> {
  const labels = Object.entries(objectAt(body, 'labels'))
  const isGood = (entry: [string, unknown]): entry is [string, string] =>
    typeof entry[1] === 'string' && LABEL_NAME.test(entry[0]) && LABEL_VALUE.test(entry[1])
  if (labels.length > LABELS_MOST || !labels.every(isGood)) throw invalid('The labels are not valid.')
  return Object.fromEntries(labels)
}

type Rotation = Pick<HeldKey, 'nextRotationAt' | 'rotationPeriodMs'>

/** @throws ApiError INVALID_ARGUMENT */
export function rotationIn(body: Body): Rotation {
  return { nextRotationAt: timeAt(body, 'nextRotationTime'), rotationPeriodMs: durationAt(body, 'rotationPeriod') }
}

/** Requires that the key supports this automatic rotation. @throws ApiError INVALID_ARGUMENT */
export function requireRotation(
  { purpose, importOnly }: Pick<HeldKey, 'purpose' | 'importOnly'>,
  { nextRotationAt, rotationPeriodMs }: Rotation,
  now: number,
): void {
  if (nextRotationAt === undefined && rotationPeriodMs === undefined) return
  if (purpose !== 'ENCRYPT_DECRYPT' || importOnly)
    throw invalid('Automatic rotation is only supported for keys of purpose ENCRYPT_DECRYPT that are not import-only.')
  if (rotationPeriodMs !== undefined) {
    if (rotationPeriodMs < ROTATION_MS.least || rotationPeriodMs > ROTATION_MS.most)
      throw invalid('The rotation period must be at least 24 hours and at most 876,000 hours.')
    if (nextRotationAt === undefined) throw invalid('rotation_period needs next_rotation_time.')
  }
  if (nextRotationAt !== undefined && nextRotationAt <= now) throw invalid('next_rotation_time must be in the future.')
}

/** Waiting time of versions before their destruction. @throws ApiError INVALID_ARGUMENT */
export function destroyMsIn(body: Body, importOnly: boolean): number {
  const wanted = durationAt(body, 'destroyScheduledDuration')
  if (wanted === undefined) return DESTROY_MS.standard
  const least = importOnly ? 0 : DESTROY_MS.least
  if (wanted >= least && wanted <= DESTROY_MS.most) return wanted
  throw invalid('destroy_scheduled_duration must be between 24 hours and 120 days.')
}
