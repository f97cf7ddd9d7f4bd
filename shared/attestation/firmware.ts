import { hash } from 'node:crypto'
import type { Bank } from './banks.ts'
import { EvidenceError } from './evidence.ts'
import { EVENT, type LogEvent } from './event-log.ts'
import { TECHNOLOGIES, type AttestedFacts } from './facts.ts'

const broken = (reason: string): EvidenceError => new EvidenceError('technology', reason)

const isHashOfData = ({ digests, data }: LogEvent, bank: Bank): boolean =>
  digests.get(bank)?.equals(hash(bank.hash, data, 'buffer')) === true

/** Data of a separator: that of a start without errors, or its complement. */
const SEPARATORS = [Buffer.alloc(4), Buffer.alloc(4, 0xff)]

/**
 * Whether an event is a separator. `undefined` when its type and its digest disagree: the type is a label that no
 * digest covers.
 */
function isSeparator({ type, digests }: LogEvent, bank: Bank): boolean | undefined {
  const digest = digests.get(bank)
  const hasDigest = SEPARATORS.some((data) => digest?.equals(hash(bank.hash, data, 'buffer')))
  return hasDigest === (type === EVENT.separator) ? hasDigest : undefined
}

/**
 * The events of a register up to its separator. Later ones prove nothing, because the machine itself may extend the
 * register. `undefined` without a clear separator.
 */
function beforeSeparator(events: readonly LogEvent[], pcr: number, bank: Bank): LogEvent[] | undefined {
  const own = events.filter((event) => event.pcr === pcr && event.type !== EVENT.noAction)
  const end = own.findIndex((event) => isSeparator(event, bank) !== false)
  const last = own[end]
  return last !== undefined && isSeparator(last, bank) === true ? own.slice(0, end) : undefined
}

/** The only event of a type; its digest proves its data. @throws EvidenceError */
function onlyOf(events: readonly LogEvent[], type: number, bank: Bank): Buffer | undefined {
  const [event, ...more] = events.filter((one) => one.type === type)
  if (more.length > 0) throw broken('the firmware measured one fact twice')
  if (event === undefined) return undefined
  if (!isHashOfData(event, bank)) throw broken('the digest of an event is not that of its data')
  return event.data
}

const HOST_INFO = Buffer.from('GCE NonHostInfo\0')
const HOST_INFO_BYTES = 32

/** Ours: without this event, or with another one of its type, the machine is no confidential one. */
function technologyIn(data: Buffer | undefined): AttestedFacts['technology'] {
  const isOurs = data?.length === HOST_INFO_BYTES && data.subarray(0, HOST_INFO.length).equals(HOST_INFO)
  if (!isOurs) return 'NONE'
  const technology = TECHNOLOGIES[data.readUInt8(HOST_INFO.length)]
  if (technology === undefined) throw broken('the firmware measured an unknown technology')
  return technology
}

const VERSION = /^GCE Virtual Firmware v(\d{1,9})\0*$/

/** The version in UCS-2 text. */
function versionIn(data: Buffer | undefined): number | undefined {
  const digits = data === undefined ? undefined : VERSION.exec(data.toString('utf16le'))?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** EFI_GLOBAL_VARIABLE, lengths of name and value, and the name of the variable. @see UEFI, "Globally Defined Variables" */
const SECURE_BOOT = Buffer.concat([
  Buffer.from('61dfe48bca93d211aa0d00e098032b8c', 'hex'),
  Buffer.from([10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
  Buffer.from('SecureBoot', 'utf16le'),
])

/** The registers of the firmware and of the secure-boot policy. */
const [FIRMWARE_PCR, SECURE_BOOT_PCR] = [0, 7]

/** Whether secure boot was on; `undefined` without one clear measurement. */
function secureBootIn(events: readonly LogEvent[], bank: Bank): boolean | undefined {
  const named = (beforeSeparator(events, SECURE_BOOT_PCR, bank) ?? []).filter(
    ({ type, data }) => type === EVENT.variable && data.subarray(0, SECURE_BOOT.length).equals(SECURE_BOOT),
  )
  const [event, ...more] = named
  if (event === undefined || more.length > 0 || !isHashOfData(event, bank)) return undefined
  const value = event.data.length === SECURE_BOOT.length + 1 ? event.data[SECURE_BOOT.length] : undefined
  return value === 0 || value === 1 ? value === 1 : undefined
}

/** The measurements of the firmware, from a log that leads to the quoted values. @throws EvidenceError */
export function firmwareFacts(events: readonly LogEvent[], bank: Bank): AttestedFacts {
  const firmware = beforeSeparator(events, FIRMWARE_PCR, bank)
  if (firmware === undefined) throw broken('the measurements of the firmware end with no clear separator')
  const version = versionIn(onlyOf(firmware, EVENT.firmwareVersion, bank))
  const secureBoot = secureBootIn(events, bank)
  return {
    technology: technologyIn(onlyOf(firmware, EVENT.nonHostInfo, bank)),
    ...(version !== undefined && { firmware_version: version }),
    ...(secureBoot !== undefined && { secure_boot: secureBoot }),
  }
}
