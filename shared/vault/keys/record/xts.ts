import { ruleBroken } from '../../../base/errors.ts'
import type { StoredLocalKey } from '../store.ts'

type Key = Pick<StoredLocalKey, 'xts'>

/** The rule for uses of material that an xts key violates. An xts key of 128 bits is as long as an AES-256 key. */
export const NOT_XTS = 'must not be an xts key, which is only kept, cloned and exported'

export const isXts = ({ xts }: Key): boolean => xts === true

/** @throws Refusal RULE_BROKEN for an xts key */
export function assertNotXts(key: Key, field: string): void {
  if (isXts(key)) throw ruleBroken(field, NOT_XTS)
}
