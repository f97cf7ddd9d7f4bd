import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { TAG, der, derInteger, membersOf, oid, readDer } from '../../../../../shared/crypto/asn1/der.ts'
import { extension, octetString, sequence } from '../../../../../shared/crypto/x509/encoding.ts'
import { answerOcsp, ocspError } from '../../../../../shared/crypto/x509/revocation/ocsp.ts'
import type { CertificateStatus, OcspAnswer } from '../../../../../shared/crypto/x509/revocation/ocsp.ts'
import { readOcspRequest } from '../../../../../shared/crypto/x509/revocation/ocsp-request.ts'
import type { OcspRequest } from '../../../../../shared/crypto/x509/revocation/ocsp-request.ts'
import { after, clientOf, from, rootOf } from '../authority.ts'
import { file, openssl, pairs } from '../openssl.ts'

const pair = pairs.p256
const root = await rootOf(pair)
const client = await clientOf(root, pair)

/** OpenSSL's OCSP request for these certificates. */
function requestFor(pems: readonly string[], anchor = root, ...options: string[]): Buffer {
  const out = file('')
  const certificates = pems.flatMap((pem) => ['-cert', file(pem)])
  openssl('ocsp', '-issuer', file(anchor), ...options, ...certificates, '-reqout', out)
  return fs.readFileSync(out)
}

function read(bytes: Buffer): OcspRequest {
  const request = readOcspRequest(bytes)
  if (request === undefined) throw new Error('not a request')
  return request
}

const answer = (request: Buffer, statuses: [string, CertificateStatus][], change: Partial<OcspAnswer> = {}) =>
  answerOcsp({
    ...{ issuer: root, key: pair.privateKey, request: read(request), statuses: new Map(statuses) },
    ...{ thisUpdate: from, nextUpdate: after(7) },
    ...change,
  })

/**
 * OpenSSL's verification of an answer from a trusted authority: first of the nonce, then of the certificates. Given
 * both at once, it ignores the request. `-no_nonce` prevents it from adding a nonce.
 */
function seenBy(request: Buffer, response: Buffer, pems: readonly string[] = [client.pem], anchor = root): string {
  const common = ['ocsp', '-no_nonce', '-respin', file(response), '-CAfile', file(anchor), '-issuer', file(anchor)]
  const nonce = openssl(...common, '-reqin', file(request)).text
  return nonce + openssl(...common, ...pems.flatMap((pem) => ['-cert', file(pem)])).text
}

describe.each(Object.entries(pairs))('an authority with a key of %s', (_kind, signer) => {
  test('answers, and OpenSSL verifies it', async () => {
    const anchor = await rootOf(signer)
    const [good, gone] = [await clientOf(anchor, signer), await clientOf(anchor, signer)]
    const request = requestFor([good.pem, gone.pem], anchor)
    const response = await answer(
      request,
      [
        [good.serial, 'good'],
        [gone.serial, { at: from, reason: 'keyCompromise' }],
      ],
      { issuer: anchor, key: signer.privateKey },
    )
    const text = seenBy(request, response, [good.pem, gone.pem], anchor)
    expect(text).toContain('Response verify OK')
    expect(text).toMatch(/: good\n/)
    expect(text).toMatch(/: revoked\n/)
    expect(text).toContain('Reason: keyCompromise')
    expect(text).not.toMatch(/WARNING|[Ee]rror/) // a nonce that is missing or different
  })
})

test('a request of OpenSSL asks by serial number', () => {
  const { asked, nonce } = read(requestFor([client.pem]))
  expect(asked).toMatchObject([{ hash: 'sha1', serial: client.serial }])
  expect(nonce).toBeInstanceOf(Buffer)
  expect(read(requestFor([client.pem], root, '-no_nonce')).nonce).toBeUndefined()
})

test.each(['-sha256', '-sha384', '-sha512'])('a request with a hash of %s is answered', async (hash) => {
  const request = requestFor([client.pem], root, hash)
  const response = await answer(request, [[client.serial, 'good']])
  const { text } = openssl(
    'ocsp',
    '-respin',
    file(response),
    '-issuer',
    file(root),
    '-CAfile',
    file(root),
    '-resp_text',
  )
  expect(text).toContain('Cert Status: good')
  expect(text).toContain('Response verify OK')
})

test('a request with a hash that we do not know is answered with unknown', async () => {
  const request = requestFor([client.pem], root, '-md5')
  const response = await answer(request, [[client.serial, 'good']])
  expect(openssl('ocsp', '-respin', file(response), '-noverify', '-resp_text').text).toContain('Cert Status: unknown')
})

test('a certificate without a status, or of another authority with the same name, is unknown', async () => {
  const request = requestFor([client.pem])
  expect(seenBy(request, await answer(request, []))).toMatch(/: unknown\n/)
  const impostor = await rootOf(pairs.p384)
  const other = requestFor([client.pem], impostor)
  const response = await answer(other, [[client.serial, 'good']])
  expect(openssl('ocsp', '-respin', file(response), '-noverify', '-resp_text').text).toContain('Cert Status: unknown')
})

test('a reason without meaning is left out', async () => {
  const request = requestFor([client.pem])
  const text = seenBy(request, await answer(request, [[client.serial, { at: from, reason: 'unspecified' }]]))
  expect(text).toMatch(/: revoked\n/)
  expect(text).not.toContain('Reason')
})

test('an answer without the nonce of the request, forged, expired, or by another signer, is invalid', async () => {
  const request = requestFor([client.pem])
  const good: [string, CertificateStatus][] = [[client.serial, 'good']]
  expect(seenBy(request, await answer(requestFor([client.pem]), good))).toContain('Nonce Verify error')
  const forged = await answer(request, good)
  forged.writeUInt8(forged.readUInt8(forged.length - 1) ^ 1, forged.length - 1)
  expect(seenBy(request, forged)).toContain('Response Verify Failure')
  const over = await answer(request, good, { nextUpdate: new Date(from.getTime() + 1000) })
  expect(seenBy(request, over)).toContain('status expired')
  const stranger = await answer(request, good, { issuer: await rootOf(pairs.p384), key: pairs.p384.privateKey })
  expect(seenBy(request, stranger)).toContain('Response Verify Failure')
})

test.each([
  ['malformedRequest', 'malformedrequest (1)'],
  ['internalError', 'internalerror (2)'],
  ['tryLater', 'trylater (3)'],
  ['unauthorized', 'unauthorized (6)'],
] as const)('an answer that there is none says %s', (error, printed) => {
  expect(openssl('ocsp', '-respin', file(ocspError(error)), '-noverify').text).toContain(printed)
})

const certId = (serial = derInteger(7), ...more: Buffer[]): Buffer =>
  sequence(
    sequence(oid('1.3.14.3.2.26'), der(TAG.null)),
    octetString(Buffer.alloc(20)),
    octetString(Buffer.alloc(20)),
    serial,
    ...more,
  )
const list = (count: number): Buffer => sequence(...Array.from({ length: count }, () => sequence(certId())))
const requestOf = (...members: Buffer[]): Buffer => sequence(sequence(...members))
const withExtension = (id: string, critical: boolean, value: Buffer): Buffer =>
  requestOf(list(1), der(0xa2, sequence(extension(id, critical, value))))
const NONCE = '1.3.6.1.5.5.7.48.1.2'
const nonceOf = (bytes: number): Buffer => withExtension(NONCE, false, octetString(Buffer.alloc(bytes, 1)))

test.each<[string, Buffer]>([
  ['nothing', Buffer.alloc(0)],
  ['no DER', Buffer.from('hello')],
  ['no members', requestOf()],
  ['a list of nobody', requestOf(list(0))],
  ['17 certificates', requestOf(list(17))],
  ['a serial number below zero', requestOf(sequence(sequence(certId(der(TAG.integer, Buffer.of(0x80))))))],
  ['a serial number without bytes', requestOf(sequence(sequence(certId(der(TAG.integer)))))],
  ['a serial number of 22 bytes', requestOf(sequence(sequence(certId(der(TAG.integer, Buffer.alloc(22, 1))))))],
  ['a question of five members', requestOf(sequence(sequence(certId(undefined, derInteger(1)))))],
  ['a question without members', requestOf(sequence(sequence()))],
  ['an unknown extension that is critical', withExtension('1.2.3', true, octetString(Buffer.alloc(1)))],
  ['an empty nonce', nonceOf(0)],
  ['a nonce of 129 bytes', nonceOf(129)],
  ['a nonce that is no string', withExtension(NONCE, false, derInteger(1))],
  ['a member too many', requestOf(list(1), der(0xa2, sequence()), derInteger(1))],
  ['a byte after it', Buffer.concat([requestOf(list(1)), Buffer.of(0)])],
  ['more than 4096 bytes', Buffer.concat([requestOf(list(1)), Buffer.alloc(4096)])],
  ['a length of four gigabytes', Buffer.from('3084ffffffff', 'hex')],
  ['4096 random bytes', randomBytes(4096)],
])('%s is not a request', (_what, bytes) => {
  expect(readOcspRequest(bytes)).toBeUndefined()
})

test('a request may contain its version, its sender, and unknown non-critical extensions', () => {
  const sender = der(0xa1, der(0x82, Buffer.from('a.example')))
  expect(read(requestOf(der(0xa0, derInteger(0)), sender, list(16))).asked).toHaveLength(16)
  expect(read(withExtension('1.2.3', false, octetString(Buffer.alloc(1)))).nonce).toBeUndefined()
  expect(read(nonceOf(128)).nonce).toHaveLength(131)
  expect(read(requestOf(sequence(sequence(certId(der(TAG.integer, Buffer.of(0, 0xff))))))).asked[0]?.serial).toBe('ff')
})

test('every request that is cut short, or has one byte changed, ends without a fault', () => {
  const whole = requestFor([client.pem])
  for (let at = 0; at < whole.length; at++) {
    expect(readOcspRequest(whole.subarray(0, at))).toBeUndefined()
    const changed = Buffer.from(whole)
    changed.writeUInt8(changed.readUInt8(at) ^ 0x55, at)
    expect(() => readOcspRequest(changed)).not.toThrow()
  }
})

test('an answer repeats the request byte for byte, and invalid times are an error', async () => {
  const request = requestFor([client.pem])
  const response = await answer(request, [])
  expect(response.includes(read(request).asked[0]?.whole ?? '-')).toBe(true)
  expect(membersOf(readDer(response, TAG.sequence))).toHaveLength(2)
  await expect(answer(request, [], { nextUpdate: from })).rejects.toThrow(RangeError)
  await expect(answer(request, [], { key: pairs.p384.privateKey })).rejects.toThrow(TypeError)
})
