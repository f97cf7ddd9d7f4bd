import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { issueCrl } from '../../../../../shared/crypto/x509/revocation/crl.ts'
import type { CrlOrder, Revoked } from '../../../../../shared/crypto/x509/revocation/crl.ts'
import { expectNoHang } from '../../../../support/hang.ts'
import { after, clientOf, from, rootOf } from '../authority.ts'
import { file, openssl, pairs } from '../openssl.ts'

const REASONS = [
  ...(['unspecified', 'keyCompromise', 'cACompromise', 'affiliationChanged', 'superseded'] as const),
  ...(['cessationOfOperation', 'certificateHold', 'privilegeWithdrawn', 'aACompromise', 'removeFromCRL'] as const),
]

const pair = pairs.p256
const root = await rootOf(pair)
const issue = (change: Partial<CrlOrder> = {}): Promise<Buffer> =>
  issueCrl({
    ...{ issuer: root, key: pair.privateKey, number: 1, thisUpdate: from, nextUpdate: after(7), revoked: [] },
    ...change,
  })
const pemOf = (list: Buffer): string => openssl('crl', '-inform', 'DER', '-in', file(list)).text
const textOf = (list: Buffer): string =>
  openssl('crl', '-inform', 'DER', '-in', file(list), '-noout', '-text').text.replaceAll(/\s+/g, ' ')
const verified = (list: Buffer, pem: string, anchor = root) =>
  openssl(
    ...['verify', '-x509_strict', '-CAfile', file(anchor), '-crl_check', '-CRLfile', file(pemOf(list))],
    ...['-purpose', 'sslclient', file(pem)],
  )

describe.each(Object.entries(pairs))('a list of an authority with a key of %s', (_kind, signer) => {
  test('is verified by OpenSSL, which refuses exactly the listed certificates', async () => {
    const anchor = await rootOf(signer)
    const [one, other] = [await clientOf(anchor, signer), await clientOf(anchor, signer)]
    const list = await issue({
      ...{ issuer: anchor, key: signer.privateKey },
      revoked: [{ serial: one.serial, at: from, reason: 'keyCompromise' }],
    })
    expect(openssl('crl', '-inform', 'DER', '-in', file(list), '-noout', '-CAfile', file(anchor)).text).toContain(
      'verify OK',
    )
    expect(verified(list, one.pem, anchor).text).toContain('certificate revoked')
    expect(verified(list, other.pem, anchor)).toMatchObject({ holds: true })
  })
})

test('an empty list has a number and no entries', async () => {
  const { pem } = await clientOf(root, pair)
  const list = await issue({ number: 2n ** 100n })
  expect(textOf(list)).toContain('No Revoked Certificates')
  expect(textOf(list)).toContain('Version 2 (0x1)')
  expect(textOf(list)).toContain(`CRL Number: ${2n ** 100n}`)
  expect(verified(list, pem).holds).toBe(true)
})

test('every reason is listed, except those without meaning in a complete list', async () => {
  const revoked = REASONS.map((reason, at): Revoked => ({ serial: `0${at + 1}`.slice(-2), at: from, reason }))
  const seen = textOf(await issue({ revoked }))
    .split('Serial Number: ')
    .slice(1)
  expect(seen.map((entry) => /Reason Code: (.+?) (?=Signature|$)/.exec(`${entry} `)?.[1]?.trim())).toEqual([
    ...[undefined, 'Key Compromise', 'CA Compromise', 'Affiliation Changed', 'Superseded'],
    ...['Cessation Of Operation', 'Certificate Hold', 'Privilege Withdrawn', 'AA Compromise', undefined],
  ])
})

test('an expired list, or one of another signer, is invalid', async () => {
  const { pem } = await clientOf(root, pair)
  expect(verified(await issue({ thisUpdate: from, nextUpdate: new Date(from.getTime() + 1000) }), pem).text).toContain(
    'CRL has expired',
  )
  const stranger = await issue({ issuer: await rootOf(pairs.p384), key: pairs.p384.privateKey })
  expect(verified(stranger, pem).holds).toBe(false)
  const forged = await issue()
  forged.writeUInt8(forged.readUInt8(forged.length - 1) ^ 1, forged.length - 1)
  expect(verified(forged, pem).holds).toBe(false)
})

test('the time for a list of 50 000 certificates grows linearly', async () => {
  const revoked = Array.from({ length: 50_000 }, (_, at): Revoked => {
    return { serial: (2n ** 150n + BigInt(at)).toString(16), at: from, reason: 'superseded' }
  })
  const began = performance.now()
  const list = await issue({ revoked })
  expectNoHang(began)
  expect(openssl('crl', '-inform', 'DER', '-in', file(list), '-noout', '-CAfile', file(root)).text).toContain(
    'verify OK',
  )
})

const entry: Revoked = { serial: '0a', at: from, reason: 'superseded' }
test.each<[string, Partial<CrlOrder>]>([
  ['a next update before this one', { nextUpdate: from }],
  ['a date that is none', { nextUpdate: new Date(Number.NaN) }],
  ['a certificate twice', { revoked: [entry, { ...entry, serial: 'A' }] }],
  ['a serial number that is none', { revoked: [{ ...entry, serial: 'x' }] }],
  ['an empty serial number', { revoked: [{ ...entry, serial: '' }] }],
  ['a serial number of 21 bytes', { revoked: [{ ...entry, serial: '01'.repeat(21) }] }],
  ['the key of another', { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }],
])('a list with %s is a fault', async (_what, change) => {
  await expect(issue(change)).rejects.not.toHaveProperty('reason')
})
