import { createSecretKey } from 'node:crypto'
import { PROTOCOLS } from '../../../shared/endpoints/all.ts'
import { sealBlob } from '../../../shared/crypto/protocols/ekm-blob.ts'
import { sealFields } from '../../../shared/crypto/protocols/kacls-blob.ts'
import { partsOf } from '../../../shared/vault/inspect/inspect.ts'
import { exportedKeys } from '../../../shared/vault/inspect/exported-key.ts'
import { filled, type Target } from '../target.ts'

const inspectors = [
  exportedKeys,
  ...(await Promise.all(PROTOCOLS.flatMap(({ inspect }) => (inspect === undefined ? [] : [inspect()])))),
]

const key = createSecretKey(Buffer.alloc(32, 7))
const iv = Buffer.alloc(12, 7)
const of = { id: '7'.repeat(64), version: 0 }
const KACLS = { kind: 'dek', endpoint: 'e', key: of } as const

/** Parts of a request, one a line: the ciphertext, iv, tag, metadata, additional data. */
const request = (...parts: readonly (Buffer | string)[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.toString('base64'))).join('\n')

const header = (text: string): string => `${Buffer.from(text).toString('base64url')}.AA.AA.AA.AA`

export const target: Target = {
  parse: (bytes) => {
    const [ciphertext = '', ...rest] = bytes.toString('latin1').split('\n', 5)
    const names = ['iv', 'tag', 'metadata', 'aad']
    const given = Object.fromEntries(rest.flatMap((text, at) => (text === '' ? [] : [[names[at], text]])))
    const parts = partsOf({ ciphertext, ...given })
    return parts && inspectors.filter(({ hasForm }) => hasForm(parts, 'kek')).length
  },
  seeds: () => [
    request(sealBlob(key, of, Buffer.from('text'), iv, Buffer.alloc(0))),
    request(sealFields(key, KACLS, [Buffer.from('a'), Buffer.from('b'), Buffer.from('c')], iv)),
    request(Buffer.alloc(16), iv, Buffer.alloc(16), Buffer.of(1, 0, 0, 0, 0)),
    request(Buffer.alloc(16), iv, Buffer.alloc(16), '', Buffer.from('aad')),
    request(Buffer.alloc(256)),
    header('{"alg":"RSA-OAEP","enc":"A256GCM","kid":"10"}'),
  ],
  shapes: () => ({
    dots: filled('.'),
    lines: filled('\n'),
    'a long blob': filled('A', 'AQ'),
    'a long header': header(`{"kid":"${'k'.repeat(1_400)}"}`),
    'a deep header': header('['.repeat(1_500)),
    'a long ciphertext of a JWE': filled('A', `${Buffer.from('{"kid":"1"}').toString('base64url')}.AA.AA.`, '.AA'),
  }),
}
