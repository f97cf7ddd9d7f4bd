import { ByteReader, number, vector } from './bytes.ts'
import { Direction } from './records.ts'
import { SUITES, type Suite } from './suites.ts'

/** A connection whose client has not sent anything. */
export interface Fresh {
  readonly phase: 'fresh'
}

/** A connection that waits for a second ClientHello. */
export interface Retried {
  readonly phase: 'retried'
  readonly suite: Suite
  /** group that was asked for */
  readonly group: number
  /** parts of the first ClientHello that the second must repeat, as a hash */
  readonly fixed: Buffer
  /** messages so far; the first ClientHello as its hash */
  readonly transcript: Buffer
}

/** A connection that waits for the client's Finished. */
export interface Answered {
  readonly phase: 'answered'
  /** handshake keys */
  readonly read: Direction
  /** application keys */
  readonly write: Direction
  /** the client's application traffic secret, in use after its Finished */
  readonly application: Buffer
  readonly exporter: Buffer
  /** hash of the messages up to the server's Finished */
  readonly transcriptHash: Buffer
}

export interface Connected {
  readonly phase: 'connected'
  readonly read: Direction
  readonly write: Direction
  readonly exporter: Buffer
  /** whether the client asked for a KeyUpdate, which precedes the next record */
  readonly owesUpdate: boolean
}

/**
 * A connection between two calls. Its directions count records, so that a connection is used once: the outcome of a
 * step replaces it.
 */
export type Connection = Fresh | Retried | Answered | Connected
export type Kept = Exclude<Connection, Fresh>

const FORMAT = 1
const PHASES = ['retried', 'answered', 'connected'] as const
const SEQUENCE_BYTES = 6

const fault = (): Error => new Error('This is not the state of a connection')

function suiteOf(id: number): Suite {
  const suite = SUITES.find((one) => one.id === id)
  if (suite === undefined) throw fault()
  return suite
}

const direction = ({ secret, sequence }: Direction): Buffer =>
  Buffer.concat([vector(1, secret), number(SEQUENCE_BYTES, sequence)])

/** The state of a connection. Contains its secrets: seal it, then zero it. */
export function writeConnection(connection: Kept): Buffer {
  const suite = connection.phase === 'retried' ? connection.suite : connection.read.suite
  const head = [number(1, FORMAT), number(1, PHASES.indexOf(connection.phase)), number(2, suite.id)]
  if (connection.phase === 'retried') {
    const { group, fixed, transcript } = connection
    return Buffer.concat([...head, number(2, group), vector(1, fixed), vector(2, transcript)])
  }
  const { read, write, exporter } = connection
  const keys = [direction(read), direction(write), vector(1, exporter)]
  const written =
    connection.phase === 'answered'
      ? [...head, ...keys, vector(1, connection.application), vector(1, connection.transcriptHash)]
      : [...head, ...keys, number(1, connection.owesUpdate ? 1 : 0)]
  const state = Buffer.concat(written)
  for (const part of keys) part.fill(0)
  return state
}

const copy = (bytes: Buffer): Buffer => Buffer.concat([bytes])

function readPhase(phase: Kept['phase'], suite: Suite, reader: ByteReader): Kept {
  if (phase === 'retried')
    return { phase, suite, group: reader.number(2), fixed: copy(reader.vector(1)), transcript: copy(reader.vector(2)) }
  const readDirection = () => new Direction(suite, copy(reader.vector(1)), reader.number(SEQUENCE_BYTES))
  const keys = { read: readDirection(), write: readDirection(), exporter: copy(reader.vector(1)) }
  return phase === 'answered'
    ? { phase, ...keys, application: copy(reader.vector(1)), transcriptHash: copy(reader.vector(1)) }
    : { phase, ...keys, owesUpdate: reader.number(1) === 1 }
}

/** The reverse of `writeConnection`. Copies: the caller zeroes `state`. @throws Error, a fault, for any other bytes */
export function readConnection(state: Buffer): Kept {
  const reader = new ByteReader(state)
  if (reader.number(1) !== FORMAT) throw fault()
  const phase = PHASES[reader.number(1)]
  if (phase === undefined) throw fault()
  const connection = readPhase(phase, suiteOf(reader.number(2)), reader)
  reader.end()
  return connection
}

/** Zeroes the secrets of a connection that is used no more. */
export function forgetConnection(connection: Connection): void {
  if (connection.phase === 'fresh' || connection.phase === 'retried') return
  connection.read.destroy()
  connection.write.destroy()
  connection.exporter.fill(0)
  if (connection.phase === 'answered') connection.application.fill(0)
}
