import { argon2Sync } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashPassword, verifyAgainstDummy, verifyPassword } from '../../../shared/crypto/passwords.ts'
import vectors from '../../vectors/passwords.json' with { type: 'json' }

const hex = (text: string) => Buffer.from(text, 'hex')

test('the runtime computes the Argon2id vector of RFC 9106', () => {
  const { message, nonce, secret, associatedData, tag, memory, passes, parallelism, tagLength } = vectors.rfc9106
  const inputs = { message: hex(message), nonce: hex(nonce), secret: hex(secret), associatedData: hex(associatedData) }
  expect(argon2Sync('argon2id', { ...inputs, memory, passes, parallelism, tagLength }).toString('hex')).toBe(tag)
})

test.each(vectors.phc.tests)('accepts the reference hash $hash', async ({ hash, password }) => {
  expect(await verifyPassword(hash, password)).toBe(true)
  expect(await verifyPassword(hash, `${password} `)).toBe(false)
})

test('a password verifies only against its own hash, and no hash repeats', async () => {
  const hashes = await Promise.all([hashPassword('Correct-Horse-1'), hashPassword('Correct-Horse-1')])
  expect(hashes[0]).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(hashes[0]).not.toBe(hashes[1])
  for (const hash of hashes) {
    expect(await verifyPassword(hash, 'Correct-Horse-1')).toBe(true)
    expect(await verifyPassword(hash, 'correct-Horse-1')).toBe(false)
    expect(await verifyPassword(hash, '')).toBe(false)
  }
})

test('passwords are used as UTF-8 bytes, without truncation or normalization', async () => {
  const hash = await hashPassword(`${'long '.repeat(40)}é`)
  expect(await verifyPassword(hash, `${'long '.repeat(40)}é`)).toBe(true)
  expect(await verifyPassword(hash, `${'long '.repeat(40)}e\u0301`)).toBe(false)
  expect(await verifyPassword(hash, 'long '.repeat(40))).toBe(false)
})

test('the dummy verification always fails', async () => {
  expect(await verifyAgainstDummy('password')).toBe(false)
})

test.each([
  '',
  'password',
  '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  '$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$',
  '$argon2id$v=19$m=99999999,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
])('a damaged stored hash is a fault: %s', async (hash) => {
  await expect(verifyPassword(hash, 'password')).rejects.toThrow('malformed')
})
