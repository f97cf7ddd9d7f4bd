import { bankNumbered, PCR_COUNT, type Bank } from './banks.ts'
import { Cursor, EvidenceError } from './evidence.ts'

/** One event that the firmware measured. Its type and number are labels that no digest covers. */
export interface LogEvent {
  readonly pcr: number
  readonly type: number
  readonly digests: ReadonlyMap<Bank, Buffer>
  readonly data: Buffer
}

/** Types of events. @see TCG PC Client Platform Firmware Profile, "Event Types" */
export const EVENT = {
  noAction: 0x3,
  separator: 0x4,
  firmwareVersion: 0x8,
  nonHostInfo: 0x11,
  variable: 0x8000_0001,
} as const

/** Ours: several times the size of a machine's log. */
const [LOG_BYTES, EVENTS_MOST] = [524_288, 8_192]
const ALGORITHMS_MOST = 8

const SPECIFICATION = Buffer.from('Spec ID Event03\0')
/** platform class, minor and major version, errata, size of UINTN */
const VERSIONS_BYTES = 4 + 1 + 1 + 1 + 1

const broken = (reason: string): EvidenceError => new EvidenceError('log', reason)
const cutShort = (): EvidenceError => broken('the event log is not in the form of the TCG')

function pcrIn(cursor: Cursor): number {
  const pcr = cursor.little(4)
  if (pcr >= PCR_COUNT) throw broken('the event log names a register that does not exist')
  return pcr
}

const SHA1 = bankNumbered(4)

/** An event with one digest, of SHA-1. @see TCG PC Client Specific Implementation Specification, TCG_PCR_EVENT */
function legacyEvent(cursor: Cursor): LogEvent {
  const pcr = pcrIn(cursor)
  const type = cursor.little(4)
  const digest = cursor.take(20)
  const data = cursor.take(cursor.little(4))
  return { pcr, type, digests: new Map(SHA1 === undefined ? [] : [[SHA1, digest]]), data }
}

/** Lengths of digests, by the number of the hash, that the first event of a log declares. @throws EvidenceError */
function declaredHashes(data: Buffer): Map<number, number> {
  const cursor = new Cursor(data.subarray(SPECIFICATION.length), cutShort)
  cursor.take(VERSIONS_BYTES)
  const count = cursor.little(4)
  if (count > ALGORITHMS_MOST) throw broken('the event log declares too many hashes')
  const sizes = new Map<number, number>()
  for (let one = 0; one < count; one++) {
    const id = cursor.little(2)
    const size = cursor.little(2)
    if ((bankNumbered(id)?.bytes ?? size) !== size) throw broken('the event log declares a hash of another length')
    sizes.set(id, size)
  }
  cursor.take(cursor.little(1)) // of the vendor
  cursor.assertAtEnd()
  return sizes
}

/** @see TCG PC Client Platform Firmware Profile, TCG_PCR_EVENT2 */
function agileEvent(cursor: Cursor, sizes: ReadonlyMap<number, number>): LogEvent {
  const pcr = pcrIn(cursor)
  const type = cursor.little(4)
  const count = cursor.little(4)
  if (count > ALGORITHMS_MOST) throw broken('an event has too many digests')
  const digests = new Map<Bank, Buffer>()
  for (let one = 0; one < count; one++) {
    const id = cursor.little(2)
    const size = sizes.get(id)
    if (size === undefined) throw broken('an event has a digest that the event log does not declare')
    const [digest, bank] = [cursor.take(size), bankNumbered(id)]
    if (bank === undefined) continue
    if (digests.has(bank)) throw broken('an event has two digests of one hash')
    digests.set(bank, digest)
  }
  return { pcr, type, digests, data: cursor.take(cursor.little(4)) }
}

/**
 * Events in their order. The first event of the crypto-agile form declares the hashes of the others; without it, a log
 * is in the older form, which has SHA-1 only.
 * @throws EvidenceError for anything but a whole log
 */
export function readEventLog(bytes: Buffer): LogEvent[] {
  if (bytes.length === 0) throw broken('the message has no event log')
  if (bytes.length > LOG_BYTES) throw broken(`the event log is longer than ${LOG_BYTES} bytes`)
  const cursor = new Cursor(bytes, cutShort)
  const first = legacyEvent(cursor)
  const isAgile = first.type === EVENT.noAction && first.data.subarray(0, SPECIFICATION.length).equals(SPECIFICATION)
  const sizes = isAgile ? declaredHashes(first.data) : undefined
  const events = [first]
  while (!cursor.isAtEnd) {
    if (events.length >= EVENTS_MOST) throw broken(`the event log has more than ${EVENTS_MOST} events`)
    events.push(sizes === undefined ? legacyEvent(cursor) : agileEvent(cursor, sizes))
  }
  return events
}
