import { subjectOf } from './present-key.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { keyCheckValue } from '../../../crypto/key-material.ts'
import type { KeyCheckValue } from '../bodies.ts'
import type { LocalKeySelector } from '../model.ts'
import { findKey } from '../lists/find-key.ts'
import { keyAsOf } from '../lifecycle/key-state.ts'
import { usedBy } from '../policies/access.ts'
import { openMaterial } from '../material/material.ts'

/**
 * The check value of a version, computed anew from its material, so that it also proves that the material opens. Ours:
 * it equals the one in the record.
 * @throws Refusal NOT_FOUND, RULE_BROKEN unless the key is symmetric, STATE_CONFLICT without material
 */
export async function checkValue(
  context: Context,
  reference: string,
  selector: LocalKeySelector,
): Promise<KeyCheckValue> {
  const { now } = context
  const { item } = await findKey(context, reference, selector)
  context.about(subjectOf(item, now))
  if (item.objectType !== 'Symmetric Key')
    throw new Refusal('RULE_BROKEN', `A ${item.objectType} has no check value; only symmetric keys have one.`)
  const material = await openMaterial(usedBy(context), keyAsOf(item, now))
  try {
    return { kcv: keyCheckValue(material) ?? '' }
  } finally {
    material.bytes.destroy()
  }
}
