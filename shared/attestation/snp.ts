import { verify } from 'node:crypto'
import type { ProtobufMessage } from '../base/protobuf.ts'
import { derInteger } from '../crypto/asn1/der.ts'
import { sequence } from '../crypto/x509/encoding.ts'
import { certificateIn, leadsToRoot, type Authorities } from './chain.ts'
import { EvidenceError } from './evidence.ts'
import type { AttestedFacts } from './facts.ts'
import type { ProcessorEvidence } from './message.ts'

/*
 * ATTESTATION_REPORT of AMD SEV-SNP: 0x4a0 bytes, numbers with the lowest byte first. The message contains it in parts,
 * which are put together here, since the signature is over the report.
 * @see SEV Secure Nested Paging Firmware ABI Specification, "Attestation"
 */
const REPORT_BYTES = 0x4a0
const SIGNATURE_AT = 0x2a0
const NUMBER_BYTES = 72

/** Numbers of the report: number of the field, place and length in bytes. */
const NUMBERS = [
  [1, 0x00, 4], // version
  [2, 0x04, 4], // security version of the guest
  [3, 0x08, 8], // policy
  [6, 0x30, 4], // privilege level
  [7, 0x34, 4], // algorithm of the signature
  [8, 0x38, 8], // current version of the trusted computing base
  [9, 0x40, 8], // platform
  [10, 0x48, 4], // signer
  [18, 0x180, 8], // reported version
  [20, 0x1e0, 8], // committed version
  [21, 0x1e8, 1],
  [22, 0x1e9, 1],
  [23, 0x1ea, 1],
  [24, 0x1ec, 1],
  [25, 0x1ed, 1],
  [26, 0x1ee, 1],
  [27, 0x1f0, 8], // version at launch
  [30, 0x1f8, 8],
  [31, 0x200, 8],
] as const

/** Bytes of the report: number of the field, place and length. */
const BYTES = [
  [4, 0x10, 16],
  [5, 0x20, 16],
  [11, 0x50, 64], // report data
  [12, 0x90, 48], // measurement
  [13, 0xc0, 32],
  [14, 0xe0, 48],
  [15, 0x110, 48],
  [16, 0x140, 32],
  [17, 0x160, 32],
  [19, 0x1a0, 64], // chip
  [28, SIGNATURE_AT, 512],
] as const

/** Field with family, model and stepping as in CPUID; from version 3 on they are bytes of the report. */
const [CPUID, FAMILY_AT] = [29, 0x188]

const POLICY = { debug: 1n << 19n } as const
const ECDSA_P384_SHA384 = 1
const SIGNER = { vcek: 0, vlek: 1 } as const

const broken = (reason: string): EvidenceError => new EvidenceError('snp', reason)

function writeFamily(report: Buffer, cpuid: number): void {
  const bits = (shift: number, mask: number): number => (cpuid >>> shift) & mask
  report[FAMILY_AT] = bits(20, 0xff) + bits(8, 0xf)
  report[FAMILY_AT + 1] = (bits(16, 0xf) << 4) | bits(4, 0xf)
  report[FAMILY_AT + 2] = bits(0, 0xf)
}

/** The report, of which reserved bytes are zero. @throws EvidenceError */
function reportOf(message: ProtobufMessage): Buffer {
  const report = Buffer.alloc(REPORT_BYTES)
  for (const [field, at, length] of NUMBERS) {
    const value = message.number(field) ?? 0n
    if (value >= 1n << BigInt(8 * length)) throw broken('a number of the report is too long')
    report.fill(Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex').reverse(), at, at + length)
  }
  for (const [field, at, length] of BYTES) {
    const value = message.bytes(field)
    if (value?.length !== length) throw broken('a part of the report has another length')
    value.copy(report, at)
  }
  const cpuid = message.number(CPUID)
  if (cpuid !== undefined) writeFamily(report, Number(BigInt.asUintN(32, cpuid)))
  return report
}

/** r and s, lowest byte first, as DER. */
function signatureOf(report: Buffer): Buffer {
  const number = (at: number): Buffer => {
    const bytes = Buffer.from(report.subarray(at, at + NUMBER_BYTES)).reverse()
    return derInteger(BigInt(`0x${bytes.toString('hex')}`))
  }
  return sequence(number(SIGNATURE_AT), number(SIGNATURE_AT + NUMBER_BYTES))
}

/** @throws EvidenceError unless a certified key of a processor signed the report */
function assertSigned(report: Buffer, { certificates }: ProcessorEvidence, trust: Authorities, now: Date): void {
  if (report.readUInt32LE(0x34) !== ECDSA_P384_SHA384) throw broken('the report is not signed with ECDSA on P-384')
  const signer = (report.readUInt32LE(0x48) >>> 2) & 7
  if (signer !== SIGNER.vcek && signer !== SIGNER.vlek) throw broken('the report names an unknown signer')
  const leaf = certificateIn(signer === SIGNER.vcek ? certificates.vcek : certificates.vlek)
  if (leaf === undefined) throw broken('the message has no certificate of the key that signed the report')
  const offered = certificates.above.flatMap((bytes) => certificateIn(bytes) ?? [])
  if (!leadsToRoot(leaf, trust, offered, now))
    throw broken(
      "the certificate of the processor's key does not lead to a root of this deployment, or is not valid now",
    )
  const { publicKey } = leaf
  const isP384 = publicKey.asymmetricKeyDetails?.namedCurve === 'secp384r1'
  if (!isP384 || !verify('sha384', report.subarray(0, SIGNATURE_AT), publicKey, signatureOf(report)))
    throw broken("the processor's key did not sign the report")
}

/** The nonce, and zeros. */
function isFor(reportData: Buffer, nonce: Uint8Array): boolean {
  const expected = Buffer.alloc(reportData.length)
  if (nonce.length > expected.length) return false
  expected.set(nonce)
  return reportData.equals(expected)
}

/** The facts of a processor's report about the memory of its machine. @throws EvidenceError, ProtobufError */
export function processorFacts(
  evidence: ProcessorEvidence,
  trust: Authorities,
  { nonce, now }: { readonly nonce: Uint8Array | undefined; readonly now: Date },
): AttestedFacts {
  const report = reportOf(evidence.report)
  assertSigned(report, evidence, trust, now)
  if (nonce !== undefined && !isFor(report.subarray(0x50, 0x90), nonce))
    throw broken('the report was made for another nonce')
  if (report.readBigUInt64LE(0x08) & POLICY.debug) throw broken('the machine may be debugged from outside')
  return { snp_measurement: report.subarray(0x90, 0xc0).toString('hex') }
}
