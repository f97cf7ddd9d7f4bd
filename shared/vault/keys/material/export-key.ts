import type { Context } from '../../../http/context.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { xtsHalves } from '../../../crypto/xts.ts'
import { USAGE } from '../../../crypto/usage.ts'
import { objectTypeRow } from '../../../crypto/object-types.ts'
import { Refusal } from '../../../base/errors.ts'
import type { LocalKeySelector, LocalKeyWithMaterial } from '../model.ts'
import type { ExportLocalKey } from './wrapping-fields.ts'
import { localKeys, type StoredLocalKey } from '../store.ts'
import { assertMayUse, usedBy } from '../policies/access.ts'
import { findKey } from '../lists/find-key.ts'
import { keyAsOf } from '../lifecycle/key-state.ts'
import { openMaterial } from './material.ts'
import { materialFor } from './material-out.ts'
import { auditView } from '../record/new-record.ts'
import { presentKey, subjectOf } from '../record/present-key.ts'

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
 * A key with its material, wrapped if requested. The first export clears `neverExported` permanently.
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
  context.about(subjectOf(stored.item, now))
  assertMayUse(context, stored.item, 'ExportKey')
  const key = keyAsOf(stored.item, now)
  assertExportable(key)
  if (key.archiveDate !== undefined)
    throw new Refusal('STATE_CONFLICT', 'An archived key cannot be exported: recover it first.')
  const material = await openMaterial(usedBy(context), key)
  try {
    const exported = await exportedFrom(context, material, body)
    const after: StoredLocalKey = { ...key, neverExported: false }
    if (stored.item.neverExported) changes.update(localKeys, caller.domain.id, stored, after)
    context.about({ uri: key.uri, name: key.name, after: { ...auditView(after), ...wrappedBy(body) } })
    return { ...presentKey(after, now), format: body.format ?? key.format, ...exported }
  } finally {
    material.bytes.destroy()
  }
}

/** The key that protects exported material, for the audit record. */
function wrappedBy({ wrapKeyName, wrapPublicKey, password }: ExportLocalKey): { wrapped_by?: string } {
  if (wrapKeyName !== undefined) return { wrapped_by: wrapKeyName }
  if (wrapPublicKey !== undefined) return { wrapped_by: 'a public key of the caller' }
  return password === undefined ? {} : { wrapped_by: 'a password' }
}

/**
 * The material of a key. Ours: an xts key is exported in one piece unless `combineXts` is false, so that an import
 * accepts it unchanged; otherwise each half is exported like an AES key. For other keys `combineXts` has no effect.
 */
async function exportedFrom(
  context: Context,
  material: KeyMaterial,
  body: ExportLocalKey,
): Promise<Awaited<ReturnType<typeof materialFor>> & Pick<LocalKeyWithMaterial, 'tweakKey'>> {
  const { xts, bytes: both, ...half } = material
  if (!xts || body.combineXts !== false) return materialFor(context, material, body)
  const [dataKey, tweakKey] = xtsHalves(both)
  try {
    return {
      ...(await materialFor(context, { ...half, bytes: dataKey }, body)),
      tweakKey: await materialFor(context, { ...half, bytes: tweakKey }, body),
    }
  } finally {
    dataKey.destroy()
    tweakKey.destroy()
  }
}
