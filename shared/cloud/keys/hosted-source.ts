import type { BrokenField } from '../../base/errors.ts'
import { Refusal } from '../../base/errors.ts'
import { USAGE } from '../../crypto/usage.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { whyUnusable } from '../../vault/keys/lifecycle/key-state.ts'
import { findNamedKey } from '../../vault/keys/lists/find-key.ts'
import { assertMayUse } from '../../vault/keys/policies/access.ts'
import { isXts, NOT_XTS } from '../../vault/keys/record/xts.ts'
import type { StoredLocalKey } from '../../vault/keys/store.ts'

const KEY_BITS = 256
/** Uses of a local key by the data plane that a cloud calls. */
export const HOSTED_USAGE = USAGE.encrypt | USAGE.decrypt

/** A rule for a local key that a cloud uses while it stays here, with its message. */
export type SourceRule = readonly [sentence: string, isKept: (key: StoredLocalKey, now: Date) => boolean]

const RULES: readonly SourceRule[] = [
  [`must be an AES key of ${KEY_BITS} bits`, ({ algorithm, size }) => algorithm === 'aes' && size === KEY_BITS],
  [NOT_XTS, (key) => !isXts(key)],
  ['must be Active, neither archived nor past its protectStopDate', (key, now) => whyUnusable(key, now) === undefined],
  ['must be allowed to encrypt and to decrypt', ({ usageMask }) => (usageMask & HOSTED_USAGE) === HOSTED_USAGE],
]

/**
 * The local key that a cloud is to use while it stays here, in its latest version.
 * @param pointer of the field that names it
 * @param further rules of the cloud
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN with every broken rule
 */
export async function findHostedSource(
  context: Context,
  reference: string,
  pointer: string,
  further: readonly SourceRule[] = [],
): Promise<Stored<StoredLocalKey>> {
  const field: BrokenField = { pointer, detail: 'is not there' }
  const stored = await findNamedKey(context, reference, { version: -1 }, field)
  const { item: key } = stored
  assertMayUse(context, key, 'EncryptWithKey')
  assertMayUse(context, key, 'DecryptWithKey')
  const missing = [...RULES, ...further].filter(([, isKept]) => !isKept(key, context.now)).map(([sentence]) => sentence)
  if (missing.length > 0)
    throw new Refusal('RULE_BROKEN', `The source key ${key.name} ${missing.join(', and ')}.`, {
      errors: missing.map((detail) => ({ pointer, detail })),
    })
  return stored
}
