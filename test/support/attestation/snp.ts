import { sign, type KeyObject } from 'node:crypto'
import { bytesField, numberField } from './protobuf.ts'

/** A report of AMD SEV-SNP, in the parts in which machines send it. */
export interface ReportOptions {
  readonly key: KeyObject
  readonly reportData: Uint8Array
  readonly policy?: bigint
  /** 0: key of the chip; 1: key loaded into it */
  readonly signer?: number
  readonly version?: number
}

/** The policy of a machine: reserved bit, multithreading allowed, no debugging. */
export const REPORT_POLICY = 0x3_0000n
export const DEBUG_POLICY = REPORT_POLICY | (1n << 19n)
export const MEASUREMENT = Buffer.alloc(48, 0x5a)

const CPUID = 0x00a0_0f11

/** A report of version 3, which contains the family of the processor. */
export function reportMessage({
  key,
  reportData,
  policy = REPORT_POLICY,
  signer = 0,
  version = 3,
}: ReportOptions): Buffer {
  const report = Buffer.alloc(0x4a0)
  const data = Buffer.alloc(64)
  data.set(reportData)
  const [chip, tcb] = [Buffer.alloc(64, 0xc1), 0xd315_0000_0000_0004n]
  report.writeUInt32LE(version, 0)
  report.writeBigUInt64LE(policy, 8)
  report.writeUInt32LE(1, 0x34)
  report.writeUInt32LE(signer << 2, 0x48)
  data.copy(report, 0x50)
  MEASUREMENT.copy(report, 0x90)
  report.writeBigUInt64LE(tcb, 0x180)
  if (version >= 3) Buffer.of(0x19, 0x01, 0x01).copy(report, 0x188)
  chip.copy(report, 0x1a0)
  const numbers = sign('sha384', report.subarray(0, 0x2a0), { key, dsaEncoding: 'ieee-p1363' })
  const half = numbers.length / 2
  const signature = Buffer.alloc(512)
  Buffer.from(numbers.subarray(0, half)).reverse().copy(signature, 0)
  Buffer.from(numbers.subarray(half)).reverse().copy(signature, 72)
  return Buffer.concat([
    numberField(1, BigInt(version)),
    numberField(3, policy),
    bytesField(4, Buffer.alloc(16)),
    bytesField(5, Buffer.alloc(16)),
    numberField(7, 1n),
    numberField(10, BigInt(signer << 2)),
    bytesField(11, data),
    bytesField(12, MEASUREMENT),
    bytesField(13, Buffer.alloc(32)),
    bytesField(14, Buffer.alloc(48)),
    bytesField(15, Buffer.alloc(48)),
    bytesField(16, Buffer.alloc(32)),
    bytesField(17, Buffer.alloc(32)),
    numberField(18, tcb),
    bytesField(19, chip),
    bytesField(28, signature),
    ...(version >= 3 ? [numberField(29, BigInt(CPUID))] : []),
  ])
}
