import { defined } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import { algorithmNamed, LOCAL_ALGORITHMS } from '../../../crypto/algorithms.ts'
import { objectTypeRow } from '../../../crypto/object-types.ts'
import { generateMaterial, type KeyMaterial } from '../../../crypto/key-material.ts'
import { Refusal } from '../../../base/errors.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import type { CreateKeyVersion, LocalKey, LocalKeySelector } from '../model.ts'
import type { Stored } from '../../../store/entity.ts'
import { localKeys, type StoredLocalKey } from '../store.ts'
import { later, reached } from '../../../base/time.ts'
import { assertAllowed } from '../../key-policies/binding.ts'
import { followSource } from '../../virtual-keys/follow-source.ts'
import { assertMayChange } from '../policies/access.ts'
import { certificateLinks } from '../record/certificate-links.ts'
import { loadedKeyUsers } from './key-users.ts'
import { findKey, otherHalf } from '../lists/find-key.ts'
import { assertUsageFits } from '../record/usage-fits.ts'
import { keyAsOf } from './key-state.ts'
import { assertNotLegacy } from '../record/legacy.ts'
import { materialFrom } from '../material/material-in.ts'
import { auditView, carriedOver, newRecord, originOf, publicRecord, stageRecord } from '../record/new-record.ts'
import { settledMeta } from '../policies/permission-groups.ts'
import { presentKey, subjectOf } from '../record/present-key.ts'

/**
 * Creates a new version that succeeds the latest one. Name, algorithm and size stay; the older version keeps its
 * material and state. Name and aliases move to the new version. The other half of a pair gets a new version too. A
 * private key without material gets its other half with its first material.
 * @param type of the reference. Callers with a record pass `id`: a name may equal another key's id or URI
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT unless Active, or for a key of a signing endpoint;
 * RULE_BROKEN if imported material differs in size, an EKM endpoint could not use the version, or for a legacy key
 * unless the deployment allows them
 */
export async function newVersion(
  context: Context,
  reference: string,
  body: CreateKeyVersion,
  type?: LocalKeySelector['type'],
): Promise<LocalKey> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const former = await latestForChange(context, reference, type)
  const key = former.item
  context.about(subjectOf(key, now))
  context.uses('RotateKey', presentKey(key, now)) // also for a call on an endpoint or a cloud key that rotates it
  const half = await otherHalf(domain, key)
  if (half && key.objectType === 'Public Key')
    throw new Refusal(
      'STATE_CONFLICT',
      'The public half of a pair is succeeded together with its private half: name that one.',
    )
  assertUsageFits(key, body)
  const material = await successorMaterial(context, key, body)
  try {
    assertNotLegacy(LOCAL_ALGORITHMS[material.algorithm], material.sizeBits)
    if (material.objectType !== key.objectType)
      throw new Refusal('RULE_BROKEN', `the material of a ${key.objectType} must be one as well`, {
        errors: [{ pointer: '#/material', detail: `must be a ${key.objectType}` }],
      })
    const particulars = particularsOf({ ...key, meta: await settledMeta(context, key) }, body, now)
    await assertAllowed(context, { ...material, usageMask: particulars.usageMask })
    const record = await newRecord(context, material, material, {
      ...particulars,
      version: key.version + 1,
      ...originOf(body),
      ...(key.objectType === 'Certificate' && { links: await certificateLinks(context, material) }),
    })
    const isPair = half !== undefined || (key.objectType === 'Private Key' && key.emptyMaterial)
    const pair = isPair ? await publicRecord(context, record, material, half?.item) : undefined
    changes.update(localKeys, domain, former, succeeded(key, now))
    if (half) changes.update(localKeys, domain, half, succeeded(half.item, now))
    stageRecord(context, pair?.own ?? record)
    if (pair) stageRecord(context, pair.other)
    await followSource(context, record)
    for (const { follow } of await loadedKeyUsers()) await follow?.(context, key, record)
    context.about({ uri: record.uri, name: record.name, before: auditView(key), after: auditView(record) })
    return presentKey(pair?.own ?? record, now)
  } finally {
    material.bytes.destroy()
  }
}

async function latestForChange(
  context: Context,
  reference: string,
  type: LocalKeySelector['type'],
): Promise<Stored<StoredLocalKey>> {
  const former = await findKey(context, reference, { type, version: -1 })
  assertMayChange(context.caller, former.item)
  assertIfMatch(context, former)
  const { state, archiveDate } = keyAsOf(former.item, context.now)
  if (state !== 'Active')
    throw new Refusal('STATE_CONFLICT', `Only an Active key gets a new version; this one is ${state}.`)
  if (archiveDate !== undefined) throw new Refusal('STATE_CONFLICT', 'An archived key gets no new version.')
  return former
}

async function successorMaterial(context: Context, key: StoredLocalKey, body: CreateKeyVersion): Promise<KeyMaterial> {
  const { algorithm, objectType, size, curveid, xts } = key
  const { isKey, isGenerated } = objectTypeRow(objectType)
  if (body.material !== undefined) {
    // Ours: bytes that are not a key, such as a password or the certificate of another key, may change in length
    const properties = { algorithm, objectType, ...(isKey && { size, curveid, xts }) }
    return materialFrom(context, { ...body, ...properties, material: body.material })
  }
  if (!isGenerated)
    throw new Refusal('RULE_BROKEN', `a ${objectType} is succeeded by one that is imported`, {
      errors: [{ pointer: '#/material', detail: `is required for a ${objectType}` }],
    })
  return generateMaterial(algorithmNamed(algorithm), { sizeBits: size, curve: curveid, xts })
}

/** The former version, without name and aliases. */
const succeeded = (key: StoredLocalKey, now: Date): StoredLocalKey => ({
  ...keyAsOf(key, now),
  latest: false,
  aliases: [],
  updatedAt: now.toISOString(),
})

const SHIFTED = ['processStartDate', 'protectStopDate', 'deactivationDate', 'destroyDate'] as const

/**
 * Dates of the successor: it is activated in `offset` seconds, and its other dates keep their distance from the
 * activation. Ours: if the former version already processes, the successor processes as soon as it is active, because
 * data encrypted with a key in use must not become unreadable.
 */
function datesOf(key: StoredLocalKey, offsetSeconds: number, now: Date): Partial<StoredLocalKey> {
  const activation = later(now, offsetSeconds * 1_000)
  const { activationDate } = key
  const shift = activationDate === undefined ? 0 : activation.getTime() - Date.parse(activationDate)
  const shifted = SHIFTED.flatMap((date) => {
    const time = key[date]
    const isOver = date === 'processStartDate' && reached(time, now)
    return time === undefined || activationDate === undefined || isOver
      ? []
      : [[date, new Date(Date.parse(time) + shift).toISOString()] as const]
  })
  return { activationDate: activation.toISOString(), ...Object.fromEntries(shifted) }
}

function particularsOf(
  key: StoredLocalKey,
  body: CreateKeyVersion,
  now: Date,
): Omit<Parameters<typeof newRecord>[3], 'version'> {
  const {
    processStartDate: _,
    protectStopDate: __,
    deactivationDate: ___,
    destroyDate: ____,
    ...carried
  } = carriedOver(key)
  const offsetSeconds = body.offset ?? 0
  const firstIndex = Math.max(-1, ...key.aliases.map(({ index }) => index)) + 1
  return {
    ...carried,
    ...(key.canary && { canary: true }),
    name: key.name,
    state: offsetSeconds > 0 ? 'Pre-Active' : 'Active',
    usageMask: body.usageMask ?? key.usageMask,
    aliases: [
      ...key.aliases,
      ...(body.aliases ?? []).map(({ alias, type }, at) => ({ alias, type, index: firstIndex + at })),
    ],
    labels: body.labels ?? key.labels,
    neverExportable: key.neverExportable,
    ...datesOf(key, offsetSeconds, now),
    ...defined({ uuid: body.uuid, muid: body.muid, defaultIV: body.defaultIV }),
  }
}
