import { Refusal } from '../../../base/errors.ts'
import type { Target } from '../../../emergency/targets.ts'
import type { Caller } from '../../../http/context.ts'
import { findKey } from './find-key.ts'

/** A local key for an emergency block, which concerns all its versions; `undefined` if the caller's domain has none. */
export async function findBlockableKey(caller: Caller, reference: string): Promise<Target | undefined> {
  try {
    const { item } = await findKey({ caller }, reference)
    return { target: item.name, target_name: item.name, target_uri: item.uri }
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'NOT_FOUND') return undefined
    throw error
  }
}
