import { decapsulate, encapsulate } from 'node:crypto'
import { expect, test } from 'vitest'
import { LOCAL_ALGORITHMS } from '../../../../shared/crypto/algorithms.ts'
import { importMaterial } from '../../../../shared/crypto/material/import-material.ts'
import { asKeyObject, generateMaterial, publicOf } from '../../../../shared/crypto/key-material.ts'
import vectors from '../../../vectors/post-quantum.json' with { type: 'json' }
import { refused } from '../refused.ts'

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, body.length]), body])
}

/** PKCS #8 that contains only the seed 00 01 02 … (RFC 9881 §6, RFC 9935 §6). */
const fromSeed = (oid: string, bytes: number): string =>
  der(
    0x30,
    der(0x02, Buffer.of(0)),
    der(0x30, der(0x06, Buffer.from(oid, 'hex'))),
    der(0x04, der(0x80, Buffer.from(Array.from({ length: bytes }, (_, at) => at)))),
  ).toString('base64')

test.each(vectors.keys)('$algorithm $size from a seed has the public key of its RFC', async (vector) => {
  const { algorithm, size, oid, seedBytes, publicBytes, begins } = vector
  const material = await importMaterial({ algorithm, encoding: 'base64', material: fromSeed(oid, seedBytes) })
  expect(material).toMatchObject({ objectType: 'Private Key', algorithm, sizeBits: size })
  const spki = publicOf(material).bytes.use((bytes) => Buffer.from(bytes))
  expect(spki.subarray(-publicBytes).subarray(0, 32).toString('hex')).toBe(begins)
})

test('a key of another algorithm or parameter set is refused', async () => {
  const [dsa, , , kem] = vectors.keys.map(({ oid, seedBytes }) => fromSeed(oid, seedBytes))
  const take = (algorithm: string, material = '', sizeBits?: number) =>
    refused('RULE_BROKEN', () => importMaterial({ algorithm, encoding: 'base64', material, sizeBits }))
  expect(await take('ml-kem', dsa)).toContain('not a key of algorithm ml-kem')
  expect(await take('ml-dsa', kem)).toContain('not a key of algorithm ml-dsa')
  expect(await take('rsa', dsa)).toContain('not a key of algorithm rsa')
  expect(await take('ml-dsa', dsa, 65)).toContain('size differs')
})

test.each(LOCAL_ALGORITHMS['ml-kem'].sizesBits)('ml-kem %i agrees on a key', async (sizeBits) => {
  const material = await generateMaterial(LOCAL_ALGORITHMS['ml-kem'], { sizeBits })
  const { sharedKey, ciphertext } = encapsulate(asKeyObject(publicOf(material)))
  expect(decapsulate(asKeyObject(material), ciphertext)).toEqual(sharedKey)
})
