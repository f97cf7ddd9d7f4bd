import type { AttestedFacts } from '../../../../attestation/facts.ts'
import { ownText } from '../../../../base/json.ts'
import { ByteReader, vector } from '../../../../tls/bytes.ts'
import { readConnection, writeConnection, type Connection } from '../../../../tls/server.ts'

/** Progress of a session. Each call is due in one stage. */
export type Stage = 'begun' | 'connected' | 'negotiated' | 'accepted'

/** Evidence that both sides agreed on: none, or that of a machine. */
export type Evidence = 'none' | 'machine'

/** A session of a caller: a TLS connection, and the proved facts of its client. */
export interface Session {
  readonly stage: Stage
  /** address of the service account that began it */
  readonly email: string
  /** host that was called */
  readonly host: string
  readonly endsMs: number
  /** operations with keys so far */
  readonly operations: number
  readonly evidence?: Evidence
  /** facts that the evidence proved; absent without evidence */
  readonly attested?: AttestedFacts
  readonly connection: Exclude<Connection, { phase: 'fresh' }>
}

const FACTS = ownText<Omit<Session, 'connection'>>()

/** The state of a session in bytes; secret. */
export function writeSession({ connection, ...facts }: Session): Buffer {
  const state = writeConnection(connection)
  const written = Buffer.concat([vector(2, Buffer.from(FACTS.write(facts))), state])
  state.fill(0)
  return written
}

/** The reverse. Copies: the caller zeroes `state`. @throws Error, a fault, for any other bytes */
export function readSessionState(state: Buffer): Session {
  const reader = new ByteReader(state)
  const facts = FACTS.read(reader.vector(2).toString())
  return { ...facts, connection: readConnection(reader.take(reader.left)) }
}
