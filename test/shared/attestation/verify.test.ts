import { hash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readEventLog } from '../../../shared/attestation/event-log.ts'
import { TECHNOLOGIES } from '../../../shared/attestation/facts.ts'
import type { AttestationTrust } from '../../../shared/attestation/trust.ts'
import { verifyAttestation } from '../../../shared/attestation/verify.ts'
import { EVIDENCE_TIME } from '../../support/attestation/certificates.ts'
import {
  bootEvents,
  evidence,
  hostInfo,
  lab,
  labTrust,
  TYPE,
  type EvidenceOptions,
} from '../../support/attestation/evidence.ts'
import { bytesField, numberField } from '../../support/attestation/protobuf.ts'
import {
  agileLog,
  ATTESTATION_ATTRIBUTES,
  legacyLog,
  publicArea,
  ucs2,
  type TestEvent,
} from '../../support/attestation/tpm.ts'

const nonce = Buffer.concat([Buffer.from('TLSAttestationV1'), Buffer.alloc(32, 0x42)])

/** The verdict on the evidence of a machine; `about` replaces the time and the trust. */
const verdict = (options: Partial<EvidenceOptions> = {}, about: { now?: Date; trust?: AttestationTrust } = {}) =>
  verifyAttestation(evidence({ nonce, ...options }), { nonce, trust: labTrust(), now: EVIDENCE_TIME, ...about })

const FACTS = {
  technology: 'AMD_SEV',
  instance_name: 'vault-1',
  instance_id: '9007199254740993123',
  project_id: 'payments-prod',
  project_number: '492817337510',
  zone: 'europe-west3-a',
  firmware_version: 2,
  secure_boot: true,
}

test('evidence of a confidential machine proves its technology, identity, firmware and secure boot', () => {
  expect(verdict()).toEqual({ facts: FACTS, refused: [] })
})

test.each([
  ['an ECDSA key', { key: lab().ec }],
  ['signatures with SHA-384', { signatureHash: 'sha384' }],
  ['one bank', { banks: ['sha256'] }],
  [
    'a start at locality 3',
    {
      locality: 3,
      events: [{ pcr: 0, type: TYPE.noAction, data: Buffer.from('StartupLocality\0\x03') }, ...bootEvents()],
    },
  ],
  [
    'a separator after an error of the firmware',
    {
      events: bootEvents().map((event) =>
        event.type === TYPE.separator ? { ...event, data: Buffer.alloc(4, 0xff) } : event,
      ),
    },
  ],
  [
    'fields that nobody knows',
    {
      more: Buffer.concat([
        bytesField(99, Buffer.from('new')),
        numberField(100, 7n),
        bytesField(9, Buffer.from('tdx')),
      ]),
    },
  ],
] satisfies [string, Partial<EvidenceOptions>][])('evidence with %s proves the same', (_what, options) => {
  expect(verdict(options)).toEqual({ facts: FACTS, refused: [] })
})

test.each(TECHNOLOGIES.map((name, number) => [name, number] as const))('the technology %s is read', (name, number) => {
  expect(verdict({ events: bootEvents(number) })).toMatchObject({ facts: { technology: name }, refused: [] })
})

test('a log in the older form is read: the same events, with SHA-1 digests only', () => {
  const partsOf = (log: Buffer) => readEventLog(log).map(({ pcr, type, data }) => ({ pcr, type, data }))
  const older = readEventLog(legacyLog(bootEvents()))
  const [, ...agile] = partsOf(agileLog(bootEvents(), ['sha1', 'sha256']))
  expect(partsOf(legacyLog(bootEvents()))).toEqual(agile)
  for (const { digests, data } of older)
    expect([...digests].map(([bank, digest]) => [bank.hash, digest])).toEqual([['sha1', hash('sha1', data, 'buffer')]])
})

test('secure boot that is off is a fact of its own', () => {
  expect(verdict({ events: bootEvents(1, false) })).toMatchObject({ facts: { secure_boot: false }, refused: [] })
})

test('a bank without digests in the log is passed over', () => {
  expect(verdict({ banks: ['sha512', 'sha256'] })).toEqual({ facts: FACTS, refused: [] })
})

test('a stronger bank that fails is skipped, and refuses if no other exists', () => {
  const broken: Partial<EvidenceOptions> = {
    quote: (fields) => (fields.bank === 'sha384' ? { ...fields, digest: Buffer.alloc(32) } : fields),
  }
  expect(verdict(broken)).toEqual({ facts: FACTS, refused: [] })
  const { refused } = verdict({ ...broken, banks: ['sha384'] })
  expect(refused).toEqual([{ step: 'pcrs', reason: 'sha384: the digest of the quote is of other values' }])
})

const appended = (...events: TestEvent[]): TestEvent[] => [...bootEvents(0), ...events]

test('measurements after the separator prove nothing', () => {
  const events = appended({ pcr: 0, type: TYPE.nonHost, data: hostInfo(1) })
  expect(verdict({ events })).toMatchObject({ facts: { technology: 'NONE' }, refused: [] })
})

test('a machine with another firmware is not confidential', () => {
  const events = bootEvents().map((event) =>
    event.pcr === 0 && event.type === TYPE.nonHost ? { ...event, data: Buffer.alloc(32, 1) } : event,
  )
  expect(verdict({ events })).toMatchObject({ facts: { technology: 'NONE' }, refused: [] })
})

const without0 = bootEvents().filter(({ pcr }) => pcr !== 0)

test.each([
  ['the nonce of another session', { nonce: randomBytes(48) }, 'nonce', 'another nonce'],
  ['a nonce that only begins alike', { nonce: nonce.subarray(0, 47) }, 'nonce', 'another nonce'],
  ['a signature by another key', { signer: lab().ec.privateKey, key: lab().rsa }, 'signature', 'did not sign'],
  ['another structure than a quote', { quote: (fields) => ({ ...fields, type: 0x8014 }) }, 'quote', 'no quote'],
  ['a structure of software', { quote: (fields) => ({ ...fields, magic: 1 }) }, 'quote', 'not generated by a TPM'],
  ['a bank of SHA-1 alone', { banks: ['sha1'] }, 'quote', 'SHA-2'],
  ['no quotes', { without: [2] }, 'quote', 'SHA-2'],
  ['fewer quoted registers than sent', { quote: (fields) => ({ ...fields, indexes: [0] }) }, 'pcrs', 'other registers'],
  [
    'a changed register',
    { pcrs: (values) => void values.set(9, Buffer.alloc(32, 1)), banks: ['sha256'] },
    'pcrs',
    'other values',
  ],
  [
    'a register of another length',
    { pcrs: (values) => void values.set(9, Buffer.alloc(20)), banks: ['sha256'] },
    'pcrs',
    'another length',
  ],
  ['no log', { without: [3] }, 'log', 'no event log'],
  ['a log in the older form', { log: legacyLog(bootEvents()) }, 'log', 'no digests'],
  ['the log of another start', { log: agileLog(bootEvents(4), ['sha1', 'sha256', 'sha384']) }, 'log', 'PCR 0'],
  [
    'a log with a trailing byte',
    { log: Buffer.concat([agileLog(bootEvents(), ['sha256']), Buffer.of(0)]) },
    'log',
    'form of the TCG',
  ],
  ['a technology that nobody knows', { events: bootEvents(5) }, 'technology', 'unknown technology'],
  [
    'two measured technologies',
    { events: [{ pcr: 0, type: TYPE.nonHost, data: hostInfo(0) }, ...bootEvents()] },
    'technology',
    'twice',
  ],
  [
    'a technology whose digest is of other data',
    {
      events: [
        { pcr: 0, type: TYPE.nonHost, data: hostInfo(1), measured: hostInfo(0) },
        { pcr: 0, type: TYPE.separator, data: Buffer.alloc(4) },
        ...without0,
      ],
    },
    'technology',
    'not that of its data',
  ],
  [
    'firmware without a separator',
    {
      events: [{ pcr: 0, type: TYPE.version, data: ucs2('GCE Virtual Firmware v2') }, ...without0],
    },
    'technology',
    'no clear separator',
  ],
  [
    'the digest of a separator under another label',
    {
      events: [
        { pcr: 0, type: 0x0d, data: Buffer.from('relabelled'), measured: Buffer.alloc(4) },
        { pcr: 0, type: TYPE.nonHost, data: hostInfo(1) },
        { pcr: 0, type: TYPE.separator, data: Buffer.alloc(4) },
        ...without0,
      ],
    },
    'technology',
    'no clear separator',
  ],
  [
    'a separator that measured other data',
    {
      events: [{ pcr: 0, type: TYPE.separator, data: Buffer.alloc(4), measured: Buffer.from('x') }, ...without0],
    },
    'technology',
    'no clear separator',
  ],
] satisfies [string, Partial<EvidenceOptions>, string, string][])(
  'evidence with %s is refused',
  (_what, options, step, reason) => {
    const { facts, refused } = verdict(options)
    expect(refused.length).toBeGreaterThan(0)
    for (const one of refused) {
      expect(one.step).toBe(step)
      expect(one.reason).toContain(reason)
    }
    expect(facts).not.toHaveProperty('technology')
  },
)

test.each([
  ['may sign any data', { attributes: ATTESTATION_ATTRIBUTES & ~0x1_0000 }, 'not restricted'],
  ['may leave its TPM', { attributes: ATTESTATION_ATTRIBUTES & ~0x2 }, 'not restricted'],
  ['does not sign', { attributes: ATTESTATION_ATTRIBUTES & ~0x4_0000 }, 'not restricted'],
  ['has no public area', { without: [1] }, 'no public area'],
  ['has no certificate', { certificate: undefined }, 'no certificate'],
  [
    'has the certificate of another key',
    {
      without: [1],
      more: bytesField(1, publicArea(lab().ec.publicKey)),
    },
    'another key',
  ],
] satisfies [string, Partial<EvidenceOptions>, string][])('a key that %s is refused', (_what, options, reason) => {
  const { facts, refused } = verdict(options)
  expect(refused).toEqual([{ step: 'key', reason: expect.stringContaining(reason) as string }])
  expect(facts).toEqual({})
})

test('the facts of a certificate are stated when a later step refuses', () => {
  const { facts, refused } = verdict({ nonce: Buffer.alloc(48) })
  expect(refused.map(({ step }) => step)).toEqual(['nonce', 'nonce'])
  expect(facts).toEqual({
    instance_name: FACTS.instance_name,
    instance_id: FACTS.instance_id,
    project_id: FACTS.project_id,
    project_number: FACTS.project_number,
    zone: FACTS.zone,
  })
})

test('without a nonce to compare, the other steps are checked', () => {
  const bytes = evidence({ nonce: randomBytes(48) })
  const { refused } = verifyAttestation(bytes, { nonce: undefined, trust: labTrust(), now: EVIDENCE_TIME })
  expect(refused).toEqual([])
})

test('a deployment without roots accepts no evidence', () => {
  const none = { roots: [], intermediates: [] }
  const { refused } = verdict({}, { trust: { machines: none, processors: none } })
  expect(refused).toEqual([{ step: 'key', reason: 'this deployment has no root for attestation keys' }])
})
