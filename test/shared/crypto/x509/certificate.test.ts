import { X509Certificate, createHash, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { pemBytes, pemOf } from '../../../../shared/crypto/asn1/pem.ts'
import { spkiOf } from '../../../../shared/crypto/public-half.ts'
import { NO_ALT_NAMES } from '../../../../shared/crypto/x509/alt-names.ts'
import { isSignedBy, issueCertificate, newSerial, readCertificate } from '../../../../shared/crypto/x509/certificate.ts'
import type { CertificateOrder } from '../../../../shared/crypto/x509/certificate.ts'
import { makeRequest, readRequest } from '../../../../shared/crypto/x509/request.ts'
import { refused } from '../refused.ts'
import { after, from, rootOf } from './authority.ts'
import { bytesBy, file, openssl, pairs, requestBy } from './openssl.ts'

const root = await rootOf(pairs.p384)
const order: CertificateOrder = {
  issuer: { pem: root, key: pairs.p384.privateKey },
  subject: { cn: 'shop.example' },
  altNames: { dns: ['shop.example', '*.shop.example'], email: [], ip: ['192.0.2.7'] },
  publicKey: pairs.p256.publicKey,
  ...{ purpose: 'server', serial: newSerial(), notBefore: from, notAfter: after(365) },
  ...{ crlUrl: 'https://keys.example/crl', ocspUrl: 'https://keys.example/ocsp' },
}
const issue = (change: Partial<CertificateOrder> = {}): Promise<string> => issueCertificate({ ...order, ...change })

const textOf = (pem: string): string =>
  openssl('x509', '-in', file(pem), '-noout', '-text').text.replaceAll(/\s+/g, ' ')
const verified = (pem: string, purpose: string, anchor = root, ...more: string[]) =>
  openssl('verify', '-x509_strict', '-CAfile', file(anchor), '-purpose', purpose, ...more, file(pem))

describe.each(Object.entries(pairs))('an authority with a key of %s', (_kind, pair) => {
  test('signs for itself, and certifies every kind of key for OpenSSL', async () => {
    const anchor = await rootOf(pair)
    expect(verified(anchor, 'any', anchor)).toEqual({ text: expect.stringContaining(': OK') as string, holds: true })
    const text = textOf(anchor)
    expect(text).toContain('X509v3 Basic Constraints: critical CA:TRUE X509v3')
    expect(text).toContain('Key Usage: critical Digital Signature, Certificate Sign, CRL Sign')
    expect(text).not.toContain('Authority Key Identifier')
    for (const { publicKey } of Object.values(pairs)) {
      const issuer = { pem: anchor, key: pair.privateKey }
      const pem = await issue({ issuer, publicKey })
      expect(verified(pem, 'sslserver', anchor).holds).toBe(true)
      expect(isSignedBy(pem, anchor)).toBe(true)
    }
  })
})

test('the hash of a signature matches the size of the key', async () => {
  const algorithmOf = async (pair: { privateKey: KeyObject; publicKey: KeyObject }) =>
    /Signature Algorithm: (\S+)/.exec(textOf(await rootOf(pair)))?.[1]
  const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength })
  expect(await Promise.all([pairs.p256, pairs.p384, pairs.p521].map(algorithmOf))).toEqual([
    ...['ecdsa-with-SHA256', 'ecdsa-with-SHA384', 'ecdsa-with-SHA512'],
  ])
  expect(await algorithmOf(pairs.rsa)).toBe('sha256WithRSAEncryption')
  expect(await algorithmOf(rsa(3072))).toBe('sha384WithRSAEncryption')
  expect(await algorithmOf(rsa(4096))).toBe('sha512WithRSAEncryption')
}, 60_000)

test('a certificate of a server has its purpose, and is valid for no other', async () => {
  const pem = await issue()
  const text = textOf(pem)
  for (const part of [
    'X509v3 Basic Constraints: critical CA:FALSE',
    'X509v3 Key Usage: critical Digital Signature X509v3',
    'X509v3 Extended Key Usage: TLS Web Server Authentication X509v3',
    'X509v3 Subject Alternative Name: DNS:shop.example, DNS:*.shop.example, IP Address:192.0.2.7',
    'X509v3 CRL Distribution Points: Full Name: URI:https://keys.example/crl',
    'Authority Information Access: OCSP - URI:https://keys.example/ocsp',
  ])
    expect(text).toContain(part)
  expect(verified(pem, 'sslserver', root, '-verify_hostname', 'www.shop.example').holds).toBe(true)
  expect(verified(pem, 'sslserver', root, '-verify_hostname', 'shop2.example').holds).toBe(false)
  expect(verified(pem, 'sslclient').holds).toBe(false)
  expect(textOf(await issue({ publicKey: pairs.rsa.publicKey }))).toContain('Digital Signature, Key Encipherment')
})

test('a certificate of a client has the name of its request, and is valid for no other purpose', async () => {
  const request = await readRequest(requestBy(pairs.p256.privateKey, '/O=Shop/CN=till 7/UID=7', '-multivalue-rdn'))
  const pem = await issue({
    subject: request.name,
    altNames: NO_ALT_NAMES,
    publicKey: request.publicKey,
    purpose: 'client',
  })
  expect(readCertificate(pem).subject).toBe(request.subject)
  expect(textOf(pem)).toContain('Extended Key Usage: TLS Web Client Authentication')
  expect(verified(pem, 'sslclient').holds).toBe(true)
  expect(verified(pem, 'sslserver').holds).toBe(false)
})

test('an authority below a root certifies, but no further authority', async () => {
  const key = pairs.p521.privateKey
  const below = await issue({
    subject: { cn: 'Below' },
    altNames: NO_ALT_NAMES,
    publicKey: pairs.p521.publicKey,
    purpose: 'ca',
  })
  expect(textOf(below)).toContain('Basic Constraints: critical CA:TRUE, pathlen:0')
  const pem = await issue({ issuer: { pem: below, key } })
  expect(verified(pem, 'sslserver', root, '-untrusted', file(below)).holds).toBe(true)
  expect(readCertificate(pem).issuer).toBe('CN=Below')
  expect(
    await refused('RULE_BROKEN', () => issue({ issuer: { pem: below, key }, purpose: 'ca', altNames: NO_ALT_NAMES })),
  ).toContain('must not certify other authorities')
})

test('an authority of another service is named by its own certificate', async () => {
  const key = pairs.rsa.privateKey
  const request = await makeRequest({ cn: 'Ours' }, NO_ALT_NAMES, key)
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const otherKey = file(other.export({ type: 'pkcs8', format: 'pem' }))
  const anchor = bytesBy(
    'req',
    '-x509',
    '-new',
    '-key',
    otherKey,
    '-subj',
    '/CN=Other',
    '-addext',
    'keyUsage=critical,keyCertSign',
  ).toString()
  const extensions = file(
    'basicConstraints=critical,CA:TRUE\nsubjectKeyIdentifier=01:02:03\nkeyUsage=critical,keyCertSign\nauthorityKeyIdentifier=keyid',
  )
  const installed = bytesBy(
    ...['x509', '-req', '-in', file(request), '-CA', file(anchor), '-CAkey', otherKey, '-set_serial', '7'],
    ...['-extfile', extensions, '-days', '20'],
  ).toString()
  expect(isSignedBy(installed, anchor)).toBe(true)
  const pem = await issue({ issuer: { pem: installed, key } })
  expect(verified(pem, 'sslserver', anchor, '-untrusted', file(installed)).text).toContain(': OK')
  expect(textOf(pem)).toContain('Authority Key Identifier: 01:02:03')
  expect(readCertificate(pem).notAfter).toBe(readCertificate(installed).notAfter)
})

test('a certificate ends with its issuer, and is valid in whole seconds, also after 2049', async () => {
  const short = await rootOf(pairs.p256, after(10))
  const issuer = { pem: short, key: pairs.p256.privateKey }
  expect(readCertificate(await issue({ issuer })).notAfter).toBe(after(10).toISOString())
  await refused('RULE_BROKEN', () => issue({ issuer, notBefore: after(10), notAfter: after(11) }))
  const late = await rootOf(pairs.p256, new Date('2050-01-01T00:00:00.900Z'))
  expect(readCertificate(late).notAfter).toBe('2050-01-01T00:00:00.000Z')
  expect(textOf(late)).toContain('Not After : Jan 1 00:00:00 2050 GMT')
  expect(verified(late, 'any', late).holds).toBe(true)
})

test('without a subject the alternative names are critical', async () => {
  const name = Buffer.from('3000', 'hex')
  const pem = await issue({ subject: name })
  expect(textOf(pem)).toContain('Subject Alternative Name: critical')
  expect(verified(pem, 'sslserver').holds).toBe(true)
  await refused('RULE_BROKEN', () => issue({ subject: name, altNames: NO_ALT_NAMES }))
  await refused('RULE_BROKEN', () =>
    issue({ subject: name, purpose: 'ca', altNames: { ...NO_ALT_NAMES, dns: ['a.example'] } }),
  )
})

test('facts of a certificate are those that OpenSSL prints', async () => {
  const serial = newSerial()
  const pem = await issue({ serial, subject: { cn: 'a', names: [{ O: 'Shop' }] } })
  const facts = readCertificate(pem)
  expect(facts).toMatchObject({
    subject: 'CN=a,O=Shop',
    issuer: 'CN=Röot,O=Shop,C=DE',
    serialNumber: serial.toString('hex'),
    notBefore: from.toISOString(),
    notAfter: after(365).toISOString(),
    isAuthority: false,
    spki: spkiOf(pairs.p256.publicKey),
  })
  for (const hash of ['sha1', 'sha256', 'sha512'] as const) {
    const seen = openssl('x509', '-in', file(pem), '-noout', '-fingerprint', `-${hash}`).text
    expect(seen.toLowerCase().replaceAll(':', '')).toContain(facts[`${hash}Fingerprint`])
  }
  expect(facts.sha256Fingerprint).toBe(createHash('sha256').update(new X509Certificate(pem).raw).digest('hex'))
  expect(readCertificate(root).isAuthority).toBe(true)
})

test('a certificate of another service is read, with names in every encoding, and of version 1', () => {
  const key = file(pairs.p256.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const config = file('string_mask=nombstr\n[req]\ndistinguished_name=dn\n[dn]\n')
  const request = file(bytesBy('req', '-new', '-config', config, '-utf8', '-key', key, '-subj', '/CN=Shöp/O=Ab'))
  const plain = bytesBy('x509', '-req', '-in', request, '-signkey', key, '-set_serial', '7').toString()
  const { subject, isAuthority, serialNumber } = readCertificate(plain)
  expect({ isAuthority, serialNumber }).toEqual({ isAuthority: false, serialNumber: '07' })
  expect(subject).toMatch(/^O=Ab,CN=(Shöp|#\w+)$/)
  expect(isSignedBy(plain, plain)).toBe(false) // not an authority
})

test.each<[string, Partial<CertificateOrder>, string]>([
  ['a client with a wildcard', { purpose: 'client' }, 'no wildcard'],
  ['an authority with a wildcard', { purpose: 'ca' }, 'no wildcard'],
  [
    'a client named by a wildcard',
    { purpose: 'client', altNames: NO_ALT_NAMES, subject: { cn: '*.shop.example' } },
    'no wildcard',
  ],
  ['what ends before it begins', { notAfter: after(-1) }, 'must not end before'],
  ['no time at all', { notAfter: from }, 'must not end before'],
  ['a year that nobody can write', { notBefore: new Date('1949-12-31T23:59:59Z') }, '1950'],
  ['a date that is none', { notBefore: new Date(Number.NaN) }, '1950'],
  ['a name with a NUL', { subject: { cn: 'a\0b' } }, 'control characters'],
  ['101 names', { altNames: { ...NO_ALT_NAMES, ip: Array.from({ length: 101 }, () => '::1') } }, 'at most 100'],
  [
    'a weak key',
    { publicKey: generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey },
    'the key must be RSA of 2048',
  ],
])('no certificate is issued for %s', async (_what, change, names) => {
  expect(await refused('RULE_BROKEN', () => issue(change))).toContain(names)
})

test.each<[string, Partial<CertificateOrder>]>([
  ['a serial number of 15 bytes', { serial: Buffer.alloc(15, 1) }],
  ['a serial number of 21 bytes', { serial: Buffer.alloc(21, 1) }],
  ['a negative serial number', { serial: Buffer.alloc(16, 0x80) }],
  ['a serial number that begins with zero', { serial: Buffer.alloc(16) }],
  ['an issuer whose key is another', { issuer: { pem: root, key: pairs.p256.privateKey } }],
  ['a key that signs for another as for itself', { issuer: { key: pairs.p384.privateKey } }],
  ['a place that is none', { crlUrl: 'keys' }],
  ['a place off the web', { ocspUrl: 'file:///etc' }],
])('%s is a fault', async (_what, change) => {
  await expect(issue(change)).rejects.toThrow(/^(?!.*RULE)/)
  await expect(issue(change)).rejects.not.toHaveProperty('reason')
})

test('a certificate without the bit of an authority cannot issue', async () => {
  const leaf = await issue()
  await expect(issue({ issuer: { pem: leaf, key: pairs.p256.privateKey } })).rejects.toThrow(TypeError)
  const child = await issue({ publicKey: pairs.p521.publicKey })
  expect(isSignedBy(child, leaf)).toBe(false)
})

test('a signature of another authority of the same name is invalid', async () => {
  const [pem, impostor] = [await issue(), await rootOf(pairs.p521)]
  expect(isSignedBy(pem, root)).toBe(true)
  expect(isSignedBy(pem, impostor)).toBe(false)
  const bytes = new X509Certificate(pem).raw
  const at = bytes.lastIndexOf('shop.example')
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  expect(isSignedBy(pemOf('CERTIFICATE', bytes), root)).toBe(false)
  expect([isSignedBy('', root), isSignedBy(pem, 'x')]).toEqual([false, false])
})

test('a certificate of an authority with a weak key or hash is invalid', () => {
  const authority = (key: KeyObject, ...options: string[]): string =>
    bytesBy(
      ...['req', '-x509', '-new', '-key', file(key.export({ type: 'pkcs8', format: 'pem' }))],
      ...['-subj', '/CN=Other', '-days', '30', ...options],
    ).toString()
  const weak = authority(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)
  const old = authority(pairs.rsa.privateKey, '-sha1')
  const sound = authority(pairs.rsa.privateKey)
  expect([weak, old, sound].map((pem) => isSignedBy(pem, pem))).toEqual([false, false, true])
})

const bytes = pemBytes(root, ['CERTIFICATE']) ?? Buffer.alloc(0)
test.each<[string, string, string]>([
  ['a private key beside it', `${root}${pemOf('PRIVATE KEY', Buffer.from('key'))}`, 'without a private key'],
  ['nothing', '', 'one certificate'],
  ['two certificates', root + root, 'one certificate'],
  ['another label', root.replaceAll('CERTIFICATE', 'X509 CRL'), 'one certificate'],
  ['a byte after it', pemOf('CERTIFICATE', Buffer.concat([bytes, Buffer.of(0)])), 'X.509'],
  ['a byte too few', pemOf('CERTIFICATE', bytes.subarray(0, -1)), 'X.509'],
  ['no certificate', pemOf('CERTIFICATE', Buffer.from('hello')), 'X.509'],
  ['too many characters', `${root}${' '.repeat(64 * 1024)}`, '65536'],
])('a text with %s is refused as a certificate', async (_what, pem, names) => {
  expect(await refused('RULE_BROKEN', () => readCertificate(pem))).toContain(names)
})

test('serial numbers are positive, of 20 bytes, and differ', () => {
  const serials = Array.from({ length: 200 }, newSerial)
  expect(serials.every((serial) => serial.length === 20 && serial.readInt8(0) > 0)).toBe(true)
  expect(new Set(serials.map((serial) => serial.toString('hex'))).size).toBe(200)
})

test('a certificate with any changed byte is readable or refused, and never valid', async () => {
  const whole = new X509Certificate(await issue()).raw
  for (let at = 0; at < whole.length; at++) {
    const changed = Buffer.from(whole)
    changed.writeUInt8(changed.readUInt8(at) ^ 0x55, at)
    const pem = pemOf('CERTIFICATE', changed)
    expect(isSignedBy(pem, root)).toBe(false)
    try {
      readCertificate(pem)
    } catch (error) {
      expect(error).toHaveProperty('reason', 'RULE_BROKEN')
    }
  }
})
