import { createDecipheriv, createPrivateKey, pbkdf2Sync } from 'node:crypto'
import { expect, test } from 'vitest'
import { memberAt, membersOf, readDer, TAG, type Der } from '../../../../shared/crypto/asn1/der.ts'
import { importMaterial } from '../../../../shared/crypto/material/import-material.ts'
import { exportUnderPassword, importUnderPassword } from '../../../../shared/crypto/material/password-material.ts'
import { decryptPbes2, encryptPbes2 } from '../../../../shared/crypto/material/pbes2.ts'
import vectors from '../../../vectors/key-files.json' with { type: 'json' }
import { refused } from '../refused.ts'

const { keys, password } = vectors
const derOf = (pem: string) => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
const SECRET = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')

test.each(['ec-enc', 'ec-enc-aes128', 'ec-enc-sha1'] as const)('opens %s as OpenSSL wrote it', async (name) => {
  const encrypted = derOf(keys[name].pem)
  const material = await importUnderPassword({ algorithm: 'ec', password }, encrypted)
  expect(material.bytes.use((bytes) => Buffer.from(bytes))).toEqual(derOf(keys.ec.pem))
  await refused('RULE_BROKEN', () => importUnderPassword({ algorithm: 'ec', password: `${password} ` }, encrypted))
})

test.each([
  ['ec-enc-999', 'between 1000 and 2000000'],
  ['ec-enc-3des', 'cipher of PBES2'],
  ['ec-scrypt', 'PBES2 with PBKDF2'],
  ['ec', 'PBES2 with PBKDF2'],
] as const)('refuses %s before it derives a key', async (name, names) => {
  expect(await refused('RULE_BROKEN', () => decryptPbes2(derOf(keys[name].pem), password))).toContain(names)
})

test('OpenSSL opens a private key that was exported under a password', async () => {
  const ec = await importMaterial({ algorithm: 'ec', material: keys.ec.pem })
  const { material } = await exportUnderPassword(ec, { password: 'pässword' })
  const opened = createPrivateKey({ key: material, passphrase: 'pässword' })
  expect(opened.export({ format: 'pem', type: 'pkcs8' })).toBe(keys.ec.pem)
})

/** A nested element, by the indexes on each level. */
const inside = (element: Der, ...places: number[]): Der =>
  places.reduce((of, place) => memberAt(membersOf(of), place, membersOf(of)[place]?.tag ?? 0), element)

test('raw material under a password is PBKDF2 with 600,000 rounds and AES key wrap, named in the structure', async () => {
  const whole = readDer(await encryptPbes2(SECRET, password, 'kwp'), TAG.sequence)
  const kdf = inside(whole, 0, 1, 0, 1)
  const rounds = inside(kdf, 1).body.readUIntBE(0, 3)
  expect(rounds).toBe(600_000)
  expect(inside(kdf, 0).body).toHaveLength(16)
  expect(inside(whole, 0, 1, 1, 0).whole.toString('hex')).toBe('0609608648016503040130') // id-aes256-wrap-pad
  const dek = pbkdf2Sync(password, inside(kdf, 0).body, rounds, 32, 'sha256')
  const decipher = createDecipheriv('id-aes256-wrap-pad', dek, Buffer.from('a65959a6', 'hex'))
  expect(Buffer.concat([decipher.update(inside(whole, 1).body), decipher.final()])).toEqual(SECRET)
})

test('a wrong password of raw material is always detected; a cipher that might not is refused', async () => {
  const encrypted = await encryptPbes2(SECRET, password, 'kwp', 1_000)
  const { bytes } = await decryptPbes2(encrypted, password)
  expect(bytes.use((clear) => Buffer.from(clear))).toEqual(SECRET)
  for (let at = 0; at < 300; at += 100)
    expect(await refused('RULE_BROKEN', () => decryptPbes2(encrypted, `${password}${at}`))).toContain('password')
  const inCbc = await encryptPbes2(SECRET, password, 'cbc', 1_000)
  const attempt = () => importUnderPassword({ algorithm: 'aes', password }, inCbc)
  expect(await refused('RULE_BROKEN', attempt)).toContain('key wrap')
})

test('refuses a structure cut anywhere', async () => {
  const whole = await encryptPbes2(SECRET, password, 'kwp', 1_000)
  for (let at = 0; at < whole.length; at += 3)
    await refused('RULE_BROKEN', () => decryptPbes2(whole.subarray(0, at), password))
})

test('too many rounds are refused, not run', async () => {
  const encrypted = await encryptPbes2(SECRET, password, 'kwp', 2_000_000)
  const most = encrypted.indexOf('1e8480', 'hex') // 2,000,000
  encrypted[most] = 0x7f
  expect(await refused('RULE_BROKEN', () => decryptPbes2(encrypted, password))).toContain('rounds')
})
