import type { Fields } from '../../../../base/json.ts'
import { createSession } from '../../../../serving/session-rows.ts'
import { forgetConnection, FRESH, receive, send } from '../../../../tls/server.ts'
import type { SessionCall } from '../address.ts'
import { bytesIn, invalid } from '../message.ts'
import { serverAt } from './certificate.ts'
import { agreedEvidence, AGREED, provedFacts } from './evidence.ts'
import { evidenceTypes, readEvidenceTypes } from './messages.ts'
import { writeSession, type Session } from './session.ts'
import { heard, useSession, withTls, type SessionUse } from './use-session.ts'

/** Ours: room for all records of a call. */
export const RECORDS_BYTES = 1_048_576
/** Ours: a longer handle is as unknown as any other that was not made here. */
const HANDLE_BYTES_MOST = 1_024
const UNFINISHED_MS = 10 * 60_000
const ACCEPTED_MS = 60 * 60_000
const GOODBYE = 'TLS Tunneled EndSessionRequest V1'

export const handleIn = (fields: Fields): Buffer => bytesIn(fields, 'sessionContext', HANDLE_BYTES_MOST)
export const recordsOf = (fields: Fields, name = 'tlsRecords'): Buffer => bytesIn(fields, name, RECORDS_BYTES)
const base64 = (bytes: Buffer): string => bytes.toString('base64')
/** As the protocol's JSON has it: empty bytes are absent. */
const withRecords = (records: Buffer): object => (records.length === 0 ? {} : { tlsRecords: base64(records) })

/** An answer of a session's call. */
type Answer = (use: SessionUse, fields: Fields) => Promise<object>

/** The first flight: begins a session, whether or not its handshake completes. */
const beginsession: Answer = async (use, fields) => {
  const { identity, host, now } = use
  const records = recordsOf(fields)
  const server = await serverAt(host, now)
  const { connection, reply } = await withTls(use, () => receive(FRESH, records, server))
  const endsMs = now.epochMs + UNFINISHED_MS
  const state = writeSession({ stage: 'begun', email: identity.email, host, endsMs, operations: 0, connection })
  forgetConnection(connection)
  const handle = await createSession(state, endsMs, now)
  state.fill(0)
  return { sessionContext: base64(handle), ...withRecords(reply) }
}

/** The second flight, and a second ClientHello before it. A handshake may need several calls. */
const handshake: Answer = (use, fields) =>
  useSession(use, handleIn(fields), ['begun'], async (session) => {
    const server = session.connection.phase === 'retried' ? await serverAt(use.host, use.now) : undefined
    const { connection, reply, plaintext } = receive(session.connection, recordsOf(fields), server)
    if (plaintext.length > 0) throw invalid('The handshake has no message.')
    const stage = connection.phase === 'connected' ? 'connected' : 'begun'
    return { session: { ...session, stage, connection }, answer: withRecords(reply) }
  })

/** Agrees on evidence. The client's Finished may come with the offer. */
const negotiateattestation: Answer = (use, fields) =>
  useSession(use, handleIn(fields), ['begun', 'connected'], (session) => {
    const offer = heard(session, recordsOf(fields, 'offeredEvidenceTypesRecords'))
    const evidence = agreedEvidence(readEvidenceTypes(offer.message))
    const { connection, records } = send(offer.session.connection, evidenceTypes(AGREED[evidence]))
    const answer = { requiredEvidenceTypesRecords: base64(records) }
    return { session: { ...offer.session, stage: 'negotiated', evidence, connection }, answer }
  })

/** The session with its evidence. Records without a machine's evidence are read, so that their numbers are used up. */
async function withEvidence(use: SessionUse, session: Session, records: Buffer): Promise<Session> {
  if (session.evidence === 'machine') {
    const given = heard(session, records)
    return { ...given.session, attested: await provedFacts(use, given.session.connection, given.message) }
  }
  return records.length === 0 ? session : heard(session, records).session
}

/** Takes the evidence that was agreed on. */
const finalize: Answer = (use, fields) =>
  useSession(use, handleIn(fields), ['negotiated'], async (session) => {
    const proved = await withEvidence(use, session, recordsOf(fields, 'attestationEvidenceRecords'))
    recordFacts(use, proved)
    return { session: { ...proved, stage: 'accepted', endsMs: use.now.epochMs + ACCEPTED_MS }, answer: {} }
  })

const endsession: Answer = (use, fields) =>
  useSession(use, handleIn(fields), ['accepted'], (session) => {
    if (heard(session, recordsOf(fields)).message.toString('latin1') !== GOODBYE)
      throw invalid('The message is not the one that ends a session.')
    return { session: undefined, answer: {} }
  })

export const CALLS: Readonly<Record<SessionCall, Answer>> = {
  beginsession,
  handshake,
  negotiateattestation,
  finalize,
  endsession,
}

/** Adds the proved facts of a session to the record. */
export function recordFacts({ record }: SessionUse, { attested }: Session): void {
  record.technology = attested?.technology
  record.instance = attested?.instance_name
  record.project = attested?.project_id
  record.zone = attested?.zone
}
