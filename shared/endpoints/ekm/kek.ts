import type { Context } from '../../http/context.ts'
import { ekmAlgorithm, type EkmAlgorithm } from '../../crypto/ekm-algorithms.ts'
import { Refusal } from '../../base/errors.ts'
import type { CreateEkmEndpoint } from './model.ts'
import { CreateLocalKey } from '../../vault/keys/model.ts'
import { localKeys, type StoredLocalKey } from '../../vault/keys/store.ts'
import { assertMayUse } from '../../vault/keys/access.ts'
import { createKey } from '../../vault/keys/create-key.ts'
import { findKey, versionsOf } from '../../vault/keys/find-key.ts'
import { assertUsable } from '../../vault/keys/key-state.ts'
import { isXts, NOT_XTS } from '../../vault/keys/xts.ts'

const POINTER = '#/existing_key_id'

/** Ours: as many versions as one transaction can register or remove addresses for. */
export const VERSIONS_MOST = 60

/** The local key of an endpoint when the endpoint is created. */
export interface Kek {
  readonly name: string
  /** of the latest version */
  readonly id: string
  readonly version: number
  /** all versions, oldest first */
  readonly versionIds: readonly string[]
  readonly isNew: boolean
}

/**
 * The context with the permissions to make and rotate a key that belongs to an endpoint, for any of its administrators.
 */
export const forOwnKey = (context: Context): Context => ({
  ...context,
  ifMatch: undefined, // `If-Match` is about the endpoint, not the key
  caller: { ...context.caller, groups: [...context.caller.groups, 'Key Admins'] },
})

/**
 * A local key made for an endpoint and named after it. It cannot be exported, and is protected from deletion by
 * mistake.
 */
export async function newKek(context: Context, endpointId: string, { algorithm }: CreateEkmEndpoint): Promise<Kek> {
  const { local, usage } = ekmAlgorithm(algorithm)
  const body = CreateLocalKey.parse({
    ...local,
    name: `ekm-${endpointId}`,
    usageMask: usage,
    unexportable: true,
    undeletable: true,
  })
  const { id, name, version } = await createKey(forOwnKey(context), body, false)
  return { name, id, version, versionIds: [id], isNew: true }
}

const isOf = ({ local, keyType }: EkmAlgorithm, key: StoredLocalKey): boolean =>
  key.objectType === (keyType === 'symmetric' ? 'Symmetric Key' : 'Private Key') &&
  key.algorithm === local.algorithm &&
  (local.size === undefined || key.size === local.size) &&
  (local.curveid === undefined || key.curveid === local.curveid)

function isActive(key: StoredLocalKey, now: Date): boolean {
  try {
    assertUsable(key, 'protect', now)
    assertUsable(key, 'process', now)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/** All requirements that an existing key (`existing_key_id`) does not meet. */
function faultsOf(row: EkmAlgorithm, algorithm: string, key: StoredLocalKey, now: Date): string[] {
  const uses = row.keyType === 'symmetric' ? 'encrypt, decrypt, wrap and unwrap' : 'sign and verify'
  return [
    isOf(row, key) ? '' : `must be a ${row.keyType} key that fits ${algorithm}`,
    isXts(key) ? NOT_XTS : '',
    key.unexportable ? '' : 'must be flagged unexportable',
    key.undeletable ? '' : 'must be flagged undeletable',
    (key.usageMask & row.usage) === row.usage ? '' : `must be allowed to ${uses}`,
    isActive(key, now) && !key.emptyMaterial
      ? ''
      : 'must be Active, with material, neither archived nor past its protectStopDate',
  ].filter((fault) => fault !== '')
}

/**
 * An existing local key with all its versions; any of them may be named, the latest is used.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN with every broken requirement, STATE_CONFLICT for too many
 * versions
 */
export async function existingKek(context: Context, reference: string, body: CreateEkmEndpoint): Promise<Kek> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const stored = await findKey(context, reference, { version: -1 }, { pointer: POINTER, detail: 'is not there' })
  const { item: key } = stored
  const isSymmetric = body.key_type === 'symmetric'
  assertMayUse(caller, key, isSymmetric ? 'EncryptWithKey' : 'SignWithKey')
  assertMayUse(caller, key, isSymmetric ? 'DecryptWithKey' : 'SignVerifyWithKey')
  const faults = faultsOf(ekmAlgorithm(body.algorithm), body.algorithm, key, now)
  if (faults.length > 0)
    throw new Refusal('RULE_BROKEN', `The key ${key.name} ${faults.join(', and ')}.`, {
      errors: faults.map((detail) => ({ pointer: POINTER, detail })),
    })
  const versionIds = (await versionsOf(domain, key.name)).map(({ item }) => item.id)
  if (versionIds.length > VERSIONS_MOST)
    throw new Refusal('STATE_CONFLICT', `The key has more than ${VERSIONS_MOST} versions: delete old ones first.`, {
      errors: [{ pointer: POINTER, detail: `must have at most ${VERSIONS_MOST} versions` }],
    })
  changes.update(localKeys, domain, stored, key) // a concurrent deletion or rotation runs again, and finds the key in use
  return { name: key.name, id: key.id, version: key.version, versionIds, isNew: false }
}
