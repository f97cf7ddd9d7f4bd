import { expect, test } from 'vitest'
import type { AttestationTrust } from '../../../shared/attestation/trust.ts'
import { verifyAttestation } from '../../../shared/attestation/verify.ts'
import { der, derInteger, oid, TAG } from '../../../shared/crypto/asn1/der.ts'
import { extension, sequence } from '../../../shared/crypto/x509/encoding.ts'
import { authorityExtension, EVIDENCE_TIME, testAuthority } from '../../support/attestation/certificates.ts'
import {
  evidence,
  IDENTITY,
  keyCertificate,
  lab,
  labTrust,
  type LeafOptions,
} from '../../support/attestation/evidence.ts'

const nonce = Buffer.alloc(48, 1)
const { root, machines, rsa } = lab()
const trusting = (change: Partial<AttestationTrust['machines']>): AttestationTrust => ({
  ...labTrust(),
  machines: { ...labTrust().machines, ...change },
})

function verdict(leaf: Partial<LeafOptions>, trust = labTrust(), intermediates: readonly Buffer[] = []) {
  const certificate = keyCertificate({ key: rsa.publicKey, identity: IDENTITY, ...leaf })
  const message = evidence({ nonce, certificate, intermediates })
  return verifyAttestation(message, { nonce, trust, now: EVIDENCE_TIME })
}

const later = (days: number): Date => new Date(EVIDENCE_TIME.getTime() + days * 86_400_000)

test('intermediates come from the configuration or from the message', () => {
  expect(verdict({}).refused).toEqual([])
  const bare = trusting({ intermediates: [] })
  expect(verdict({}, bare).refused).toMatchObject([{ step: 'key' }])
  expect(verdict({}, bare, [machines.certificate.raw]).refused).toEqual([])
  expect(verdict({}, bare, [Buffer.from('no certificate'), machines.certificate.raw]).refused).toEqual([])
})

test('a root may sign the certificate of a key itself', () => {
  expect(verdict({ authority: root }).refused).toEqual([])
})

const foreign = testAuthority('Attestation Root')
const ended = testAuthority('Ended', { below: root, until: later(-1) })
const narrow = testAuthority('Narrow', { below: root, pathLength: 0 })
const belowNarrow = testAuthority('Below', { below: narrow })
const unknownCritical = extension('1.2.3.4', true, sequence())
const strange = testAuthority('Strange', { below: root, extensions: [unknownCritical] })
const constrained = testAuthority('Constrained', {
  below: root,
  extensions: [extension('2.5.29.30', false, sequence())],
})

test.each([
  ['of another root with the same name', { authority: foreign }, []],
  ['of another root that the message offers', { authority: foreign }, [foreign.certificate.raw]],
  ['that is over', { until: later(-1) }, []],
  ['that is not valid yet', { from: later(1) }, []],
  ['of an authority that is over', { authority: ended }, [ended.certificate.raw]],
  [
    'below an authority that may have none below it',
    { authority: belowNarrow },
    [narrow, belowNarrow].map(({ certificate }) => certificate.raw),
  ],
  ['of an authority with an unknown critical extension', { authority: strange }, [strange.certificate.raw]],
  ['of an authority with name constraints', { authority: constrained }, [constrained.certificate.raw]],
  ['of an authority', { extensions: [authorityExtension()] }, []],
  ['with an unknown critical extension', { extensions: [unknownCritical] }, []],
] satisfies [string, Partial<LeafOptions>, Buffer[]][])('a certificate %s is refused', (_what, leaf, intermediates) => {
  const { facts, refused } = verdict(leaf, labTrust(), intermediates)
  expect(refused).toMatchObject([{ step: 'key' }])
  expect(facts).toEqual({})
})

test('an authority of processors does not vouch for attestation keys', () => {
  const trust: AttestationTrust = {
    machines: { roots: [foreign.certificate], intermediates: [] },
    processors: labTrust().machines,
  }
  expect(verdict({ authority: root }, trust).refused).toMatchObject([{ step: 'key' }])
})

test.each([
  ['without the extension', undefined],
  ['outside of production', { ...IDENTITY, production: false }],
  ['without a statement about production', { ...IDENTITY, production: undefined }],
])('a machine %s has no identity', (_what, identity) => {
  const { facts, refused } = verdict({ identity })
  expect(refused).toEqual([])
  expect(facts).toEqual({ technology: 'AMD_SEV', firmware_version: 2, secure_boot: true })
})

const text = (value: string): Buffer => der(TAG.utf8String, Buffer.from(value))
const named = (...members: Buffer[]): Buffer => extension('1.3.6.1.4.1.11129.2.1.21', false, sequence(...members))

test.each([
  ['a negative number', named(text('zone'), der(TAG.integer, Buffer.of(0xff)), text('p'), derInteger(1), text('i'))],
  ['a number of more than 64 bits', named(text('zone'), derInteger(2n ** 64n), text('p'), derInteger(1), text('i'))],
  ['an empty name', named(text('zone'), derInteger(1), text(''), derInteger(1), text('i'))],
  ['a missing member', named(text('zone'), derInteger(1), text('p'))],
  [
    'a member too many',
    named(text('z'), derInteger(1), text('p'), derInteger(1), text('i'), der(0xa0, sequence()), text('x')),
  ],
  ['another type', named(oid('1.2.3'), derInteger(1), text('p'), derInteger(1), text('i'))],
])('an identity with %s is refused', (_what, broken) => {
  const { refused } = verdict({ identity: undefined, extensions: [broken] })
  expect(refused).toEqual([{ step: 'key', reason: 'the certificate names a machine in an unknown form' }])
})
