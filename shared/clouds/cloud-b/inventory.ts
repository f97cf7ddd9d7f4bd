import type { KeyKindUsed } from '../../audit/cbom/inventory.ts'
import { cloudInventory } from '../../cloud/keys/inventory.ts'
import { cloudBKeys, type CloudBKeyRow } from './keys/store.ts'
import { NAME } from './name.ts'

const CURVES: Readonly<Record<string, string>> = {
  'P-256': 'prime256v1',
  'P-256K': 'secp256k1',
  'P-384': 'secp384r1',
  'P-521': 'secp521r1',
}

/** Rows of earlier releases have neither size nor curve. */
function kindOf({ kty, key_size: sizeBits, crv }: Pick<CloudBKeyRow, 'kty' | 'key_size' | 'crv'>): KeyKindUsed {
  if (kty.startsWith('RSA')) return { algorithm: 'rsa', sizeBits }
  if (kty.startsWith('oct')) return { algorithm: 'aes', sizeBits: sizeBits ?? 256 }
  const curve = CURVES[crv ?? '']
  return { algorithm: 'ec', sizeBits: Number(/\d+/.exec(crv ?? '')?.[0] ?? 0), curve }
}

export const cloudBInventory = cloudInventory(NAME, cloudBKeys, (row) => ({
  ...kindOf(row),
  state: row.status,
  until: row.expires,
}))
