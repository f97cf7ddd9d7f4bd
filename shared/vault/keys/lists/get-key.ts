import type { Context } from '../../../http/context.ts'
import type { KeyAttribute, ReadAttribute } from '../bodies.ts'
import type { LocalKey, LocalKeySelector } from '../model.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKey } from './find-key.ts'
import { namingStored } from '../policies/permission-groups.ts'
import { presentKey } from '../record/present-key.ts'

/** One version of a key. @throws Refusal NOT_FOUND */
export async function getKey(
  context: Context,
  reference: string,
  selector: LocalKeySelector,
): Promise<Stored<LocalKey>> {
  const { item, rev } = await findKey(context, reference, selector)
  return { item: presentKey(item, context.now), rev }
}

/** One attribute of a version, as its record shows it. @throws Refusal NOT_FOUND */
export async function readAttribute(
  context: Context,
  reference: string,
  selector: LocalKeySelector,
  { attribute }: ReadAttribute,
): Promise<KeyAttribute> {
  const { item } = await namingStored(getKey)(context, reference, selector)
  return { attribute, value: item[attribute] ?? null }
}
