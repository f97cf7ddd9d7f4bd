import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { issueCertificate } from '../../../../infra/simulators/toolkit/x509.ts'
import { ask } from '../ask.ts'
import { answer } from './answer.ts'

const from = new Date('2024-01-02T03:04:05Z')
const to = new Date('2051-06-07T08:09:10Z')
const mapped = Buffer.from('00000000000000000000ffff0a000001', 'hex')
const ip = [Buffer.from([192, 0, 2, 7]), Buffer.from('20010db8000000000000000000000001', 'hex'), mapped]
const server = issueCertificate({
  commonName: 'Zürich',
  purpose: 'server',
  names: { dns: ['a.example'], ip },
  from,
  to,
})
const authority = issueCertificate({ commonName: 'root', purpose: 'authority', from, to })
const der = (pem: string) => new X509Certificate(pem).raw
const parse = (text: string) => ask('p := crypto.x509.parse_certificates(input)', { input: text })
const answered = (text: string) => answer('crypto.x509.parse_certificates(input)', { input: text })

test('a certificate has the fields that decisions use, in the form of the reference', async () => {
  const { serialNumber, raw } = new X509Certificate(server.cert)
  const name = (commonName: string) => ({
    ...{ Country: null, Organization: null, OrganizationalUnit: null, Locality: null, Province: null },
    ...{ StreetAddress: null, PostalCode: null, SerialNumber: '', CommonName: commonName, ExtraNames: null },
    Names: [{ Type: [2, 5, 4, 3], Value: commonName }],
  })
  expect(await parse(server.cert)).toEqual([
    {
      Raw: raw.toString('base64'),
      Signature: expect.any(String),
      Version: 3,
      SerialNumber: BigInt(`0x${serialNumber}`),
      Issuer: name('Zürich'),
      Subject: name('Zürich'),
      NotBefore: '2024-01-02T03:04:05Z',
      NotAfter: '2051-06-07T08:09:10Z',
      Extensions: expect.arrayContaining([{ Id: [2, 5, 29, 15], Critical: true, Value: expect.any(String) }]),
      KeyUsage: 1,
      ...{ ExtKeyUsage: [1], UnknownExtKeyUsage: null, SubjectKeyId: null, AuthorityKeyId: null },
      ...{ BasicConstraintsValid: true, IsCA: false, MaxPathLen: -1, MaxPathLenZero: false },
      ...{ DNSNames: ['a.example'], EmailAddresses: null, URIStrings: null },
      IPAddresses: ['192.0.2.7', '2001:db8::1', '10.0.0.1'],
    },
  ])
  expect(await parse(authority.cert)).toMatchObject([
    { KeyUsage: 32, ExtKeyUsage: null, IsCA: true, DNSNames: null, IPAddresses: null },
  ])
})

test.each<[string, string]>([
  ['PEM', server.cert + authority.cert],
  ['PEM with text around', `-----BEGIN CERTIFICATE-----${server.cert.slice(27)}\nnote\n${authority.cert}`],
  ['base64 of PEM', Buffer.from(server.cert + authority.cert).toString('base64')],
  ['base64 of DER', Buffer.concat([der(server.cert), der(authority.cert)]).toString('base64')],
])('certificates are read from %s, in order', async (_what, text) => {
  expect(await parse(text)).toMatchObject([{ Subject: { CommonName: 'Zürich' } }, { Subject: { CommonName: 'root' } }])
})

/** A certificate with one of its bytes replaced. */
function changed(find: string, by: string): string {
  const hex = der(server.cert).toString('hex')
  const at = hex.indexOf(find)
  return Buffer.from(hex.slice(0, at) + by + hex.slice(at + by.length), 'hex').toString('base64')
}
const MALFORMED = 'eval_builtin_error: crypto.x509.parse_certificates: x509: malformed certificate'

test.each<[string, string, string]>([
  ['bytes that are none', Buffer.from('badstring').toString('base64'), MALFORMED],
  ['a cut certificate', der(server.cert).subarray(0, -1).toString('base64'), MALFORMED],
  ['bytes after a certificate', Buffer.concat([der(server.cert), Buffer.of(0)]).toString('base64'), MALFORMED],
  ['a length that is not the shortest', changed('3082', '3083'), MALFORMED],
  ['a boolean that is neither', changed('0101ff', '010101'), MALFORMED],
  [
    'a time that is none',
    changed(Buffer.from('240102').toString('hex'), Buffer.from('241302').toString('hex')),
    MALFORMED,
  ],
  ['a name that is not UTF-8', changed('c3bc', 'c3c3'), MALFORMED],
  ['no base64', 'foobar', 'eval_builtin_error: crypto.x509.parse_certificates: illegal base64 data at input byte 4'],
  [
    'a private key',
    authority.key,
    "eval_builtin_error: crypto.x509.parse_certificates: PEM block type is 'PRIVATE KEY', expected CERTIFICATE",
  ],
])('%s is refused', async (_what, text, expected) => {
  expect(await answered(text)).toBe(expected)
})

test('no certificates are an empty list, and only a text is read', async () => {
  expect(await answered('')).toBe('[]')
  expect(await answer('crypto.x509.parse_certificates(1)')).toMatch(
    /^eval_type_error: .*must be string but got number$/,
  )
})

test('the cost of certificates is their length, which is limited', async () => {
  expect(await answered('A'.repeat(65_540))).toBe('eval_cancel_error: a text of certificates is too long')
  const many = server.cert.repeat(60)
  expect(await answer('crypto.x509.parse_certificates(input)', { input: many, limits: { steps: 50_000 } })).toBe(
    'eval_cancel_error: evaluation took too many steps',
  )
})

test.each(Array.from({ length: 40 }, (_, n) => [n]))(
  'a certificate with a wrong byte (%d) never is a fault',
  async (n) => {
    const bytes = Buffer.from(der(server.cert))
    for (let at = n; at < bytes.length; at += 40) {
      const wrong = Buffer.from(bytes)
      wrong[at] = (wrong[at] ?? 0) ^ (1 << (at % 8))
      await expect(parse(wrong.toString('base64'))).resolves.not.toThrow()
    }
  },
)
