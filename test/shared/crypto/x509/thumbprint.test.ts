import { X509Certificate, hash } from 'node:crypto'
import fs from 'node:fs'
import { expect, test } from 'vitest'
import { pemOf } from '../../../../shared/crypto/asn1/pem.ts'
import { thumbprintOf } from '../../../../shared/crypto/x509/thumbprint.ts'
import { rootOf } from './authority.ts'
import { bytesBy, file, pairs } from './openssl.ts'

test('the thumbprint is SHA-256 of the certificate, as openssl has it', async () => {
  const pem = await rootOf(pairs.p256)
  const der = bytesBy('x509', '-in', file(pem), '-outform', 'DER')
  const digest = bytesBy('dgst', '-sha256', '-binary', file(der))
  expect(thumbprintOf(pem)).toBe(digest.toString('base64url'))
  expect(thumbprintOf(pem)).toMatch(/^[\w-]{43}$/)
  expect(thumbprintOf(new X509Certificate(pem).toString())).toBe(thumbprintOf(pem))
  expect(thumbprintOf(pem.replaceAll('\n', '\r\n'))).toBe(thumbprintOf(pem))
})

test('certificates of NIST each have a thumbprint of their own', () => {
  const { certificates } = JSON.parse(fs.readFileSync('test/vectors/pkits.json', 'utf8')) as {
    certificates: Record<string, string>
  }
  const all = Object.values(certificates).map((text) => Buffer.from(text, 'base64'))
  const thumbprints = all.map((bytes) => thumbprintOf(pemOf('CERTIFICATE', bytes)))
  expect(thumbprints).toEqual(all.map((bytes) => hash('sha256', bytes, 'base64url')))
  expect(new Set(thumbprints).size).toBe(all.length)
})

test('an invalid certificate has no thumbprint', async () => {
  const pem = await rootOf(pairs.p256)
  const key = pairs.p256.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  for (const text of ['', 'text', key, pem + pem, pem.replace('END CERTIFICATE', 'END KEY'), pem.slice(0, -10)])
    expect(thumbprintOf(text)).toBe('')
})
