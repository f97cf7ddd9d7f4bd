import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { selfSigned, thumbprintOf } from '../../../../shared/crypto/x509/self-signed.ts'

test('a certificate is signed by its own key, for the given number of days', async () => {
  const { certificate, private_key } = await selfSigned('shop', new Date('2026-03-01T12:00:00Z'), 730)
  const x509 = new X509Certificate(certificate)
  const key = createPrivateKey(private_key)
  expect(x509.checkPrivateKey(key)).toBe(true)
  expect(x509.verify(x509.publicKey)).toBe(true)
  expect([x509.subject, x509.issuer]).toEqual(['CN=shop', 'CN=shop'])
  expect([x509.validFrom, x509.validTo].map((time) => new Date(time).toISOString())).toEqual([
    '2026-03-01T12:00:00.000Z',
    '2028-02-29T12:00:00.000Z',
  ])
  expect(key.asymmetricKeyDetails?.modulusLength).toBe(2048)
  expect(thumbprintOf(certificate)).toBe(createHash('sha1').update(x509.raw).digest('hex').toUpperCase())
})

test('every certificate has a key and a serial number of its own', async () => {
  const [one, other] = await Promise.all([selfSigned('a', new Date(0), 1), selfSigned('a', new Date(0), 1)])
  expect(one.private_key).not.toBe(other.private_key)
  const serials = [one, other].map(({ certificate }) => new X509Certificate(certificate).serialNumber)
  expect(new Set(serials).size).toBe(2)
})
