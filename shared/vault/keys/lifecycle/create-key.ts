import type { Context } from '../../../http/context.ts'
import {
  algorithmNamed,
  curveNamed,
  findAlgorithm,
  LOCAL_ALGORITHMS,
  requireSize,
  type AlgorithmRow,
} from '../../../crypto/algorithms.ts'
import { requireXtsSize } from '../../../crypto/xts.ts'
import { USAGE } from '../../../crypto/usage.ts'
import { generateMaterial, type KeyMaterial } from '../../../crypto/key-material.ts'
import { Refusal } from '../../../base/errors.ts'
import { localKeyId } from '../../../base/ids.ts'
import { KEY_DATES, type CreateLocalKey, type LocalKeyWithMaterial } from '../model.ts'
import type { StoredLocalKey } from '../store.ts'
import { reached } from '../../../base/time.ts'
import { isKeyAdmin } from '../policies/access.ts'
import { algorithmOf } from '../record/algorithm-rules.ts'
import { certificateLinks } from '../record/certificate-links.ts'
import { assertAllowed } from '../../key-policies/binding.ts'
import { assertExportable } from '../material/export-key.ts'
import { completed, type KeyWanted } from './completed.ts'
import { isDestroyed } from './key-state.ts'
import { assertNotLegacy, isWhollyLegacy } from '../record/legacy.ts'
import { pointingAt } from '../material/material.ts'
import { materialFrom } from '../material/material-in.ts'
import { materialFor } from '../material/material-out.ts'
import {
  auditView,
  newRecord,
  originOf,
  publicName,
  publicRecord,
  stageRecord,
  type NamedAt,
  type Shape,
} from '../record/new-record.ts'
import { presentKey } from '../record/present-key.ts'

const NAME_CHARACTERS = 255

interface Making {
  /** Is given the material and its record before anything is stored, and keeps no material. */
  readonly lend?: (material: KeyMaterial, record: StoredLocalKey) => Promise<void>
  readonly namedAt?: NamedAt
}

/**
 * Creates or imports a key, a certificate or opaque bytes. For a key pair, the answer is the private half; the public half is a linked record.
 * @throws Refusal NOT_FOUND for its template, RULE_BROKEN, NAME_TAKEN, ACTION_DENIED, UNEXPORTABLE when unexportable
 * material is requested
 */
export async function createKey(
  context: Context,
  given: CreateLocalKey,
  includeMaterial: boolean,
  { lend, namedAt }: Making = {},
): Promise<LocalKeyWithMaterial> {
  const { now } = context
  const body = await completed(context, given)
  const particulars = particularsOf(context, body)
  const { row, shape, material } = await contentOf(context, body)
  try {
    await pointingAt(legacyBy(row, body), () => assertNotLegacy(row, shape.sizeBits))
    if (body.objectType !== undefined && body.objectType !== shape.objectType)
      throw new Refusal('RULE_BROKEN', `objectType must be ${shape.objectType} for this material`, {
        errors: [{ pointer: '#/objectType', detail: `must be ${shape.objectType}` }],
      })
    await assertAllowed(context, { ...shape, usageMask: particulars.usageMask })
    const kept = isDestroyed(particulars.state) ? undefined : material
    const name = nameFor(body, now, kept?.objectType === 'Private Key')
    const links = kept?.objectType === 'Certificate' ? await certificateLinks(context, kept) : []
    const record = await newRecord(context, shape, kept, {
      ...particulars,
      links,
      name,
      version: 0,
      ...(body.emptyMaterial !== true && originOf(body)),
    })
    const pair = kept?.objectType === 'Private Key' ? await publicRecord(context, record, kept) : undefined
    const leaves = includeMaterial && kept !== undefined
    if (leaves) assertExportable(record)
    if (kept !== undefined) await lend?.(kept, record)
    const stored: StoredLocalKey = { ...(pair?.own ?? record), neverExported: !leaves }
    stageRecord(context, stored, namedAt)
    if (pair) stageRecord(context, pair.other, namedAt)
    context.about({ uri: stored.uri, name: stored.name, after: auditView(stored) })
    const shown = presentKey(stored, now)
    if (!leaves) return shown
    const { format, encoding } = body
    const asAsked = format === 'pkcs12' || format === 'jwe' ? {} : { format, encoding }
    return { ...shown, ...(await materialFor(context, kept, asAsked)) }
  } finally {
    material?.bytes.destroy()
  }
}

interface Content {
  readonly row: AlgorithmRow
  readonly shape: Shape
  readonly material?: KeyMaterial | undefined
}

/** The material of the body, made or imported, and its shape. */
async function contentOf(context: Context, body: CreateLocalKey): Promise<Content> {
  if (body.objectType === 'Certificate') {
    const material = await materialFrom(context, { ...body, material: body.material ?? '' })
    return { row: LOCAL_ALGORITHMS[material.algorithm], shape: material, material }
  }
  const row = await pointingAt('#/algorithm', () => algorithmNamed(algorithmOf(body)))
  const material = await materialOf(context, row, body)
  return { row, shape: material ?? (await shapeOf(row, body)), material }
}

async function materialOf(context: Context, row: AlgorithmRow, body: CreateLocalKey): Promise<KeyMaterial | undefined> {
  if (body.emptyMaterial === true) return undefined
  if (body.material !== undefined)
    return materialFrom(context, { ...body, material: body.material, algorithm: row.name })
  const { size: sizeBits, curveid: curve, xts } = body
  return pointingAt(sizedBy(row, body), () => generateMaterial(row, { sizeBits, curve, xts }))
}

/** The field that decides the size of a key. */
const sizedBy = ({ family }: AlgorithmRow, { material }: CreateLocalKey): string =>
  material !== undefined ? '#/material' : family === 'ec' ? '#/curveid' : '#/size'

const legacyBy = (row: AlgorithmRow, body: CreateLocalKey): string =>
  isWhollyLegacy(row) ? '#/algorithm' : sizedBy(row, body)

/** The shape of a key that is created without material. */
async function shapeOf(row: AlgorithmRow, { size, curveid, xts, objectType: wanted }: CreateLocalKey): Promise<Shape> {
  const { name: algorithm } = row
  const objectType = row.family === 'opaque' && wanted === 'Secret Data' ? wanted : row.objectType
  if (row.family === 'ec') {
    const curve = await pointingAt('#/curveid', () => curveNamed(row, curveid))
    return { algorithm, objectType, sizeBits: curve.sizeBits, curve: curve.id }
  }
  if (xts === true) {
    const sizeBits = size ?? row.xtsSizesBits?.[0] ?? 0
    await pointingAt('#/size', () => requireXtsSize(row, sizeBits))
    return { algorithm, objectType, sizeBits, xts }
  }
  const sizeBits = size ?? row.sizesBits[0] ?? 0
  await pointingAt('#/size', () => requireSize(row, sizeBits))
  return { algorithm, objectType, sizeBits }
}

function nameFor({ name }: CreateLocalKey, now: Date, isPair: boolean): string {
  const given = name ?? `key-${localKeyId(now).slice(0, 24)}`
  assertNameFits(given, isPair)
  return given
}

/** @throws Refusal RULE_BROKEN if the public half of a pair could not be named after it */
export function assertNameFits(name: string, isPair: boolean, pointer = '#/name'): void {
  if (isPair && publicName(name).length > NAME_CHARACTERS)
    throw new Refusal('RULE_BROKEN', 'name is too long for a key pair: its public half is named after it', {
      errors: [{ pointer, detail: `must leave room for ${publicName('').length} characters more` }],
    })
}

const PLAIN = ['description', 'defaultIV', 'keyId', 'uuid', 'muid', 'rotationFrequencyDays'] as const

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

const present = <K extends keyof CreateLocalKey>(
  body: CreateLocalKey,
  fields: readonly K[],
): Present<Pick<CreateLocalKey, K>> =>
  Object.fromEntries(fields.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]]))) as Present<
    Pick<CreateLocalKey, K>
  > // the fields just named

/** The requested `state`; a future activation makes it Pre-Active. */
function stateOf({ state, activationDate }: CreateLocalKey, now: Date): StoredLocalKey['state'] {
  const waits = activationDate !== undefined && !reached(activationDate, now)
  if ((state === undefined || state === 'Active') && waits) return 'Pre-Active'
  return state ?? 'Active'
}

/** Ours: a certificate is kept and handed out; no operation here uses it. */
const defaultUsageOf = (body: CreateLocalKey): number =>
  body.objectType === 'Certificate' ? 0 : (findAlgorithm(algorithmOf(body))?.defaultUsage ?? 0)

function particularsOf(context: Context, body: KeyWanted): Omit<Parameters<typeof newRecord>[3], 'name' | 'version'> {
  const { now } = context
  const state = stateOf(body, now)
  const at = now.toISOString()
  const mask = body.usageMask ?? defaultUsageOf(body) | (body.unexportable ? 0 : USAGE.export)
  const meta = ownedMeta(context, body.meta, body.assignSelfAsOwner === true)
  return {
    state,
    usageMask: mask,
    unexportable: body.unexportable,
    undeletable: body.undeletable,
    aliases: (body.aliases ?? []).map(({ alias, type }, index) => ({ alias, type, index })),
    labels: body.labels ?? {},
    ...(state !== 'Pre-Active' && { activationDate: at }),
    ...(state === 'Deactivated' && { deactivationDate: at }),
    ...(state.endsWith('Compromised') && { compromiseDate: at }),
    ...(isDestroyed(state) && { destroyDate: at }),
    ...present(body, KEY_DATES),
    ...present(body, PLAIN),
    ...(meta && { meta }),
  }
}

/**
 * The owner is the caller, if requested or if the caller is no key administrator.
 * @throws Refusal ACTION_DENIED for another owner, unless the caller is one
 */
export function ownedMeta(
  { caller }: Pick<Context, 'caller'>,
  meta: CreateLocalKey['meta'],
  assignSelfAsOwner: boolean,
): StoredLocalKey['meta'] | undefined {
  if (!isKeyAdmin(caller)) {
    if (meta?.ownerId !== undefined && meta.ownerId !== caller.sub)
      throw new Refusal('ACTION_DENIED', 'Only a member of Key Admins makes keys for others.', {
        errors: [{ pointer: '#/meta/ownerId', detail: 'must be yourself' }],
      })
    return { ...meta, ownerId: caller.sub }
  }
  return assignSelfAsOwner ? { ...meta, ownerId: caller.sub } : meta
}
