import { randomBytes, type KeyObject } from 'node:crypto'
import { constantTimeEqual } from '../crypto/constant-time.ts'
import { ByteReader } from './bytes.ts'
import { readClientHello, type ClientHello } from './client-hello.ts'
import type { Answered, Connected, Connection, Retried } from './connection.ts'
import { applicationSecrets, handshakeSecrets, hashOf, verifyData } from './key-schedule.ts'
import { clearRecord, CONTENT, Direction } from './records.ts'
import { TlsRefusal } from './refusals.ts'
import {
  certificateMessage,
  certificateVerify,
  encryptedExtensions,
  finishedMessage,
  helloRetryRequest,
  message,
  MESSAGE,
  serverHello,
} from './server-messages.ts'

/** The server's certificate, and what tests of published traces fix. */
export interface TlsServer {
  /** DER, the server's own certificate first */
  readonly chain: readonly Uint8Array[]
  /** its private key: ECDSA P-256 */
  readonly key: KeyObject
  readonly fixed?: { readonly random: Buffer; readonly x25519: KeyObject }
}

export interface HandshakeMessage {
  readonly type: number
  readonly body: Buffer
  /** with its header */
  readonly whole: Buffer
}

/** The connection after a message, and the records that answer it. */
interface Stepped<C extends Connection = Connection> {
  readonly connection: C
  readonly reply?: Buffer
}

type Step<C extends Connection = Connection> = (
  connection: C,
  given: HandshakeMessage,
  server: TlsServer | undefined,
) => Stepped

const CHANGE_CIPHER_SPEC = clearRecord(CONTENT.changeCipherSpec, Buffer.of(1))
const RANDOM_BYTES = 32
const NOTHING = Buffer.alloc(0)

/** The compatibility record follows the server's first message if the client expects it. @see RFC 8446 §D.4 */
const withCompatibility = ({ sessionId }: ClientHello, record: Buffer): Buffer[] =>
  sessionId.length === 0 ? [record] : [record, CHANGE_CIPHER_SPEC]

/** Asks for a second ClientHello. The transcript has the first one as its hash. @see RFC 8446 §4.4.1 */
function retried(hello: ClientHello, given: HandshakeMessage): Stepped<Retried> {
  const request = helloRetryRequest(hello)
  const { suite, group, fixed } = hello
  const transcript = Buffer.concat([message(MESSAGE.messageHash, hashOf(suite, given.whole)), request])
  const reply = Buffer.concat(withCompatibility(hello, clearRecord(CONTENT.handshake, request)))
  return { connection: { phase: 'retried', suite, group: group.id, fixed, transcript }, reply }
}

/** EncryptedExtensions to Finished. @param transcript messages up to ServerHello */
function protectedFlight({ suite }: ClientHello, { chain, key }: TlsServer, secret: Buffer, transcript: Buffer) {
  const opening = Buffer.concat([encryptedExtensions(), certificateMessage(chain)])
  const verify = certificateVerify(key, hashOf(suite, transcript, opening))
  const before = Buffer.concat([transcript, opening, verify])
  const finished = finishedMessage(verifyData(suite, secret, hashOf(suite, before)))
  return { flight: Buffer.concat([opening, verify, finished]), transcriptHash: hashOf(suite, before, finished) }
}

/** @param former the messages before this ClientHello */
function answered(
  hello: ClientHello,
  share: Buffer,
  given: HandshakeMessage,
  former: Buffer,
  server: TlsServer | undefined,
): { connection: Answered; records: Buffer; flight: Buffer } {
  if (server === undefined) throw new Error('A ClientHello is answered with a certificate')
  const { suite, group } = hello
  const own = group.agree(share, server.fixed?.x25519)
  const first = serverHello(server.fixed?.random ?? randomBytes(RANDOM_BYTES), hello, own.share)
  const transcript = Buffer.concat([former, given.whole, first])
  const { client, server: secret, master } = handshakeSecrets(suite, own.secret, hashOf(suite, transcript))
  const { flight, transcriptHash } = protectedFlight(hello, server, secret, transcript)
  const writing = new Direction(suite, secret)
  const records = writing.protect(CONTENT.handshake, flight)
  writing.destroy()
  const application = applicationSecrets(suite, master, transcriptHash)
  const connection: Answered = {
    phase: 'answered',
    read: new Direction(suite, client),
    write: new Direction(suite, application.server),
    application: application.client,
    exporter: application.exporter,
    transcriptHash,
  }
  return { connection, records: clearRecord(CONTENT.handshake, first), flight: records }
}

const firstHello: Step = (_connection, given, server) => {
  const hello = readClientHello(given.body)
  if (hello.share === undefined) return retried(hello, given)
  const { connection, records, flight } = answered(hello, hello.share, given, NOTHING, server)
  return { connection, reply: Buffer.concat([...withCompatibility(hello, records), flight]) }
}

/** The second ClientHello has the one share that was asked for, and is otherwise the first. @see RFC 8446 §4.1.2 */
const secondHello: Step<Retried> = ({ group, suite, fixed, transcript }, given, server) => {
  const hello = readClientHello(given.body)
  const isAsked = hello.suite === suite && hello.group.id === group && hello.shared.length === 1
  if (!hello.fixed.equals(fixed) || !isAsked || hello.share === undefined) throw new TlsRefusal('illegal_parameter')
  const { connection, records, flight } = answered(hello, hello.share, given, transcript, server)
  return { connection, reply: Buffer.concat([records, flight]) }
}

/** @see RFC 8446 §4.4.4 */
const clientFinished: Step<Answered> = (connection, { body }) => {
  const { read, write, application, exporter, transcriptHash } = connection
  const { suite } = read
  if (body.length !== suite.hashBytes) throw new TlsRefusal('decode_error')
  if (!constantTimeEqual(body, verifyData(suite, read.secret, transcriptHash))) throw new TlsRefusal('decrypt_error')
  read.destroy()
  return {
    connection: {
      phase: 'connected',
      read: new Direction(suite, application),
      write,
      exporter,
      owesUpdate: false,
    },
  }
}

/** @see RFC 8446 §4.6.3 */
const keyUpdate: Step<Connected> = (connection, { body }) => {
  const reader = new ByteReader(body)
  const asks = reader.number(1)
  reader.end()
  if (asks > 1) throw new TlsRefusal('illegal_parameter')
  const owesUpdate = connection.owesUpdate || asks === 1
  return { connection: { ...connection, read: connection.read.updated(), owesUpdate } }
}

/** The handshake messages that a connection accepts, by its phase. Every other is an unexpected_message. */
const STEPS: {
  readonly [P in Connection['phase']]: Readonly<Record<number, Step<Extract<Connection, { phase: P }>>>>
} = {
  fresh: { [MESSAGE.clientHello]: firstHello },
  retried: { [MESSAGE.clientHello]: secondHello },
  answered: { [MESSAGE.finished]: clientFinished },
  connected: { [MESSAGE.keyUpdate]: keyUpdate },
}

/** @throws TlsRefusal */
export function stepOf(connection: Connection, given: HandshakeMessage, server: TlsServer | undefined): Stepped {
  const step = STEPS[connection.phase][given.type] as Step | undefined // a row's steps take connections of its phase
  if (step === undefined) throw new TlsRefusal('unexpected_message')
  return step(connection, given, server)
}
