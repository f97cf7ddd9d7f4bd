import { createHash, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { certify, issueCertificate } from '../../../../infra/simulators/toolkit/x509.ts'
import { signedByCertificate } from '../../../../shared/clouds/cloud-a/adapter/certificate-signature.ts'
import { createPrivateKey } from 'node:crypto'
import { file, openssl, pairs } from '../../crypto/x509/openssl.ts'

const VALID = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2046-01-01T00:00:00Z') }
const authority = issueCertificate({ commonName: 'authority', purpose: 'authority', ...VALID })
const issuer = { commonName: 'authority', key: createPrivateKey(authority.key) }

const POST = {
  host: 'rolesanywhere.eu-central-1.amazonaws.com',
  path: '/sessions',
  body: '{"durationSeconds":3600}',
  region: 'eu-central-1',
  at: new Date('2026-03-04T05:06:07.890Z'),
}
const SCOPE = '20260304/eu-central-1/rolesanywhere/aws4_request'
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

test.each([
  ['rsa', 'AWS4-X509-RSA-SHA256'],
  ['p256', 'AWS4-X509-ECDSA-SHA256'],
  ['p384', 'AWS4-X509-ECDSA-SHA256'],
] as const)('OpenSSL finds the signature of %s good over the text that the cloud documents', (kind, algorithm) => {
  const { publicKey, privateKey } = pairs[kind]
  const certificate = certify({ commonName: 'holder', purpose: 'client', issuer, ...VALID }, publicKey)
  const { raw, serialNumber } = new X509Certificate(certificate)
  const holder = { certificate, private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
  const { authorization = '', ...headers } = signedByCertificate(POST, holder)
  expect(headers).toEqual({
    'content-type': 'application/json',
    host: POST.host,
    'x-amz-date': '20260304T050607Z',
    'x-amz-x509': raw.toString('base64'),
  })
  const canonical = `POST\n/sessions\n\ncontent-type:application/json\nhost:${POST.host}\nx-amz-date:20260304T050607Z\nx-amz-x509:${raw.toString('base64')}\n\ncontent-type;host;x-amz-date;x-amz-x509\n${sha256(POST.body)}`
  const toSign = `${algorithm}\n20260304T050607Z\n${SCOPE}\n${sha256(canonical)}`
  const [head, signature = ''] = authorization.split(', Signature=')
  expect(head).toBe(
    `${algorithm} Credential=${BigInt(`0x${serialNumber}`)}/${SCOPE}, SignedHeaders=content-type;host;x-amz-date;x-amz-x509`,
  )
  const key = file(publicKey.export({ type: 'spki', format: 'pem' }))
  const verified = openssl(
    ...['dgst', '-sha256', '-verify', key, '-signature', file(Buffer.from(signature, 'hex')), file(toSign)],
  )
  expect(verified).toEqual({ text: 'Verified OK\n', holds: true })
})

test('the certificates of the chain are sent and signed after that of the key', () => {
  const { cert, key } = issueCertificate({ commonName: 'holder', purpose: 'client', issuer, ...VALID })
  const headers = signedByCertificate(POST, { certificate: cert + authority.cert + authority.cert, private_key: key })
  const inBase64 = new X509Certificate(authority.cert).raw.toString('base64')
  expect(headers['x-amz-x509']).toBe(new X509Certificate(cert).raw.toString('base64'))
  expect(headers['x-amz-x509-chain']).toBe(`${inBase64},${inBase64}`)
  expect(headers.authorization).toContain('SignedHeaders=content-type;host;x-amz-date;x-amz-x509;x-amz-x509-chain,')
})

test('a signature needs a certificate', () => {
  expect(() => signedByCertificate(POST, { certificate: '', private_key: authority.key })).toThrow('no certificate')
})
