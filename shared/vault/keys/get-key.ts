import type { Context } from '../../http/context.ts'
import type { LocalKey, LocalKeySelector } from './model.ts'
import type { Stored } from '../../store/entity.ts'
import { findKey } from './find-key.ts'
import { presentKey } from './present-key.ts'

/** One version of a key. @throws Refusal NOT_FOUND */
export async function getKey(
  context: Context,
  reference: string,
  selector: LocalKeySelector,
): Promise<Stored<LocalKey>> {
  const { item, rev } = await findKey(context, reference, selector)
  return { item: presentKey(item, context.now), rev }
}
