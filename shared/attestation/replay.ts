import { hash } from 'node:crypto'
import type { Bank } from './banks.ts'
import { EvidenceError } from './evidence.ts'
import { EVENT, type LogEvent } from './event-log.ts'

const LOCALITY = Buffer.from('StartupLocality\0')

const broken = (reason: string): EvidenceError => new EvidenceError('log', reason)

/** The locality of a start outside of the usual one, which a no-action event records. */
const localityOf = ({ pcr, type, data }: LogEvent): number | undefined =>
  pcr === 0 &&
  type === EVENT.noAction &&
  data.length === LOCALITY.length + 1 &&
  data.subarray(0, LOCALITY.length).equals(LOCALITY)
    ? data[LOCALITY.length]
    : undefined

/** The value of a register before its first event. */
function startOf(pcr: number, events: readonly LogEvent[], bank: Bank): Buffer {
  const value = Buffer.alloc(bank.bytes)
  if (pcr !== 0) return value
  for (const event of events) value[bank.bytes - 1] = localityOf(event) ?? value.readUInt8(bank.bytes - 1)
  return value
}

/** Values of the registers that the events extend. @throws EvidenceError when an event has no digest of this bank */
function replayed(events: readonly LogEvent[], bank: Bank): Map<number, Buffer> {
  const values = new Map<number, Buffer>()
  for (const { pcr, type, digests } of events) {
    if (type === EVENT.noAction) continue
    const digest = digests.get(bank)
    if (digest === undefined) throw broken(`the event log has no digests of ${bank.hash}`)
    const before = values.get(pcr) ?? startOf(pcr, events, bank)
    values.set(pcr, hash(bank.hash, Buffer.concat([before, digest]), 'buffer'))
  }
  return values
}

/**
 * Every register that the log extends must have the quoted value.
 * @param pcrs quoted values, by index
 * @throws EvidenceError
 */
export function assertReplays(events: readonly LogEvent[], bank: Bank, pcrs: ReadonlyMap<number, Buffer>): void {
  for (const [pcr, value] of replayed(events, bank)) {
    const quoted = pcrs.get(pcr)
    if (quoted === undefined) throw broken(`the event log extends PCR ${pcr}, which is not quoted`)
    if (!quoted.equals(value)) throw broken(`the event log does not lead to the quoted value of PCR ${pcr}`)
  }
}
