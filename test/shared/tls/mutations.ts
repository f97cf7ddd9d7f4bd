import { expect } from 'vitest'
import { clearRecord, CONTENT } from '../../../shared/tls/records.ts'
import {
  FRESH,
  PeerAlert,
  readConnection,
  receive,
  TlsRefusal,
  writeConnection,
  type Connection,
} from '../../../shared/tls/server.ts'
import fc from '../../support/fast-check.ts'
import { HandClient, handshakeMessage, testServer } from '../../support/tls-client.ts'
import traces from '../../vectors/tls13-traces.json' with { type: 'json' }

const server = testServer('keys.example.test')

/** One change of some bytes, by fractions of their length. */
type Change = (bytes: Buffer) => Buffer

const at = (bytes: Buffer, fraction: number): number => Math.min(bytes.length - 1, Math.floor(fraction * bytes.length))

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc
    .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 255 }))
    .map(([where, mask]): Change => (bytes) => {
      const changed = Buffer.from(bytes)
      changed[at(bytes, where)] = (changed[at(bytes, where)] ?? 0) ^ mask
      return changed
    }),
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 40 })).map(
    ([where, length]): Change =>
      (bytes) =>
        Buffer.concat([bytes.subarray(0, at(bytes, where)), bytes.subarray(at(bytes, where) + length)]),
  ),
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.uint8Array({ minLength: 1, maxLength: 40 })).map(
    ([where, more]): Change =>
      (bytes) =>
        Buffer.concat([bytes.subarray(0, at(bytes, where)), more, bytes.subarray(at(bytes, where))]),
  ),
)

const mutation = fc.array(changes, { minLength: 1, maxLength: 4 }).map(
  (list): Change =>
    (bytes) =>
      list.reduce((changed, change) => change(changed), bytes),
)

const SLOW_MS = 500
const TIMES = 5

/**
 * Receives records, and requires that it takes less than half a second. Ours: as other work on the machine only adds time,
 * records that took longer are received again, and the shortest time counts.
 */
function received(connection: () => Connection, records: Buffer): ReturnType<typeof receive> {
  let shortest = Infinity
  let error: unknown
  for (let time = 0; time < TIMES && shortest >= SLOW_MS; time++) {
    const at = connection()
    const from = performance.now()
    try {
      return receive(at, records, server)
    } catch (cause) {
      error = cause
    } finally {
      shortest = Math.min(shortest, performance.now() - from)
    }
  }
  expect(shortest, 'ms of the shortest time').toBeLessThan(SLOW_MS)
  throw error
}

const refused = (error: unknown): boolean => error instanceof TlsRefusal || error instanceof PeerAlert

/** A stored connection that waits for Finished, with its client's keys. */
function begun() {
  const client = new HandClient()
  const { connection, reply } = receive(FRESH, client.helloRecord(), server)
  const { verify, application } = client.takeFlight(reply)
  return { client, state: writeConnection(connection), verify, application }
}

/**
 * A changed ClientHello is refused with an alert, or is a ClientHello of another client: the one that sent the original
 * cannot read the answer.
 */
function changedHello(change: Change, isTrace: boolean): void {
  const client = new HandClient()
  const original = isTrace ? Buffer.from(traces.simple.client_hello, 'hex') : client.hello()
  const changed = change(original)
  try {
    const { reply } = received(() => FRESH, clearRecord(CONTENT.handshake, changed))
    if (changed.equals(original) || isTrace) return
    expect(() => client.takeFlight(reply)).toThrow()
  } catch (error) {
    if (!refused(error)) throw error
  }
}

/** Changed records are refused whole. */
function changedRecords(change: Change, { client, state, verify }: ReturnType<typeof begun>): void {
  const records = client.protect(CONTENT.handshake, handshakeMessage(20, verify))
  const changed = change(records)
  if (changed.equals(records)) return
  expect(() => received(() => readConnection(state), changed)).toThrow(/refused with|sent alert/)
}

/** Messages that were changed before they were protected: every message but a good Finished is refused. */
function changedMessage(change: Change, type: number, { client, state, verify }: ReturnType<typeof begun>): void {
  const message = handshakeMessage(20, verify)
  const changed = change(message)
  if (changed.equals(message) || changed.length > 16_384) return
  const sent = client.protect(type, changed)
  expect(() => received(() => readConnection(state), sent)).toThrow(/refused with|sent alert/)
}

/** @param runs how many changes of each kind are tried */
export function mutateAll(runs: number): void {
  const fresh = fc.property(mutation, fc.boolean(), changedHello)
  fc.assert(fresh, { numRuns: runs })
  // Each attempt starts from the same connection with the same key: a record's number is used up by each.
  const kept = begun()
  const again = (): ReturnType<typeof begun> => {
    kept.client.use(kept.client.write?.secret ?? Buffer.alloc(0))
    return kept
  }
  fc.assert(
    fc.property(mutation, (change) => changedRecords(change, again())),
    { numRuns: runs },
  )
  const type = fc.oneof(fc.constant<number>(CONTENT.handshake), fc.integer({ min: 0, max: 255 }))
  fc.assert(
    fc.property(mutation, type, (change, inner) => changedMessage(change, inner, again())),
    { numRuns: runs },
  )
}
