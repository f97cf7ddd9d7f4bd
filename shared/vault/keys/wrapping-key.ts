import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Context } from '../../http/context.ts'
import type { KeyMaterial } from '../../crypto/key-material.ts'
import { USAGE } from '../../crypto/usage.ts'
import { wrappingNamed, type WrappingRow } from '../../crypto/wrap.ts'
import { Refusal } from '../../base/errors.ts'
import type { ExportLocalKey, KeyPermission } from './model.ts'
import { assertMayUse } from './access.ts'
import { findKey } from './find-key.ts'
import { assertUsable, type Use } from './key-state.ts'
import { openMaterial } from './material.ts'
import { assertNotXts } from './xts.ts'

/** Fields of a request that describe how material is wrapped. */
export type Wrapping = Pick<
  ExportLocalKey,
  'wrapKeyName' | 'wrapKeyIDType' | 'wrappingMethod' | 'wrappingEncryptionAlgo' | 'wrapPublicKeyPadding'
>

/** One use of a wrapping key: the usage bit, and the permission of groups, that it takes. */
interface KeyUse {
  readonly bit: number
  readonly permission: KeyPermission
  /** As in "does not allow to …". */
  readonly verb: string
}

const ENCRYPTS: Readonly<Record<Use, KeyUse>> = {
  protect: { bit: USAGE.wrap, permission: 'EncryptWithKey', verb: 'wrap' },
  process: { bit: USAGE.unwrap, permission: 'DecryptWithKey', verb: 'unwrap' },
}
const SIGNS: Readonly<Record<Use, KeyUse>> = {
  protect: { bit: USAGE.sign, permission: 'SignWithKey', verb: 'sign' },
  process: { bit: USAGE.verify, permission: 'SignVerifyWithKey', verb: 'verify' },
}
const MACS: Readonly<Record<Use, KeyUse>> = {
  protect: { bit: USAGE.macGenerate, permission: 'MACWithKey', verb: 'make a MAC' },
  process: { bit: USAGE.macVerify, permission: 'MACVerifyWithKey', verb: 'verify a MAC' },
}

/**
 * Lends a local key that wraps, MACs or signs for the caller (`protect`), or reverses or verifies it (`process`).
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN for an xts key, USAGE_DENIED, STATE_CONFLICT, and what `work` throws
 */
export async function withWrappingKey<T>(
  context: Context,
  { wrapKeyName = '', wrapKeyIDType, wrappingMethod }: Wrapping,
  use: Use,
  work: (key: KeyMaterial) => T | Promise<T>,
): Promise<T> {
  const field = { pointer: '#/wrapKeyName', detail: 'is not there' }
  const { item } = await findKey(context, wrapKeyName, { type: wrapKeyIDType }, field)
  const uses = wrappingMethod !== 'mac/sign' ? ENCRYPTS : item.objectType === 'Symmetric Key' ? MACS : SIGNS
  const { bit, permission, verb } = uses[use]
  assertMayUse(context.caller, item, permission)
  assertNotXts(item, 'wrapKeyName')
  if ((item.usageMask & bit) === 0)
    throw new Refusal('USAGE_DENIED', `The usageMask of ${item.name} does not allow to ${verb}.`, {
      errors: [{ pointer: '#/wrapKeyName', detail: 'its usageMask does not allow it' }],
    })
  assertUsable(item, use, context.now)
  const key = await openMaterial(context.caller.domain.id, item)
  try {
    return await work(key)
  } finally {
    key.bytes.destroy()
  }
}

/**
 * The row of a request. Ours: the default wrapping is RFC 5649 for AES, and RSA-AES, which fits any key, for RSA.
 * @throws Refusal RULE_BROKEN for fields that do not go together
 */
export function wrappingRow(wrapping: Wrapping, isAes: boolean): WrappingRow {
  const isGiven = wrapping.wrappingEncryptionAlgo !== undefined || wrapping.wrapPublicKeyPadding !== undefined
  const byDefault = { wrappingEncryptionAlgo: isAes ? 'AES/AESKEYWRAPPADDING' : 'RSA/RSAAESKEYWRAPPADDING' }
  return wrappingNamed(isGiven ? wrapping : byDefault)
}

/** The RSA key of a `wrapPublicKey`. @throws Refusal RULE_BROKEN for anything else, also for a private key */
export function rsaPublicKey(pem: string): KeyObject {
  if (!/^-----BEGIN (RSA )?PUBLIC KEY-----/.test(pem.trimStart()))
    throw new Refusal('RULE_BROKEN', 'wrapPublicKey must be the PEM of a public key')
  let key
  try {
    key = createPublicKey(pem)
  } catch {
    throw new Refusal('RULE_BROKEN', 'wrapPublicKey must be the PEM of a public key')
  }
  if (key.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
    throw new Refusal('RULE_BROKEN', 'wrapPublicKey must be an RSA key of at least 2048 bits')
  return key
}
