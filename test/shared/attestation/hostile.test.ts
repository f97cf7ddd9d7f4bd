import { expect, test } from 'vitest'
import { verifyAttestation } from '../../../shared/attestation/verify.ts'
import { EVIDENCE_TIME } from '../../support/attestation/certificates.ts'
import { labTrust } from '../../support/attestation/evidence.ts'
import fc from '../../support/fast-check.ts'
import { assertMutations, assertProvesNothingElse, validEvidence } from './hostile.ts'

test('evidence that is cut anywhere proves nothing else, and cut evidence of its key is refused', () => {
  const whole = validEvidence()
  for (let length = 0; length < whole.length; length++) assertProvesNothingElse(whole.subarray(0, length))
  const options = { nonce: Buffer.alloc(48, 5), trust: labTrust(), now: EVIDENCE_TIME }
  expect(verifyAttestation(whole, options).refused).toEqual([])
  expect(verifyAttestation(whole.subarray(0, whole.length / 2), options).refused).not.toEqual([])
  expect(verifyAttestation(Buffer.alloc(0), options).refused).toMatchObject([{ step: 'key' }])
})

test('changed evidence is refused or proves nothing else', () => assertMutations(1_000))

test('any bytes are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const { facts, refused } = verifyAttestation(bytes, { nonce: undefined, trust: labTrust(), now: EVIDENCE_TIME })
      expect(refused).not.toEqual([])
      expect(facts).toEqual({})
    }),
    { numRuns: 2_000 },
  )
})

test('a message above the limits is refused before it is read', () => {
  const options = { nonce: undefined, trust: labTrust(), now: EVIDENCE_TIME }
  expect(verifyAttestation(Buffer.alloc(1_048_577), options).refused).toMatchObject([{ step: 'message' }])
})
