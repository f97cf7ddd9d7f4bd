import { createHash, createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { isSigned, readClaim, type Claim, type SignedRequest } from '../../../shared/serving/sigv4.ts'
import { sign, signingKeyOf } from '../../support/xks-signing.ts'
import vectors from '../../vectors/external-key-store.json' with { type: 'json' }

const { accessKeyId, secret, region, date, signingKey } = vectors.credential
const SERVICE = { service: 'kms-xks-proxy', region }
const NOW = Date.UTC(2025, 0, 2, 3, 4, 5)
const key = createSecretKey(Buffer.from(signingKey, 'hex'))
const [first] = vectors.signatures

test.each(vectors.signatures)('50: vector $name verifies, and equals the result of our own signer', (vector) => {
  const { path, host, body } = vector
  const also = vector.also as Record<string, string>
  expect(createHash('sha256').update(body).digest('hex')).toBe(vector.bodyHash)
  const signed = sign({ path, body, host, accessKeyId, secret, region, stamp: date, also })
  expect([signed.canonicalHash, signed.signature]).toEqual([vector.canonicalHash, vector.signature])
  const claim = readClaim(signed.headers, SERVICE, NOW)
  expect(claim).toMatchObject({ accessKeyId, day: '20250102', signature: vector.signature })
  const request = { method: 'POST', path, headers: signed.headers, body }
  expect(isSigned(request, claim as Claim, key)).toBe(true)
  expect(isSigned(request, claim as Claim, undefined)).toBe(false)
})

test('the signing key is the vectors’ own', () => {
  expect(signingKeyOf(secret, '20250102', region).toString('hex')).toBe(signingKey)
})

const { path = '', host = '', body = '' } = first ?? {}
const good = sign({ path, body, host, accessKeyId, secret, region, stamp: date })
const request: SignedRequest = { method: 'POST', path, headers: good.headers, body }
const verified = (changed: Partial<SignedRequest>): boolean => {
  const given = { ...request, ...changed }
  const claim = readClaim(given.headers, SERVICE, NOW)
  return claim !== undefined && isSigned(given, claim, key)
}

test('every bit of the signature counts', () => {
  const { signature } = good
  for (let at = 0; at < 256; at++) {
    const bytes = Buffer.from(signature, 'hex')
    bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7))
    const authorization = good.headers.authorization?.replace(signature, bytes.toString('hex'))
    expect(verified({ headers: { ...good.headers, authorization } })).toBe(false)
  }
})

test('59: method, path, signed values and body are bound', () => {
  expect(verified({})).toBe(true)
  expect(verified({ method: 'PUT' })).toBe(false)
  expect(verified({ path: path.replace('health', 'healtH') })).toBe(false)
  expect(verified({ body: `${body} ` })).toBe(false)
  expect(verified({ body: Buffer.from(body) })).toBe(true)
  expect(verified({ headers: { ...good.headers, host: `${host}.` } })).toBe(false)
})

test('53: on HTTP/2 the host may be sent and signed as :authority', () => {
  const { host: _, ...rest } = good.headers
  expect(verified({ headers: { ...rest, ':authority': host } })).toBe(true)
  const named = sign({ path, body, host, accessKeyId, secret, region, stamp: date, also: { ':authority': host } })
  const authorization = named.headers.authorization
  expect(verified({ headers: { ...rest, authorization, ':authority': host } })).toBe(true)
})

test.each([
  ['an hour that is none', '20250102T250405Z', '20250102'],
  ['a month that is none', '20251302T030405Z', '20251302'],
  ['no time zone', '20250102T030405', '20250102'],
])('57: %s is no time', (_what, stamp, day) => {
  const authorization = good.headers.authorization?.replace('20250102', day)
  expect(readClaim({ ...good.headers, 'x-amz-date': stamp, authorization }, SERVICE, NOW)).toBeUndefined()
})

test('57: a difference of exactly five minutes is accepted, one second more is not', () => {
  const at = (offsetMs: number) => readClaim(good.headers, SERVICE, NOW + offsetMs)
  expect(at(300_000)).toBeDefined()
  expect(at(-300_000)).toBeDefined()
  expect(at(301_000)).toBeUndefined()
  expect(at(-301_000)).toBeUndefined()
})
