import { ByteReader } from './bytes.ts'
import type { Connected, Connection, Kept } from './connection.ts'
import { stepOf, type HandshakeMessage, type TlsServer } from './handshake.ts'
import { exported } from './key-schedule.ts'
import { CONTENT, Direction, recordsIn, type Content, type TlsRecord } from './records.ts'
import { PeerAlert, TlsRefusal } from './refusals.ts'
import { keyUpdateMessage } from './server-messages.ts'

/*
 * A TLS 1.3 server over bytes. Each function gets a connection and returns the next, so that a connection can be
 * written down between two calls and continued by another process. @see RFC 8446
 */

export { forgetConnection, readConnection, writeConnection, type Connected, type Connection } from './connection.ts'
export type { TlsServer } from './handshake.ts'
export { CONTENT_BYTES } from './records.ts'
export { PeerAlert, TlsRefusal } from './refusals.ts'

export const FRESH: Connection = { phase: 'fresh' }

/** Ours: the largest handshake message. A ClientHello with shares of every known kind has a tenth of it. */
const MESSAGE_BYTES = 65_536
/** Ours: consecutive records without content, each of which costs a decryption. */
const EMPTY_MOST = 32
const HEADER_BYTES = 4
const ALERT_BYTES = 2
const NOTHING = Buffer.alloc(0)

interface Received {
  readonly connection: Kept
  /** records for the client, empty if none are due */
  readonly reply: Buffer
  /** application data of all records, joined */
  readonly plaintext: Buffer
}

/** Takes the records of one call, in order. */
class Reception {
  connection: Connection
  readonly replies: Buffer[] = []
  readonly plaintexts: Buffer[] = []
  readonly #server: TlsServer | undefined
  /** start of a handshake message that continues in the next record */
  #begun: Buffer = NOTHING
  #empty = 0

  constructor(connection: Connection, server: TlsServer | undefined) {
    this.connection = connection
    this.#server = server
  }

  record(record: TlsRecord): void {
    const content = this.#opened(record)
    if (content === undefined) return
    if (this.#begun.length > 0 && content.type !== CONTENT.handshake) throw new TlsRefusal('unexpected_message')
    if (content.type === CONTENT.handshake) this.#handshake(content.bytes)
    else if (content.type === CONTENT.alert) refuseAlert(content.bytes)
    else this.#data(content)
  }

  /** A message that the last record leaves unfinished. */
  end(): void {
    if (this.#begun.length > 0) throw new TlsRefusal('decode_error')
  }

  /** The content of a record by the phase; `undefined` for a compatibility record. @see RFC 8446 §5, §D.4 */
  #opened(record: TlsRecord): Content | undefined {
    const { connection } = this
    const isProtected = record.type === CONTENT.applicationData
    if (record.type === CONTENT.changeCipherSpec) {
      const isDue = connection.phase === 'retried' || connection.phase === 'answered'
      if (isDue && record.body.length === 1 && record.body[0] === 1) return undefined
      throw new TlsRefusal('unexpected_message')
    }
    if (connection.phase === 'fresh' || connection.phase === 'retried') {
      if (isProtected) throw new TlsRefusal('unexpected_message')
      return { type: record.type, bytes: record.body }
    }
    if (isProtected) return connection.read.unprotect(record)
    // A client that refuses the server's flight may have no keys yet.
    if (connection.phase === 'answered' && record.type === CONTENT.alert)
      return { type: record.type, bytes: record.body }
    throw new TlsRefusal('unexpected_message')
  }

  /** Messages may be cut into records. Each one that is taken changes the keys, so it ends its record. */
  #handshake(bytes: Buffer): void {
    if (bytes.length === 0) throw new TlsRefusal('unexpected_message')
    this.#begun = Buffer.concat([this.#begun, bytes])
    const given = wholeMessage(this.#begun)
    if (given === undefined) return
    if (given.whole.length < this.#begun.length) throw new TlsRefusal('unexpected_message')
    this.#begun = NOTHING
    const { connection, reply } = stepOf(this.connection, given, this.#server)
    this.connection = connection
    if (reply) this.replies.push(reply)
  }

  #data({ type, bytes }: Content): void {
    if (type !== CONTENT.applicationData || this.connection.phase !== 'connected')
      throw new TlsRefusal('unexpected_message')
    this.#empty = bytes.length === 0 ? this.#empty + 1 : 0
    if (this.#empty > EMPTY_MOST) throw new TlsRefusal('unexpected_message')
    this.plaintexts.push(bytes)
  }
}

/** The first message, if it is whole. */
function wholeMessage(bytes: Buffer): HandshakeMessage | undefined {
  if (bytes.length < HEADER_BYTES) return undefined
  const reader = new ByteReader(bytes)
  const type = reader.number(1)
  const length = reader.number(3)
  if (length > MESSAGE_BYTES) throw new TlsRefusal('illegal_parameter')
  if (reader.left < length) return undefined
  return { type, body: reader.take(length), whole: bytes.subarray(0, HEADER_BYTES + length) }
}

/** Ours: every alert ends a connection; the only others, of older versions, may not be sent. @see RFC 8446 §6 */
function refuseAlert(bytes: Buffer): never {
  if (bytes.length !== ALERT_BYTES) throw new TlsRefusal('decode_error')
  throw new PeerAlert(bytes.readUInt8(1))
}

/**
 * Receives the records of one call.
 * @param connection used up, also when this refuses
 * @param server needed while a ClientHello is due
 * @throws TlsRefusal; PeerAlert when the client ends the connection
 */
export function receive(connection: Connection, records: Buffer, server?: TlsServer): Received {
  const reception = new Reception(connection, server)
  for (const record of recordsIn(records)) reception.record(record)
  reception.end()
  const { connection: next, replies, plaintexts } = reception
  if (next.phase === 'fresh') throw new TlsRefusal('unexpected_message')
  return { connection: next, reply: Buffer.concat(replies), plaintext: Buffer.concat(plaintexts) }
}

/** Protects application data. @param connection used up @param content of at most 16,384 bytes becomes one record */
export function send(
  connection: Connected,
  content: Buffer,
): { readonly connection: Connected; readonly records: Buffer } {
  if (!connection.owesUpdate) return { connection, records: connection.write.protect(CONTENT.applicationData, content) }
  const update = connection.write.protect(CONTENT.handshake, keyUpdateMessage())
  const write = connection.write.updated()
  const records = Buffer.concat([update, write.protect(CONTENT.applicationData, content)])
  return { connection: { ...connection, write, owesUpdate: false }, records }
}

/** Keying material that only the two ends of the connection know. @param length in bytes @see RFC 8446 §7.5 */
export const exportFrom = ({ read, exporter }: Connected, label: string, context: Uint8Array, length: number): Buffer =>
  exported(read.suite, exporter, label, context, length)

/** Ours: more records than a client sends in the calls that it makes at a time. */
const AHEAD_MOST = 64

/**
 * Whether records that could not be read are later ones of the connection: then those before them are still to come.
 * @param due number of the record that was due
 */
export function comesEarly({ read }: Connected, due: number, records: Buffer): boolean {
  const [first] = recordsIn(records)
  const opensAt = (sequence: number): boolean => {
    const trial = new Direction(read.suite, Buffer.from(read.secret), sequence)
    try {
      return first !== undefined && trial.unprotect(first).bytes.length >= 0
    } catch {
      return false
    } finally {
      trial.destroy()
    }
  }
  return Array.from({ length: AHEAD_MOST }, (_, ahead) => due + 1 + ahead).some(opensAt)
}

const BINDING_BYTES = 32

/** The channel binding tls-exporter. @see RFC 9266 §4.2 */
export const channelBinding = (connection: Connected): Buffer =>
  exportFrom(connection, 'EXPORTER-Channel-Binding', NOTHING, BINDING_BYTES)
