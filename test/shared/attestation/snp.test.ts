import { expect, test } from 'vitest'
import { verifyAttestation } from '../../../shared/attestation/verify.ts'
import { ecPair, EVIDENCE_TIME, testAuthority } from '../../support/attestation/certificates.ts'
import {
  bootEvents,
  chipCertificate,
  evidence,
  lab,
  labTrust,
  type EvidenceOptions,
} from '../../support/attestation/evidence.ts'
import { DEBUG_POLICY, MEASUREMENT } from '../../support/attestation/snp.ts'

const nonce = Buffer.alloc(48, 3)
const SNP = 4

const verdict = (report: EvidenceOptions['report'], technology = SNP, trust = labTrust()) =>
  verifyAttestation(evidence({ nonce, events: bootEvents(technology), ...(report && { report }) }), {
    nonce,
    trust,
    now: EVIDENCE_TIME,
  })

test.each([
  ['the key of the chip', {}],
  ['a key that was loaded into the chip', { signer: 1 }],
  ['firmware of report version 2', { version: 2 }],
])('a report signed with %s proves the measurement of the memory', (_what, report) => {
  const { facts, refused } = verdict(report)
  expect(refused).toEqual([])
  expect(facts).toMatchObject({ technology: 'AMD_SEV_SNP', snp_measurement: MEASUREMENT.toString('hex') })
})

test('a machine without a report proves its technology by its log', () => {
  const { facts, refused } = verdict(undefined)
  expect(refused).toEqual([])
  expect(facts).toMatchObject({ technology: 'AMD_SEV_SNP' })
  expect(facts).not.toHaveProperty('snp_measurement')
})

test('without a root for processors a report proves nothing and is ignored', () => {
  const trust = { ...labTrust(), processors: { roots: [], intermediates: [] } }
  const { facts, refused } = verdict({ policy: DEBUG_POLICY }, SNP, trust)
  expect(refused).toEqual([])
  expect(facts).not.toHaveProperty('snp_measurement')
})

test('the authority of a chip may come with the report', () => {
  const { processorRoot } = lab()
  const trust = { ...labTrust(), processors: { roots: [processorRoot.certificate], intermediates: [] } }
  expect(verdict({}, SNP, trust).refused).toMatchObject([{ step: 'snp' }])
})

const other = ecPair('P-384')

test.each([
  ['of another session', { reportData: Buffer.alloc(48, 9) }, 'another nonce'],
  ['whose data does not end with zeros', { reportData: Buffer.concat([nonce, Buffer.of(1)]) }, 'another nonce'],
  ['of a machine that may be debugged', { policy: DEBUG_POLICY }, 'debugged'],
  ['that another key signed', { key: other.privateKey }, 'did not sign'],
  [
    'with the certificate of another root',
    { certificate: chipCertificate(testAuthority('SEV', { pss: true })) },
    'does not lead',
  ],
  ['of an unknown signer', { signer: 5 }, 'unknown signer'],
])('a report %s is refused', (_what, report, reason) => {
  const { facts, refused } = verdict(report)
  expect(refused).toEqual([{ step: 'snp', reason: expect.stringContaining(reason) as string }])
  expect(facts).not.toHaveProperty('snp_measurement')
})

test('a report beside a log of another technology is refused', () => {
  expect(verdict({}, 1).refused).toMatchObject([
    { step: 'snp', reason: expect.stringContaining('another technology') as string },
  ])
})
