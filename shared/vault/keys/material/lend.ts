import { Refusal } from '../../../base/errors.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import type { UsingContext } from '../canary/use.ts'
import { assertMayUse, usedBy } from '../policies/access.ts'
import { assertUsable, type Use } from '../lifecycle/key-state.ts'
import { openMaterial } from './material.ts'
import type { KeyPermission } from '../model.ts'
import type { StoredLocalKey } from '../store.ts'
import { assertNotXts } from '../record/xts.ts'

/** One use of a local key by a caller: it requires one of these usage bits, and the permission of groups. */
export interface LentUse {
  readonly use: Use
  readonly bits: number
  readonly permission: KeyPermission
  /** As in "does not allow to …". */
  readonly verb: string
}

/** @param wanted `field`: field of the body that names the key */
export function assertMayLend(
  context: UsingContext,
  key: StoredLocalKey,
  { use, bits, permission, verb, field }: LentUse & { readonly field: string },
): void {
  assertMayUse(context, key, permission)
  assertNotXts(key, field)
  if ((key.usageMask & bits) === 0)
    throw new Refusal('USAGE_DENIED', `The usageMask of ${key.name} does not allow to ${verb}.`, {
      errors: [{ pointer: `#/${field}`, detail: 'its usageMask does not allow it' }],
    })
  assertUsable(key, use, context.now)
}

/**
 * Passes the material of a local key to `work`, if the caller may use the key so.
 * @throws Refusal ACTION_DENIED, RULE_BROKEN for an xts key, USAGE_DENIED, STATE_CONFLICT, and errors of `work`
 */
export async function lend<T>(
  context: UsingContext,
  key: StoredLocalKey,
  wanted: Parameters<typeof assertMayLend>[2],
  work: (material: KeyMaterial) => T | Promise<T>,
): Promise<T> {
  assertMayLend(context, key, wanted)
  const material = await openMaterial(usedBy(context), key)
  try {
    return await work(material)
  } finally {
    material.bytes.destroy()
  }
}
