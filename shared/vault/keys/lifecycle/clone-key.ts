import { alsoRecorded } from '../../../http/audit/also-recorded.ts'
import type { Context } from '../../../http/context.ts'
import { algorithmNamed } from '../../../crypto/algorithms.ts'
import { Refusal } from '../../../base/errors.ts'
import { without } from '../../../base/fields.ts'
import type { CloneLocalKey } from '../bodies.ts'
import type { LocalKeySelector, LocalKeyWithMaterial } from '../model.ts'
import type { Stored } from '../../../store/entity.ts'
import { localKeys, type StoredLocalKey } from '../store.ts'
import { assertAllowed } from '../../key-policies/binding.ts'
import { assertMayUse, usedBy } from '../policies/access.ts'
import { newKeyId } from '../record/alternative-ids.ts'
import { assertNameFits, ownedMeta } from './new-fields.ts'
import { assertExportable } from '../material/export-key.ts'
import { findKey } from '../lists/find-key.ts'
import { keyAsOf } from './key-state.ts'
import { assertNotLegacy } from '../record/legacy.ts'
import { openMaterial } from '../material/material.ts'
import { materialFor } from '../material/material-out.ts'
import {
  auditView,
  carriedOver,
  newRecord,
  publicRecord,
  stageRecord,
  type VersionFields,
} from '../record/new-record.ts'
import { withGroupIds } from '../policies/permission-groups.ts'
import { presentKey, subjectOf } from '../record/present-key.ts'

/**
 * A new key with the material of one version, in its state and with its dates and uses. A private key is cloned with
 * its public half. Ours: the clone is the caller's own copy, so cloning requires the same permissions as an export;
 * owner, permissions, aliases and `undeletable` stay with the source.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, UNEXPORTABLE, STATE_CONFLICT when archived or without material, NAME_TAKEN,
 * RULE_BROKEN by the key policies, or for a legacy key unless the deployment allows them
 */
export async function cloneKey(
  context: Context,
  reference: string,
  selector: LocalKeySelector,
  body: CloneLocalKey,
): Promise<LocalKeyWithMaterial> {
  const { now } = context
  const stored = await findKey(context, reference, selector)
  context.about(subjectOf(stored.item, now))
  context.uses('ReadKey', presentKey(stored.item, now))
  assertMayUse(context, stored.item, 'ExportKey')
  const source = keyAsOf(stored.item, now)
  assertExportable(source)
  if (source.archiveDate !== undefined)
    throw new Refusal('STATE_CONFLICT', 'An archived key cannot be cloned: recover it first.')
  assertNotLegacy(algorithmNamed(source.algorithm), source.size)
  assertNameFits(body.newKeyName, source.objectType === 'Private Key', '#/newKeyName')
  const material = await openMaterial(usedBy(context), source)
  try {
    const particulars = particularsOf(context, source, { ...body, meta: await withGroupIds(context, body.meta) })
    await assertAllowed(context, { ...material, usageMask: particulars.usageMask })
    const record = await newRecord(context, material, material, particulars)
    const isPair = source.objectType === 'Private Key'
    const pair = isPair ? await publicRecord(context, record, material) : undefined
    const clone = pair?.own ?? record
    context.uses('CreateKey', presentKey(clone, now))
    stageRecord(context, clone, { name: '#/newKeyName' })
    if (pair) stageRecord(context, pair.other, { name: '#/newKeyName' })
    recordSource(context, stored, clone, body)
    context.about({ uri: clone.uri, name: clone.name, after: { ...auditView(clone), cloned_from: source.uri } })
    const shown = presentKey(clone, now)
    return body.includeMaterial === true ? { ...shown, ...(await materialFor(context, material, {})) } : shown
  } finally {
    material.bytes.destroy()
  }
}

/** Fields of a version that describe how it got its state. */
const STATE_FIELDS = [
  'compromiseDate',
  'compromiseOccurrenceDate',
  'revocationReason',
  'revocationMessage',
  'defaultIV',
] as const satisfies readonly (keyof StoredLocalKey)[]

function particularsOf(
  context: Context,
  source: StoredLocalKey,
  { newKeyName, meta, idSize, includeMaterial }: CloneLocalKey,
): VersionFields {
  const { keyId: _, ...carried } = carriedOver(source)
  const ofState = Object.fromEntries(STATE_FIELDS.map((field) => [field, source[field]]))
  const { ownerId: __, permissions: ___, ...free } = source.meta ?? {}
  const own = ownedMeta(context, meta ?? (source.meta && free), false)
  return {
    ...without(carried, 'meta'),
    ...ofState,
    name: newKeyName,
    version: 0,
    state: source.state,
    usageMask: source.usageMask,
    origin: 'cloned',
    clonedFrom: source.id,
    unexportable: false,
    undeletable: false,
    aliases: [],
    labels: source.labels,
    ...(idSize !== undefined && { keyId: newKeyId(idSize) }),
    neverExported: source.neverExported && includeMaterial !== true, // both contain the same material
    ...(own && { meta: own }),
  }
}

/** Stages the audit record of the source; with `includeMaterial`, its material was exported. */
function recordSource(
  context: Context,
  stored: Stored<StoredLocalKey>,
  clone: StoredLocalKey,
  { includeMaterial }: CloneLocalKey,
): void {
  const { item } = stored
  if (includeMaterial === true && item.neverExported)
    context.changes.update(localKeys, context.caller.domain.id, stored, { ...item, neverExported: false })
  else context.changes.rely(localKeys, context.caller.domain.id, stored)
  alsoRecorded(context, {
    service: 'vault',
    message: context.summary,
    action: 'was cloned',
    subject: { uri: item.uri, name: item.name, after: { ...auditView(item), cloned_to: clone.uri } },
  })
}
