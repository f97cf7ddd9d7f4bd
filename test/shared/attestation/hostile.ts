import { expect } from 'vitest'
import { STEPS } from '../../../shared/attestation/evidence.ts'
import { verifyAttestation } from '../../../shared/attestation/verify.ts'
import { EVIDENCE_TIME } from '../../support/attestation/certificates.ts'
import { bootEvents, evidence, lab, labTrust } from '../../support/attestation/evidence.ts'
import fc from '../../support/fast-check.ts'

const nonce = Buffer.alloc(48, 5)
const valid = evidence({
  nonce,
  key: lab().ec,
  events: bootEvents(4),
  report: {},
  intermediates: [lab().machines.certificate.raw],
})
const options = { nonce, trust: labTrust(), now: EVIDENCE_TIME }
const { facts: proved } = verifyAttestation(valid, options)

/**
 * Bytes that nothing covers, such as labels of events and unknown fields, may lose facts, but change none: a machine
 * can at most deny that it is confidential.
 */
export function assertProvesNothingElse(message: Buffer): void {
  const { facts, refused } = verifyAttestation(message, options)
  for (const { step, reason } of refused) {
    expect(STEPS).toContain(step)
    expect(reason).not.toBe('')
  }
  const { technology, ...others } = facts
  expect([undefined, 'NONE', proved.technology]).toContain(technology)
  expect(proved).toMatchObject(others)
}

/** Messages of which single bytes are changed, and parts are removed, repeated and moved. */
const mutated = fc
  .tuple(
    fc.array(fc.tuple(fc.nat(valid.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
    fc.option(fc.tuple(fc.nat(valid.length), fc.nat(64), fc.nat(2))),
  )
  .map(([bytes, cut]) => {
    const message = Buffer.from(valid)
    for (const [at, byte] of bytes) message[at] = byte
    if (cut === null) return message
    const [at, length, times] = cut
    const part = message.subarray(at, at + length)
    return Buffer.concat([
      message.subarray(0, at),
      ...Array.from({ length: times }, () => part),
      message.subarray(at + length),
    ])
  })

export const assertMutations = (numRuns: number): void =>
  fc.assert(fc.property(mutated, assertProvesNothingElse), { numRuns })

export const validEvidence = (): Buffer => valid
