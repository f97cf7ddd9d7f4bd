import { defined } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import { algorithmNamed } from '../../../crypto/algorithms.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { objectTypeRow } from '../../../crypto/object-types.ts'
import { Refusal } from '../../../base/errors.ts'
import type { Recipient } from '../../../emergency/assert-open.ts'
import { localKeys, type StoredLocalKey } from '../store.ts'
import { assertMayUse, usedBy } from '../policies/access.ts'
import { assertExportable } from './export-key.ts'
import { findNamedKey } from '../lists/find-key.ts'
import { assertUsable, keyAsOf } from '../lifecycle/key-state.ts'
import { openMaterial } from './material.ts'
import type { Shape } from '../record/new-record.ts'
import { isXts, NOT_XTS } from '../record/xts.ts'

/**
 * @throws Refusal UNEXPORTABLE, STATE_CONFLICT, RULE_BROKEN for an xts key, and for an object that is neither a
 * symmetric nor a private key
 */
function assertMayLeave(key: StoredLocalKey, now: Date, pointer?: string): void {
  if (!objectTypeRow(key.objectType).isGenerated)
    throw new Refusal('RULE_BROKEN', `The key ${key.name} is a ${key.objectType}, which no cloud takes.`, {
      errors: pointer === undefined ? [] : [{ pointer, detail: `must not be a ${key.objectType}` }],
    })
  if (isXts(key))
    throw new Refusal('RULE_BROKEN', `The key ${key.name} is an xts key, which no cloud takes.`, {
      errors: pointer === undefined ? [] : [{ pointer, detail: NOT_XTS }],
    })
  assertUsable(key, 'protect', now)
  assertExportable(key)
  if (key.emptyMaterial)
    throw new Refusal('STATE_CONFLICT', `The key ${key.name} has no material that a cloud could use.`)
  if (key.archiveDate !== undefined)
    throw new Refusal('STATE_CONFLICT', `The key ${key.name} is archived: recover it first.`)
}

/**
 * A local key whose material the caller may upload to a cloud. Ours: this counts as an export, although the material is
 * wrapped under the cloud's key, so an unexportable key stays here.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, UNEXPORTABLE, STATE_CONFLICT, RULE_BROKEN for another kind of object
 */
export async function findKeyForCloud(context: Context, reference: string, pointer: string): Promise<StoredLocalKey> {
  const { item } = await findNamedKey(context, reference, {}, { pointer, detail: 'is not there' })
  assertMayUse(context, item, 'ExportKey')
  const key = keyAsOf(item, context.now)
  assertMayLeave(key, context.now, pointer)
  return key
}

/**
 * Passes a key's material to `work` for an upload, and destroys it afterwards.
 * @throws as `findKeyForCloud`, by id, and STATE_CONFLICT for an emergency block
 */
export async function withMaterial<T>(
  context: Pick<Context, 'caller' | 'now'>,
  recipient: Recipient,
  keyId: string,
  work: (material: KeyMaterial, key: StoredLocalKey) => Promise<T>,
): Promise<T> {
  const { caller, now } = context
  const stored = await localKeys.get(caller.domain.id, keyId)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'The local key is not there any more.')
  const key = keyAsOf(stored.item, now)
  assertMayLeave(key, now)
  const material = await openMaterial(usedBy(context, recipient), key)
  try {
    return await work(material, key)
  } finally {
    material.bytes.destroy()
  }
}

/**
 * Stages that the key's material was exported: clears `neverExported` permanently. A concurrent deletion of the key
 * runs again, and finds it in use.
 */
export async function recordExport({ changes, caller }: Context, keyId: string): Promise<void> {
  const stored = await localKeys.get(caller.domain.id, keyId)
  if (stored !== undefined)
    changes.update(localKeys, caller.domain.id, stored, { ...stored.item, neverExported: false })
}

/** The properties of a key that decide whether it fits a key spec of a cloud. */
export const shapeOf = ({ objectType, algorithm, size, curveid }: StoredLocalKey): Shape => ({
  objectType,
  algorithm: algorithmNamed(algorithm).name,
  sizeBits: size,
  ...defined({ curve: curveid }),
})
