import type { Context } from '../../../http/context.ts'
import { USAGE } from '../../../crypto/usage.ts'
import { Refusal } from '../../../base/errors.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import { assertMayUse } from '../../../vault/keys/policies/access.ts'
import { findNamedKey } from '../../../vault/keys/lists/find-key.ts'
import { assertUsable } from '../../../vault/keys/lifecycle/key-state.ts'
import { isXts, NOT_XTS } from '../../../vault/keys/record/xts.ts'

export const SOURCE_POINTER = '#/local_hosted_params/source_key_id'
const KEY_BITS = 256
const BOTH_WAYS = USAGE.encrypt | USAGE.decrypt

function isUsable(key: StoredLocalKey, now: Date): boolean {
  try {
    assertUsable(key, 'protect', now)
    assertUsable(key, 'process', now)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** Rules for a local key behind a hosted one, each with its message. */
const RULES: readonly (readonly [sentence: string, isKept: (key: StoredLocalKey, now: Date) => boolean])[] = [
  [`must be an AES key of ${KEY_BITS} bits`, ({ algorithm, size }) => algorithm === 'aes' && size === KEY_BITS],
  [NOT_XTS, (key) => !isXts(key)],
  ['must be flagged unexportable', ({ unexportable }) => unexportable],
  ['must be flagged undeletable', ({ undeletable }) => undeletable],
  ['must be Active, neither archived nor past its protectStopDate', isUsable],
  ['must be allowed to encrypt and to decrypt', ({ usageMask }) => (usageMask & BOTH_WAYS) === BOTH_WAYS],
]

/**
 * The local key for a hosted key, always in its latest version.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN with every broken rule
 */
export async function findSourceKey(context: Context, reference: string): Promise<StoredLocalKey> {
  const { now } = context
  const field = { pointer: SOURCE_POINTER, detail: 'is not there' }
  const { item: key } = await findNamedKey(context, reference, { version: -1 }, field)
  assertMayUse(context, key, 'EncryptWithKey')
  assertMayUse(context, key, 'DecryptWithKey')
  const missing = RULES.filter(([, isKept]) => !isKept(key, now)).map(([sentence]) => sentence)
  if (missing.length > 0)
    throw new Refusal('RULE_BROKEN', `The source key ${key.name} ${missing.join(', and ')}.`, {
      errors: missing.map((detail) => ({ pointer: SOURCE_POINTER, detail })),
    })
  return key
}
