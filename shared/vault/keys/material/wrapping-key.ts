import { createPublicKey, type KeyObject } from 'node:crypto'
import type { Context } from '../../../http/context.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { USAGE } from '../../../crypto/usage.ts'
import { wrappingNamed, type WrappingRow } from '../../../crypto/wrap.ts'
import { findPem, pemOf } from '../../../crypto/asn1/pem.ts'
import { Refusal } from '../../../base/errors.ts'
import type { ExportLocalKey } from './wrapping-fields.ts'
import { findNamedKey } from '../lists/find-key.ts'
import type { Use } from '../lifecycle/key-state.ts'
import { lend, type LentUse } from './lend.ts'

/** Fields of a request that describe how material is wrapped. */
export type Wrapping = Pick<
  ExportLocalKey,
  'wrapKeyName' | 'wrapKeyIDType' | 'wrappingMethod' | 'wrappingEncryptionAlgo' | 'wrapPublicKeyPadding'
>

const ENCRYPTS: Readonly<Record<Use, LentUse>> = {
  protect: { use: 'protect', bits: USAGE.wrap, permission: 'EncryptWithKey', verb: 'wrap' },
  process: { use: 'process', bits: USAGE.unwrap, permission: 'DecryptWithKey', verb: 'unwrap' },
}
const SIGNS: Readonly<Record<Use, LentUse>> = {
  protect: { use: 'protect', bits: USAGE.sign, permission: 'SignWithKey', verb: 'sign' },
  process: { use: 'process', bits: USAGE.verify, permission: 'SignVerifyWithKey', verb: 'verify' },
}
const MACS: Readonly<Record<Use, LentUse>> = {
  protect: { use: 'protect', bits: USAGE.macGenerate, permission: 'MACWithKey', verb: 'make a MAC' },
  process: { use: 'process', bits: USAGE.macVerify, permission: 'MACVerifyWithKey', verb: 'verify a MAC' },
}

/**
 * Passes a local key to `work` that wraps, MACs or signs for the caller (`protect`), or reverses or verifies it
 * (`process`).
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN for an xts key, USAGE_DENIED, STATE_CONFLICT, and errors of
 * `work`
 */
export async function withWrappingKey<T>(
  context: Context,
  { wrapKeyName = '', wrapKeyIDType, wrappingMethod }: Wrapping,
  use: Use,
  work: (key: KeyMaterial) => T | Promise<T>,
): Promise<T> {
  const field = { pointer: '#/wrapKeyName', detail: 'is not there' }
  const { item } = await findNamedKey(context, wrapKeyName, { type: wrapKeyIDType }, field)
  const uses = wrappingMethod !== 'mac/sign' ? ENCRYPTS : item.objectType === 'Symmetric Key' ? MACS : SIGNS
  return lend(context, item, { ...uses[use], field: 'wrapKeyName' }, work)
}

/**
 * The row of a request. Ours: the default wrapping is RFC 5649 for AES, and RSA-AES, which fits any key, for RSA.
 * @throws Refusal RULE_BROKEN for fields that contradict each other
 */
export function wrappingRow(wrapping: Wrapping, isAes: boolean): WrappingRow {
  const isGiven = wrapping.wrappingEncryptionAlgo !== undefined || wrapping.wrapPublicKeyPadding !== undefined
  const byDefault = { wrappingEncryptionAlgo: isAes ? 'AES/AESKEYWRAPPADDING' : 'RSA/RSAAESKEYWRAPPADDING' }
  return wrappingNamed(isGiven ? wrapping : byDefault)
}

/** The RSA key of a `wrapPublicKey`. @throws Refusal RULE_BROKEN for anything else, also for a private key */
export function rsaPublicKey(pem: string): KeyObject {
  const notPublic = (found: string): Refusal =>
    new Refusal('RULE_BROKEN', `wrapPublicKey must be the PEM of a public key: ${found}`)
  const found = findPem(pem, ['PUBLIC KEY', 'RSA PUBLIC KEY'])
  if ('fault' in found) throw notPublic(found.fault)
  let key
  try {
    key = createPublicKey(pemOf(found.label, Buffer.from(found.body, 'base64')))
  } catch {
    throw notPublic(`it has ${found.label} that cannot be read`)
  }
  if (key.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
    throw new Refusal('RULE_BROKEN', 'wrapPublicKey must be an RSA key of at least 2048 bits')
  return key
}
