import { cloudInventory } from '../../cloud/keys/inventory.ts'
import { cloudDKeys } from './keys/store.ts'
import { NAME } from './name.ts'

/** The local keys' names of the cloud's curves. */
const CURVES: Readonly<Record<string, string>> = {
  NIST_P256: 'prime256v1',
  NIST_P384: 'secp384r1',
  NIST_P521: 'secp521r1',
}
const ALGORITHMS: Readonly<Record<string, string>> = { AES: 'aes', RSA: 'rsa', ECDSA: 'ec' }

export const cloudDInventory = cloudInventory(NAME, cloudDKeys, ({ algorithm, length, curve_id, lifecycle_state }) => ({
  algorithm: ALGORITHMS[algorithm] ?? algorithm.toLowerCase(),
  sizeBits: curve_id === 'NIST_P521' ? 521 : Number(length) * 8,
  curve: CURVES[curve_id ?? ''],
  state: lifecycle_state,
}))
