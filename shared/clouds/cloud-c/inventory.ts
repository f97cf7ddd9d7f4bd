import type { KeyKindUsed } from '../../audit/cbom/inventory.ts'
import { cloudInventory } from '../../cloud/keys/inventory.ts'
import { cloudCKeys } from './keys/store.ts'
import { NAME } from './name.ts'

const CURVES: Readonly<Record<string, string>> = {
  P256: 'prime256v1',
  P384: 'secp384r1',
  SECP256K1: 'secp256k1',
  ED25519: 'curve25519',
}

/** The kind of an algorithm in the terms of local keys; its own name if they have no such kind. */
function kindOf(name: string): KeyKindUsed {
  const [, rsa] = /^RSA_.*?_(2048|3072|4096)(_|$)/.exec(name) ?? []
  if (rsa !== undefined) return { algorithm: 'rsa', sizeBits: Number(rsa) }
  const [, point = ''] = /^EC_SIGN_(P256|P384|SECP256K1|ED25519)(_|$)/.exec(name) ?? []
  const curve = CURVES[point]
  if (curve !== undefined) return { algorithm: 'ec', sizeBits: point === 'P384' ? 384 : 256, curve }
  const [, hash] = /^HMAC_SHA(\d+)$/.exec(name) ?? []
  if (hash !== undefined) return { algorithm: `hmac-sha${hash}`, sizeBits: Number(hash) }
  const [, size] = /^AES_(128|256)_/.exec(name) ?? []
  const isSymmetric = name.endsWith('_SYMMETRIC_ENCRYPTION')
  return isSymmetric || size !== undefined
    ? { algorithm: 'aes', sizeBits: Number(size ?? 256) }
    : { algorithm: name.toLowerCase() }
}

export const cloudCInventory = cloudInventory(NAME, cloudCKeys, (row) => ({
  ...kindOf(row.algorithm),
  state: row.state,
}))
