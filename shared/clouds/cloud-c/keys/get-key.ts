import type { Context } from '../../../http/context.ts'
import type { CloudCKey } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKey } from './find-key.ts'
import { presentKey } from './records.ts'

/** A key as it is on record. @throws Refusal NOT_FOUND, also for a key the caller may not see */
export async function getKey(context: Context, id: string): Promise<Stored<CloudCKey>> {
  const { stored, ring } = await findKey(context, id)
  return presentKey(stored, ring.item)
}
