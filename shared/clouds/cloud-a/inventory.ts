import type { KeyKindUsed } from '../../audit/cbom/inventory.ts'
import { cloudInventory } from '../../cloud/keys/inventory.ts'
import { cloudAKeys } from './keys/store.ts'
import { NAME } from './name.ts'

const CURVES: Readonly<Record<string, string>> = {
  NIST_P256: 'prime256v1',
  NIST_P384: 'secp384r1',
  NIST_P521: 'secp521r1',
  SECG_P256K1: 'secp256k1',
  NIST_EDWARDS25519: 'curve25519',
}

/** The kind of a key spec in the terms of local keys; the spec's own name if they have no such kind. */
function kindOf(spec: string): KeyKindUsed {
  if (spec === 'SYMMETRIC_DEFAULT') return { algorithm: 'aes', sizeBits: 256 }
  const [, family = '', rest = ''] = /^(RSA|ECC|HMAC|ML_DSA)_(.+)$/.exec(spec) ?? []
  const curve = CURVES[rest]
  if (family === 'ECC' && curve !== undefined)
    return { algorithm: 'ec', sizeBits: Number(/\d+/.exec(curve === 'curve25519' ? '256' : rest)?.[0]), curve }
  const sizeBits = Number(rest)
  if (family === 'RSA') return { algorithm: 'rsa', sizeBits }
  if (family === 'HMAC') return { algorithm: `hmac-sha${rest}`, sizeBits }
  return family === 'ML_DSA' ? { algorithm: 'ml-dsa', sizeBits } : { algorithm: spec.toLowerCase() }
}

export const cloudAInventory = cloudInventory(NAME, cloudAKeys, (row) => ({
  ...kindOf(row.customer_master_key_spec),
  state: row.key_state,
  until: row.valid_to,
}))
