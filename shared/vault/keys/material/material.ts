import { defined } from '../../../base/fields.ts'
import { algorithmNamed } from '../../../crypto/algorithms.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { SecretBytes } from '../../../crypto/secret-bytes.ts'
import { Refusal } from '../../../base/errors.ts'
import { assertKeyOpen, type KeyUseBy } from '../../../emergency/assert-open.ts'
import { openFor, sealFor } from '../../../keyring/domain-key.ts'
import type { StoredLocalKey } from '../store.ts'
import { sealPurpose } from './seal-purpose.ts'

/** Runs `work` and adds a pointer to any refusal without one. */
export async function pointingAt<T>(pointer: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal && error.errors.length === 0)
      throw new Refusal(error.reason, error.message, { cause: error, errors: [{ pointer, detail: error.message }] })
    throw error
  }
}

export const sealMaterial = (
  domain: string,
  key: Pick<StoredLocalKey, 'id' | 'version'>,
  { bytes }: KeyMaterial,
): Promise<string> => {
  const clear = bytes.use((own) => Buffer.from(own))
  return sealFor(domain, sealPurpose(key), clear).finally(() => clear.fill(0))
}

/**
 * The material of a key; destroy it after use. Every use of a key by the management passes here.
 * @throws Refusal STATE_CONFLICT if it has none, or is blocked in an emergency
 */
export async function openMaterial(by: KeyUseBy, key: StoredLocalKey): Promise<KeyMaterial> {
  await assertKeyOpen(by, key)
  return openToProve(by.domain, key)
}

/**
 * The material of a key, to prove that the key created a ciphertext. The answer contains no decrypted content, so
 * emergency blocks do not apply.
 * @throws Refusal STATE_CONFLICT if it has none
 */
export async function openToProve(domain: string, key: StoredLocalKey): Promise<KeyMaterial> {
  if (key.sealed === undefined) throw new Refusal('STATE_CONFLICT', `The key ${key.name} has no material.`)
  const bytes = SecretBytes.take(await openFor(domain, sealPurpose(key), key.sealed))
  const { name } = algorithmNamed(key.algorithm)
  return {
    objectType: key.objectType,
    algorithm: name,
    sizeBits: key.size,
    bytes,
    ...defined({ curve: key.curveid }),
    ...(key.xts && { xts: true }),
  }
}
