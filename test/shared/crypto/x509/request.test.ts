import { generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { TAG, der, derInteger, oid } from '../../../../shared/crypto/asn1/der.ts'
import { pemBytes, pemOf } from '../../../../shared/crypto/asn1/pem.ts'
import { spkiOf } from '../../../../shared/crypto/public-half.ts'
import { NO_ALT_NAMES } from '../../../../shared/crypto/x509/alt-names.ts'
import { extension, sequence } from '../../../../shared/crypto/x509/encoding.ts'
import { encodeName } from '../../../../shared/crypto/x509/names.ts'
import { makeRequest, readRequest } from '../../../../shared/crypto/x509/request.ts'
import { signed } from '../../../../shared/crypto/x509/signed.ts'
import { expectNoHang } from '../../../support/hang.ts'
import { refused } from '../refused.ts'
import { file, openssl, pairs, requestBy } from './openssl.ts'

const LABEL = 'CERTIFICATE REQUEST'
const SUBJECT = { cn: 'Shöp, "the" +1', names: [{ C: 'DE', ST: ' Hessen ', O: '#Shop' }, { OU: 'Keys\\A;<b>' }] }
const ALT_NAMES = {
  dns: ['shop.example', '*.shop.example'],
  email: ['keys@shop.example'],
  ip: ['192.0.2.7', '2001:db8::7', '::ffff:192.0.2.1', '::'],
}
const bytesOf = (pem: string): Buffer => pemBytes(pem, [LABEL]) ?? Buffer.alloc(0)
const p256 = pairs.p256.privateKey

const refusedAs = (pem: string): Promise<string> => refused('RULE_BROKEN', () => readRequest(pem))

describe.each(Object.entries(pairs))('a request for a key of %s', (_kind, { privateKey, publicKey }) => {
  test('is verified by OpenSSL and reads as it was made', async () => {
    const pem = await makeRequest(SUBJECT, ALT_NAMES, privateKey)
    const seen = openssl('req', '-in', file(pem), '-verify', '-noout', '-text')
    expect(seen.text).toContain('verify OK')
    expect(seen.text).toContain(
      'DNS:shop.example, DNS:*.shop.example, email:keys@shop.example, IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:7',
    )
    const read = await readRequest(pem)
    expect(read).toMatchObject({
      subject: 'CN=Shöp\\, \\"the\\" \\+1,OU=Keys\\\\A\\;\\<b\\>,O=\\#Shop,ST=\\ Hessen\\ ,C=DE',
      cn: SUBJECT.cn,
      altNames: { ...ALT_NAMES, ip: ['192.0.2.7', '2001:db8::7', '::ffff:c000:201', '::'] },
    })
    expect(read.spki).toEqual(spkiOf(publicKey))
    expect(read.publicKey.equals(publicKey)).toBe(true)
    const subject = openssl('req', '-in', file(pem), '-noout', '-subject', '-nameopt', 'RFC2253,-esc_msb,utf8')
    expect(subject.text.trim()).toBe(`subject=${read.subject}`)
  })

  test('created by OpenSSL is read', async () => {
    const pem = requestBy(
      privateKey,
      '/C=DE/O=Shop/CN=keys/emailAddress=a@b.example/UID=7',
      '-addext',
      'keyUsage=keyCertSign',
    )
    expect(await readRequest(pem)).toMatchObject({
      subject: 'UID=7,emailAddress=a@b.example,CN=keys,O=Shop,C=DE',
      cn: 'keys',
      altNames: NO_ALT_NAMES,
    })
  })

  test('with a flipped bit is refused', async () => {
    const bytes = bytesOf(await makeRequest({ cn: 'shop' }, NO_ALT_NAMES, privateKey))
    const at = bytes.indexOf('shop')
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    expect(await refusedAs(pemOf(LABEL, bytes))).toContain('not signed by its own key')
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    expect((await readRequest(pemOf(LABEL, bytes))).cn).toBe('shop')
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
    await refusedAs(pemOf(LABEL, bytes))
  })
})

test('a request with the public key of somebody else is refused', async () => {
  const content = sequence(derInteger(0), encodeName({ cn: 'a' }), spkiOf(pairs.p384.publicKey), der(TAG.context0))
  expect(await refusedAs(pemOf(LABEL, await signed(content, p256)))).toContain('not signed by its own key')
  expect(await refusedAs(pemOf(LABEL, await signed(content, pairs.rsa.privateKey)))).toContain('not signed')
})

test.each<[string, () => { privateKey: KeyObject }]>([
  ['RSA of 1024 bits', () => generateKeyPairSync('rsa', { modulusLength: 1024 })],
  ['RSA with the exponent 3', () => generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 })],
  ['secp256k1', () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' })],
  ['P-224', () => generateKeyPairSync('ec', { namedCurve: 'secp224r1' })],
  ['DSA', () => generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 })],
  ['RSA for PSS alone', () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 })],
  ['a curve in numbers', () => generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' })],
])('a request for a key of %s is refused', async (_what, make) => {
  expect(await refusedAs(requestBy(make().privateKey, '/CN=a'))).toMatch(/the key must be|public (key|exponent)/)
})

test('a request that is signed with SHA-1 or with RSA-PSS is refused', async () => {
  expect(await refusedAs(requestBy(pairs.rsa.privateKey, '/CN=a', '-sha1'))).toContain('SHA-256')
  expect(await refusedAs(requestBy(pairs.rsa.privateKey, '/CN=a', '-sigopt', 'rsa_padding_mode:pss'))).toContain(
    'PKCS #1',
  )
})

test.each<[string, (pem: string) => string, string]>([
  ['nothing', () => '', 'one certificate request'],
  ['two requests', (pem) => pem + pem, 'one certificate request'],
  ['another label', (pem) => pem.replaceAll(LABEL, 'CERTIFICATE'), 'one certificate request'],
  [
    'a key in its place',
    () => pairs.rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    'it has PRIVATE KEY',
  ],
  ['base64 with a sign too many', (pem) => pem.replace('\n-----END', 'A\n-----END'), 'one certificate request'],
  ['a byte after it', (pem) => pemOf(LABEL, Buffer.concat([bytesOf(pem), Buffer.of(0)])), 'PKCS #10'],
  ['a byte too few', (pem) => pemOf(LABEL, bytesOf(pem).subarray(0, -1)), 'PKCS #10'],
  ['no request in its block', () => pemOf(LABEL, Buffer.from('hello')), 'PKCS #10'],
  ['too many characters', (pem) => pem + ' '.repeat(64 * 1024), '65536 characters'],
])('a text with %s is refused', async (_what, change, names) => {
  expect(await refusedAs(change(await makeRequest({ cn: 'a' }, NO_ALT_NAMES, p256)))).toContain(names)
})

test('no text of the size that is read keeps the service busy', async () => {
  const began = performance.now()
  for (const filler of [' ', '\n', 'A', '-', '=']) await refusedAs(`-----BEGIN ${LABEL}-----${filler.repeat(65_000)}`)
  expectNoHang(began)
})

const text = (pem: string): string =>
  `Certificate Request:\n    Data:\n        Version: 1 (0x0)\n${pem}\nPhone: (not specified)\n`

test('text around a request is passed over, as certutil, certtool and openssl -text write it', async () => {
  const pem = await makeRequest({ cn: 'a' }, NO_ALT_NAMES, p256)
  expect((await readRequest(text(pem))).cn).toBe('a')
  const written = openssl('req', '-in', file(pem), '-text')
  expect((await readRequest(written.text)).cn).toBe('a')
})

test('a request for an Ed25519 key is read, as it is made', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const made = await makeRequest({ cn: 'mesh' }, NO_ALT_NAMES, privateKey)
  expect(openssl('req', '-in', file(made), '-verify', '-noout').text).toContain('OK')
  for (const pem of [made, requestBy(privateKey, '/CN=mesh')])
    expect((await readRequest(pem)).publicKey.equals(publicKey)).toBe(true)
})

const SPIFFE = 'spiffe://shop.example/payment'
const PRINCIPAL = 'änn@shop.example'

test('URIs and user principal names are read and written as OpenSSL has them', async () => {
  const names = { ...NO_ALT_NAMES, uri: [SPIFFE], upn: [PRINCIPAL] }
  const asked = `subjectAltName=URI:${SPIFFE},otherName:1.3.6.1.4.1.311.20.2.3;UTF8:ann@shop.example`
  expect((await readRequest(requestBy(p256, '/CN=a', '-addext', asked))).altNames).toEqual({
    ...names,
    upn: ['ann@shop.example'],
  })
  const made = await makeRequest({ cn: 'a' }, names, p256)
  expect((await readRequest(made)).altNames).toEqual(names)
  const seen = openssl('req', '-in', file(made), '-noout', '-text').text
  expect(seen).toContain(`URI:${SPIFFE}`)
  expect(seen).toContain(PRINCIPAL)
})

test.each([
  ['a URI without a scheme', 'URI:shop.example/payment', 'absolute'],
  ['another name', 'RID:1.2.3.4', 'alternative names must be'],
  ['another kind of otherName', 'otherName:1.2.3.4;UTF8:a@b', 'alternative names must be'],
  ['a principal of no realm', 'otherName:1.3.6.1.4.1.311.20.2.3;UTF8:ann', 'principal name'],
])('a request with %s is refused', async (_what, name, said) => {
  expect(await refusedAs(requestBy(p256, '/CN=a', '-addext', `subjectAltName=${name}`))).toContain(said)
})

test('the label of older tools is read', async () => {
  const pem = await makeRequest({ cn: 'a' }, NO_ALT_NAMES, p256)
  expect((await readRequest(pem.replaceAll(LABEL, `NEW ${LABEL}`))).cn).toBe('a')
})

/** A signed request with these bytes as name and attributes. */
const requestOf = async (name: Buffer, ...attributes: Buffer[]): Promise<string> =>
  pemOf(LABEL, await signed(sequence(derInteger(0), name, spkiOf(p256), der(TAG.context0, ...attributes)), p256))

const nameWith = (...values: [type: string, tag: number, value: string | Buffer][]): Buffer =>
  sequence(...values.map(([type, tag, value]) => der(TAG.set, sequence(oid(type), der(tag, Buffer.from(value))))))

const CN = '2.5.4.3'

test.each<[string, Buffer, string]>([
  ['with a NUL', nameWith([CN, TAG.utf8String, 'admin\0.shop']), 'control characters'],
  ['with a line feed', nameWith([CN, TAG.utf8String, 'admin\nCN=x']), 'control characters'],
  ['that turns its direction', nameWith([CN, TAG.utf8String, 'a\u202eb']), 'control characters'],
  ['with a NUL in a part that we do not know', nameWith(['1.2.3.4', TAG.utf8String, '\0']), 'control characters'],
  ['that is not UTF-8', nameWith([CN, TAG.utf8String, Buffer.of(0xff, 0xfe)]), 'UTF8String'],
  ['in an encoding of no text', nameWith([CN, TAG.octetString, 'ab']), 'UTF8String'],
  ['in half of UTF-16', nameWith([CN, TAG.bmpString, Buffer.of(0xd8, 0)]), 'UTF8String'],
  ['that is empty', nameWith([CN, TAG.utf8String, '']), 'not empty'],
  ['of 65 characters', nameWith([CN, TAG.utf8String, 'ö'.repeat(65)]), 'at most 64'],
  ['that stands twice', nameWith([CN, TAG.utf8String, 'a'], [CN, TAG.utf8String, 'b']), 'one common name'],
  ['with a country of three letters', nameWith(['2.5.4.6', TAG.printableString, 'DEU']), 'C of a name'],
  [
    'of 33 parts',
    nameWith(...Array.from({ length: 33 }, () => ['2.5.4.11', TAG.utf8String, 'a'] as [string, number, string])),
    'at most 32 parts',
  ],
  ['whose part is no set', sequence(sequence(sequence(oid(CN), der(TAG.utf8String, Buffer.from('a'))))), 'PKCS #10'],
  ['with a part of three', sequence(der(TAG.set, sequence(oid(CN), der(TAG.null), der(TAG.null)))), 'PKCS #10'],
])('a request for a name %s is refused', async (_what, name, names) => {
  expect(await refusedAs(await requestOf(name))).toContain(names)
})

test('a name of 64 characters, of two parts in one, or of none is read', async () => {
  const long = 'ö'.repeat(64)
  expect((await readRequest(await requestOf(encodeName({ cn: long })))).cn).toBe(long)
  const pem = requestBy(p256, '/O=Shop/CN=a+UID=7', '-multivalue-rdn')
  expect((await readRequest(pem)).subject).toMatch(/^(CN=a\+UID=7|UID=7\+CN=a),O=Shop$/)
  expect(await readRequest(await requestOf(sequence()))).toMatchObject({ subject: '', cn: undefined })
})

const EXTENSION_REQUEST = oid('1.2.840.113549.1.9.14')
const asking = (...extensions: Buffer[]): Buffer => sequence(EXTENSION_REQUEST, der(TAG.set, sequence(...extensions)))
const san = (...names: Buffer[]): Buffer => extension('2.5.29.17', false, sequence(...names))
const [EMAIL, DNS, URI, IP] = [0x81, 0x82, 0x86, 0x87]
const dns = (name: string): Buffer => der(DNS, Buffer.from(name))

test.each<[string, Buffer[], string]>([
  ['thousands', [asking(san(...Array.from({ length: 3000 }, (_, at) => dns(`a${at}.example`))))], 'at most 100'],
  ['101', [asking(san(...Array.from({ length: 101 }, () => dns('a.example'))))], 'at most 100'],
  ['a NUL', [asking(san(dns('shop.example\0.evil.example')))], 'host name'],
  ['a blank', [asking(san(dns('shop .example')))], 'host name'],
  ['letters beyond ASCII', [asking(san(dns('shöp.example')))], 'host name'],
  ['an empty label', [asking(san(dns('shop..example')))], 'host name'],
  ['a dot at the end', [asking(san(dns('shop.example.')))], 'host name'],
  ['a label of 64 characters', [asking(san(dns(`${'a'.repeat(64)}.example`)))], 'host name'],
  ['254 characters', [asking(san(dns(`${'a.'.repeat(123)}examples`)))], 'host name'],
  ['an address as host', [asking(san(dns('192.0.2.1')))], 'host name'],
  ['a wildcard within a label', [asking(san(dns('a*.shop.example')))], 'host name'],
  ['a wildcard for a registry', [asking(san(dns('*.example')))], 'host name'],
  ['two wildcards', [asking(san(dns('*.*.shop.example')))], 'host name'],
  ['a wildcard alone', [asking(san(dns('*')))], 'host name'],
  ['a mailbox with a NUL', [asking(san(der(EMAIL, Buffer.from('a\0@shop.example'))))], 'mailbox'],
  ['a mailbox without a host', [asking(san(der(EMAIL, Buffer.from('a@'))))], 'mailbox'],
  ['a mailbox with a name', [asking(san(der(EMAIL, Buffer.from('A <a@shop.example>'))))], 'mailbox'],
  ['an address of five bytes', [asking(san(der(IP, Buffer.alloc(5))))], 'PKCS #10'],
  ['an address with a mask', [asking(san(der(IP, Buffer.alloc(8))))], 'PKCS #10'],
  ['a place that is none', [asking(san(der(URI, Buffer.from('shop.example'))))], 'absolute'],
  ['two lists', [asking(san(dns('a.example')), san(dns('b.example')))], 'PKCS #10'],
  ['two requests for extensions', [asking(san(dns('a.example'))), asking(san(dns('b.example')))], 'PKCS #10'],
  ['a list that is none', [asking(extension('2.5.29.17', false, derInteger(1)))], 'PKCS #10'],
])('a request with %s among its alternative names is refused', async (_what, attributes, names) => {
  expect(await refusedAs(await requestOf(encodeName({ cn: 'a' }), ...attributes))).toContain(names)
})

test('a request with 100 alternative names is read', async () => {
  const names = Array.from({ length: 100 }, (_, at) => `a${at}.shop.example`)
  const pem = await makeRequest({ cn: 'a' }, { ...NO_ALT_NAMES, dns: names }, p256)
  expect((await readRequest(pem)).altNames.dns).toEqual(names)
})

test('a request without attributes, or of another version, gets a specific refusal', async () => {
  const contentOf = (version: number) => sequence(derInteger(version), encodeName({ cn: 'a' }), spkiOf(p256))
  expect((await readRequest(pemOf(LABEL, await signed(contentOf(0), p256)))).cn).toBe('a')
  expect(await refusedAs(pemOf(LABEL, await signed(contentOf(1), p256)))).toContain('PKCS #10')
})

test('a signature whose algorithm has parameters that it must not have is refused', async () => {
  const content = sequence(derInteger(0), encodeName({ cn: 'a' }), spkiOf(p256), der(TAG.context0))
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'), der(TAG.null))
  const signature = der(TAG.bitString, Buffer.of(0), sign('sha256', content, p256))
  expect(await refusedAs(pemOf(LABEL, sequence(content, algorithm, signature)))).toContain('PKCS #10')
})

test.each<[string, () => Promise<string>, string]>([
  ['a common name with a NUL', () => makeRequest({ cn: 'a\0b' }, NO_ALT_NAMES, p256), 'control characters'],
  ['half a character', () => makeRequest({ cn: '\ud800' }, NO_ALT_NAMES, p256), 'CN of a name'],
  ['a country that is none', () => makeRequest({ cn: 'a', names: [{ C: 'de' }] }, NO_ALT_NAMES, p256), 'two capital'],
  [
    'an address with a zone',
    () => makeRequest({ cn: 'a' }, { ...NO_ALT_NAMES, ip: ['fe80::1%eth0'] }, p256),
    'IP address',
  ],
  ['an address that is none', () => makeRequest({ cn: 'a' }, { ...NO_ALT_NAMES, ip: ['1.2.3'] }, p256), 'IP address'],
])('a request with %s is refused', async (_what, make, names) => {
  expect(await refused('RULE_BROKEN', make)).toContain(names)
})

test('a request with any byte changed is refused, and never a fault', async () => {
  const bytes = bytesOf(await makeRequest({ cn: 'a', names: [{ O: 'Shop' }] }, ALT_NAMES, p256))
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(at) ^ 0x55, at)
    await refusedAs(pemOf(LABEL, changed))
  }
})

/** Extensions for DNS names in one of the attributes that requests have them in. */
const askedIn = (attribute: string, name: string): Buffer => {
  const names = sequence(der(0x82, Buffer.from(name)))
  return sequence(oid(attribute), der(TAG.set, sequence(extension('2.5.29.17', false, names))))
}
const [PKCS9, MICROSOFT] = ['1.2.840.113549.1.9.14', '1.3.6.1.4.1.311.2.1.14']

test('names in the attribute of Microsoft are read, and refused in both attributes at once', async () => {
  const name = encodeName({ cn: 'a' })
  const read = await readRequest(await requestOf(name, askedIn(MICROSOFT, 'shop.example')))
  expect(read.altNames.dns).toEqual(['shop.example'])
  const both = await requestOf(name, askedIn(PKCS9, 'shop.example'), askedIn(MICROSOFT, 'other.example'))
  expect(await refusedAs(both)).toContain('PKCS #10')
})

test('a name in the encoding of older tools is read as text', async () => {
  const name = nameWith(
    [CN, TAG.bmpString, Buffer.from('Shöp', 'utf16le').swap16()],
    ['2.5.4.10', TAG.teletexString, 'Shop'],
  )
  expect(await readRequest(await requestOf(name))).toMatchObject({ cn: 'Shöp', subject: 'O=Shop,CN=Shöp' })
})
