import { inspect } from 'node:util'
import fc from '../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { constantTimeEqual } from '../../../shared/crypto/constant-time.ts'
import { SecretBytes } from '../../../shared/crypto/secret-bytes.ts'

const marker = Buffer.from('marker-that-must-not-show', 'utf8')

test.each([
  ['String()', (secret: SecretBytes) => secret.toString()],
  ['a template', (secret: SecretBytes) => `a key: ${secret as unknown as string}`],
  ['JSON', (secret: SecretBytes) => JSON.stringify({ secret })],
  ['util.inspect', (secret: SecretBytes) => inspect({ secret }, { showHidden: true, depth: 9 })],
  ['own properties', (secret: SecretBytes) => JSON.stringify(Object.entries(secret)) + '[secret]'],
])('secret bytes print as [secret] in %s', (_where, print) => {
  const printed = print(SecretBytes.from(marker))
  expect(printed).toContain('[secret]')
  for (const encoding of ['utf8', 'hex', 'base64'] as const) expect(printed).not.toContain(marker.toString(encoding))
})

test('`from` copies the bytes, so that later changes of the source do not matter', () => {
  const source = Buffer.from('0102', 'hex')
  const secret = SecretBytes.from(source)
  source.fill(0)
  expect(secret.use((bytes) => bytes.toString('hex'))).toBe('0102')
})

test('`take` owns the buffer: destroy zeroes it', () => {
  const source = Buffer.from('0102', 'hex')
  SecretBytes.take(source).destroy()
  expect(source.toString('hex')).toBe('0000')
})

test('destroyed bytes cannot be used, may be destroyed again and still report their length', () => {
  const secret = SecretBytes.random(32)
  secret.destroy()
  secret.destroy()
  expect(secret.length).toBe(32)
  expect(() => secret.use((bytes) => bytes)).toThrow(RangeError)
})

test('two random secrets differ', () => {
  const [a, b] = [SecretBytes.random(32), SecretBytes.random(32)]
  expect(a.use((left) => b.use((right) => left.equals(right)))).toBe(false)
})

test('constantTimeEqual is equality of bytes, other lengths included', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
      expect(constantTimeEqual(a, b)).toBe(Buffer.from(a).equals(b))
      expect(constantTimeEqual(a, Uint8Array.from(a))).toBe(true)
      expect(constantTimeEqual(a, Uint8Array.from([...a, 0]))).toBe(false)
    }),
  )
})
