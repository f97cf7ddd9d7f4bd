import { Refusal } from '../base/errors.ts'
import type { Context } from '../http/context.ts'
import { assertMayUse, forOwnKey } from '../vault/keys/policies/access.ts'
import { createKey } from '../vault/keys/lifecycle/create-key.ts'
import { beginUse } from '../vault/keys/lifecycle/key-users.ts'
import { findNamedKey } from '../vault/keys/lists/find-key.ts'
import { whyUnusable } from '../vault/keys/lifecycle/key-state.ts'
import { CreateLocalKey, type KeyPermission } from '../vault/keys/model.ts'
import type { StoredLocalKey } from '../vault/keys/store.ts'
import { isXts, NOT_XTS } from '../vault/keys/record/xts.ts'

/** Field of a body that names an existing key. */
export const EXISTING_KEY = '#/existing_key_id'

type KeyType = 'symmetric' | 'asymmetric'

/** The requirements of an endpoint on its local key. */
export interface KekSpec {
  readonly keyType: KeyType
  readonly local: { readonly algorithm: 'aes' | 'rsa' | 'ec'; readonly size?: number; readonly curveid?: string }
  /** usage bits that the key must have */
  readonly usage: number
}

/** The local key of a new endpoint. */
export interface Kek {
  readonly name: string
  /** id of the latest version */
  readonly id: string
  readonly version: number
  readonly isNew: boolean
}

/** Creates a local key for an endpoint. It cannot be exported, and is protected from accidental deletion. */
export async function newKek(context: Context, name: string, { local, usage }: KekSpec): Promise<Kek> {
  const body = CreateLocalKey.parse({ ...local, name, usageMask: usage, unexportable: true, undeletable: true })
  const { id, version } = await createKey(forOwnKey(context), body, false)
  return { name, id, version, isNew: true }
}

interface KeyTypeRow {
  readonly objectType: StoredLocalKey['objectType']
  readonly described: string
  readonly uses: string
  /** permissions that the caller needs, because the endpoint's callers get these uses */
  readonly permissions: readonly KeyPermission[]
}

const KEY_TYPES: Readonly<Record<KeyType, KeyTypeRow>> = {
  symmetric: {
    objectType: 'Symmetric Key',
    described: 'a symmetric key',
    uses: 'encrypt, decrypt, wrap and unwrap',
    permissions: ['EncryptWithKey', 'DecryptWithKey'],
  },
  asymmetric: {
    objectType: 'Private Key',
    described: 'an asymmetric key',
    uses: 'sign and verify',
    permissions: ['SignWithKey', 'SignVerifyWithKey'],
  },
}

const isOf = ({ local, keyType }: KekSpec, key: StoredLocalKey): boolean =>
  key.objectType === KEY_TYPES[keyType].objectType &&
  key.algorithm === local.algorithm &&
  (local.size === undefined || key.size === local.size) &&
  (local.curveid === undefined || key.curveid === local.curveid)

/** All requirements that an existing key violates. */
function faultsOf(spec: KekSpec, algorithm: string, key: StoredLocalKey, now: Date): string[] {
  const { described, uses } = KEY_TYPES[spec.keyType]
  return [
    isOf(spec, key) ? '' : `must be ${described} that fits ${algorithm}`,
    isXts(key) ? NOT_XTS : '',
    key.unexportable ? '' : 'must be flagged unexportable',
    key.undeletable ? '' : 'must be flagged undeletable',
    (key.usageMask & spec.usage) === spec.usage ? '' : `must be allowed to ${uses}`,
    whyUnusable(key, now) === undefined && !key.emptyMaterial
      ? ''
      : 'must be Active, with material, neither archived nor past its protectStopDate',
  ].filter((fault) => fault !== '')
}

/**
 * An existing local key (`existing_key_id`); any of its versions may be named, the latest is used.
 * @param algorithm required algorithm
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN with every broken requirement
 */
export async function existingKek(context: Context, reference: string, spec: KekSpec, algorithm: string): Promise<Kek> {
  const stored = await findNamedKey(
    context,
    reference,
    { version: -1 },
    { pointer: EXISTING_KEY, detail: 'is not there' },
  )
  const { item: key } = stored
  for (const permission of KEY_TYPES[spec.keyType].permissions) assertMayUse(context, key, permission)
  const faults = faultsOf(spec, algorithm, key, context.now)
  if (faults.length > 0)
    throw new Refusal('RULE_BROKEN', `The key ${key.name} ${faults.join(' and ')}.`, {
      errors: faults.map((detail) => ({ pointer: EXISTING_KEY, detail })),
    })
  beginUse(context, stored)
  return { name: key.name, id: key.id, version: key.version, isNew: false }
}
