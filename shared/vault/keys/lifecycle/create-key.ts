import type { Context } from '../../../http/context.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { objectTypeRow } from '../../../crypto/object-types.ts'
import { Refusal } from '../../../base/errors.ts'
import type { CreateLocalKey, LocalKeyWithMaterial } from '../model.ts'
import type { StoredLocalKey } from '../store.ts'
import { assertAllowed } from '../../key-policies/binding.ts'
import { assertExportable } from '../material/export-key.ts'
import { materialFor } from '../material/material-out.ts'
import { pointingAt } from '../material/material.ts'
import { assertNotLegacy, isWhollyLegacy } from '../record/legacy.ts'
import { auditView, newRecord, publicRecord, stageRecord, type NamedAt } from '../record/new-record.ts'
import { presentKey } from '../record/present-key.ts'
import { completed } from './completed.ts'
import { isDestroyed } from './key-state.ts'
import { contentOf, type Content } from './new-content.ts'
import { fieldsOf, nameFor } from './new-fields.ts'

interface Making {
  /** Receives the material and its record before anything is stored; must not keep the material. */
  readonly lend?: (material: KeyMaterial, record: StoredLocalKey) => Promise<void>
  readonly namedAt?: NamedAt
}

/**
 * Creates, imports or registers a key, a certificate or opaque bytes. For a key pair, returns the private half; the
 * public half is a linked record.
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
  const fields = fieldsOf(context, body)
  const content = await contentOf(context, body)
  try {
    await assertAccepted(body, content)
    await assertAllowed(context, { ...content.shape, usageMask: fields.usageMask })
    const kept = isDestroyed(fields.state) ? undefined : content.material
    const isPair = kept !== undefined && objectTypeRow(kept.objectType).hasPublicHalf
    const record = await newRecord(context, content.shape, kept, {
      ...fields,
      links: (kept && (await content.links?.())) ?? [],
      name: nameFor(body, now, isPair),
      version: 0,
      ...(content.origin && { origin: content.origin }),
    })
    const pair = isPair ? await publicRecord(context, record, kept) : undefined
    const leaves = includeMaterial && kept !== undefined
    if (leaves) assertExportable(record)
    if (kept !== undefined) await lend?.(kept, record)
    const stored: StoredLocalKey = { ...(pair?.own ?? record), neverExported: !leaves }
    stageRecord(context, stored, namedAt)
    if (pair) stageRecord(context, pair.other, namedAt)
    context.about({ uri: stored.uri, name: stored.name, after: auditView(stored) })
    const shown = presentKey(stored, now)
    return leaves ? { ...shown, ...(await materialFor(context, kept, formatOf(body))) } : shown
  } finally {
    content.material?.bytes.destroy()
  }
}

/** @throws Refusal RULE_BROKEN for a legacy algorithm that the deployment refuses, and for material of another object type */
async function assertAccepted(body: CreateLocalKey, { row, shape, sizedBy }: Content): Promise<void> {
  await pointingAt(isWhollyLegacy(row) ? '#/algorithm' : sizedBy, () => assertNotLegacy(row, shape.sizeBits))
  if (body.objectType !== undefined && body.objectType !== shape.objectType)
    throw new Refusal('RULE_BROKEN', `objectType must be ${shape.objectType} for this material`, {
      errors: [{ pointer: '#/objectType', detail: `must be ${shape.objectType}` }],
    })
}

/** The format of material in the answer: that of the body, unless the material came in a container (PKCS #12, JWE). */
const formatOf = ({ format, encoding }: CreateLocalKey) =>
  format === 'pkcs12' || format === 'jwe' ? {} : { format, encoding }
