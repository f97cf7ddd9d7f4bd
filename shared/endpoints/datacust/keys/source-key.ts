import { Refusal } from '../../../base/errors.ts'
import { USAGE } from '../../../crypto/usage.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { whyUnusable } from '../../../vault/keys/lifecycle/key-state.ts'
import { findNamedKey } from '../../../vault/keys/lists/find-key.ts'
import type { KeyPermission } from '../../../vault/keys/model.ts'
import { assertMayUse } from '../../../vault/keys/policies/access.ts'
import { isXts, NOT_XTS } from '../../../vault/keys/record/xts.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import type { EXTERNAL_KEY_ALGORITHMS } from './model.ts'

const POINTER = '#/source_key_identifier'

interface SourceRow {
  readonly algorithm: (typeof EXTERNAL_KEY_ALGORITHMS)[number]
  readonly objectType: StoredLocalKey['objectType']
  readonly sizes: readonly number[]
}

/** Local keys that can be external keys, by their algorithm. */
const SOURCES: Readonly<Record<string, SourceRow>> = {
  aes: { algorithm: 'AES', objectType: 'Symmetric Key', sizes: [256] },
  rsa: { algorithm: 'RSA', objectType: 'Private Key', sizes: [3_072, 4_096] },
}

/** The platform makes both uses of a pair. */
const PAIRS: readonly { readonly bits: number; readonly permissions: readonly KeyPermission[] }[] = [
  { bits: USAGE.encrypt | USAGE.decrypt, permissions: ['EncryptWithKey', 'DecryptWithKey'] },
  { bits: USAGE.sign | USAGE.verify, permissions: ['SignWithKey', 'SignVerifyWithKey'] },
]

const has = ({ usageMask }: StoredLocalKey, bits: number): boolean => (usageMask & bits) === bits
const hasHalf = (key: StoredLocalKey, bits: number): boolean => (key.usageMask & bits) !== 0 && !has(key, bits)

const isUsable = (key: StoredLocalKey, now: Date): boolean => whyUnusable(key, now) === undefined && !key.emptyMaterial

const isOfKind = ({ algorithm, objectType, size }: StoredLocalKey): boolean => {
  const row = SOURCES[algorithm]
  return row !== undefined && row.objectType === objectType && row.sizes.includes(size)
}

/** The rules for a local key behind an external one, each with its message. */
const RULES: readonly (readonly [sentence: string, isKept: (key: StoredLocalKey, now: Date) => boolean])[] = [
  ['must be an AES key of 256 bits, or the private half of an RSA pair of 3072 or 4096 bits', isOfKind],
  [NOT_XTS, (key) => !isXts(key)],
  ['must be Active, with material, neither archived nor past its protectStopDate', isUsable],
  [
    'must be allowed both to encrypt and to decrypt, or for RSA both to sign and to verify, and not only one of two',
    (key) => PAIRS.some(({ bits }) => has(key, bits)) && !PAIRS.some(({ bits }) => hasHalf(key, bits)),
  ],
]

/** A local key for an external one, in its latest version. */
export interface SourceKey {
  readonly stored: Stored<StoredLocalKey>
  readonly algorithm: SourceRow['algorithm']
}

/**
 * The local key that a body names. @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN with every broken rule
 */
export async function findSource(context: Context, reference: string): Promise<SourceKey> {
  const { now } = context
  const field = { pointer: POINTER, detail: 'is not there' }
  const stored = await findNamedKey(context, reference, { version: -1 }, field)
  const { item: key } = stored
  const missing = RULES.filter(([, isKept]) => !isKept(key, now)).map(([sentence]) => sentence)
  const row = SOURCES[key.algorithm]
  if (missing.length > 0 || row === undefined)
    throw new Refusal('RULE_BROKEN', `The source key ${key.name} ${missing.join(', and ')}.`, {
      errors: missing.map((detail) => ({ pointer: POINTER, detail })),
    })
  for (const { bits, permissions } of PAIRS)
    if (has(key, bits)) for (const permission of permissions) assertMayUse(context, key, permission)
  return { stored, algorithm: row.algorithm }
}
