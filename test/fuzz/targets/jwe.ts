import { Refusal } from '../../../shared/base/errors.ts'
import { encryptJwe, materialFromJwe } from '../../../shared/crypto/jose/jwe.ts'
import type { KeyMaterial } from '../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../shared/crypto/secret-bytes.ts'
import vectors from '../../vectors/jwe.json' with { type: 'json' }
import { filled, nested, refusingLater, type Target } from '../target.ts'

const key: KeyMaterial = {
  objectType: 'Symmetric Key',
  algorithm: 'aes',
  sizeBits: 256,
  bytes: SecretBytes.take(Buffer.alloc(32, 7)),
}
const wellFormed = await encryptJwe(key, { key })
const header = (text: string): string => Buffer.from(text).toString('base64url')
const HEADER = header('{"alg":"A256KW","enc":"A256GCM"}')

export const target: Target = {
  parse: (bytes) =>
    refusingLater([Refusal], () => materialFromJwe(bytes.toString('latin1'), { key }, { objectType: 'Symmetric Key' })),
  seeds: () => [
    wellFormed,
    ...(JSON.stringify(vectors).match(/eyJ[A-Za-z0-9_.-]+/g) ?? []),
    `${HEADER}.${'A'.repeat(54)}.AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA`,
  ],
  shapes: () => ({
    dots: filled('.'),
    'a long header': `${header(`{"alg":"A256KW","enc":"A256GCM","kid":"${filled('k').slice(0, 48_000)}"}`)}....`,
    'a deep header': `${header(nested('[', '', ']').slice(0, 48_000))}....`,
    'a long ciphertext': filled('A', `${HEADER}.${'A'.repeat(54)}.AAAAAAAAAAAAAAAA.`, '.AAAAAAAAAAAAAAAAAAAAAA'),
    'a long encrypted key': filled('A', `${HEADER}.`, '.AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA'),
  }),
}
