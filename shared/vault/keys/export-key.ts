import type { Context } from '../../http/context.ts'
import { USAGE } from '../../crypto/usage.ts'
import { objectTypeRow } from '../../crypto/object-types.ts'
import { Refusal } from '../../base/errors.ts'
import type { ExportLocalKey, LocalKeySelector, LocalKeyWithMaterial } from './model.ts'
import { localKeys, type StoredLocalKey } from './store.ts'
import { assertMayUse } from './access.ts'
import { findKey } from './find-key.ts'
import { keyAsOf } from './key-state.ts'
import { materialFor, openMaterial } from './material.ts'
import { auditView } from './new-record.ts'
import { presentKey } from './present-key.ts'

/**
 * Public keys and certificates are always exportable. Other objects must not be flagged unexportable and need the Export use.
 * @throws Refusal UNEXPORTABLE
 */
export function assertExportable({
  objectType,
  unexportable,
  usageMask,
}: Pick<StoredLocalKey, 'objectType' | 'unexportable' | 'usageMask'>): void {
  if (objectTypeRow(objectType).isPublic) return
  if (unexportable) throw new Refusal('UNEXPORTABLE', 'The key is flagged unexportable.')
  if ((usageMask & USAGE.export) === 0)
    throw new Refusal('UNEXPORTABLE', 'The usageMask of the key does not allow export.')
}

/**
 * A key with its material, wrapped if requested. The first export clears `neverExported` for good.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, UNEXPORTABLE, STATE_CONFLICT when archived or without material
 */
export async function exportKey(
  context: Context,
  reference: string,
  selector: LocalKeySelector,
  body: ExportLocalKey,
): Promise<LocalKeyWithMaterial> {
  const { caller, changes, now } = context
  const stored = await findKey(context, reference, selector)
  context.about({ uri: stored.item.uri, name: stored.item.name })
  assertMayUse(caller, stored.item, 'ExportKey')
  const key = keyAsOf(stored.item, now)
  assertExportable(key)
  if (key.archiveDate !== undefined)
    throw new Refusal('STATE_CONFLICT', 'An archived key cannot be exported: recover it first.')
  const material = await openMaterial(caller.domain.id, key)
  try {
    const exported = await materialFor(context, material, body)
    const after: StoredLocalKey = { ...key, neverExported: false }
    if (stored.item.neverExported) changes.update(localKeys, caller.domain.id, stored, after)
    context.about({ uri: key.uri, name: key.name, after: auditView(after) })
    return { ...presentKey(after, now), format: body.format ?? key.format, ...exported }
  } finally {
    material.bytes.destroy()
  }
}
