import type { Moment } from '../../../../base/moment.ts'
import type { MaybePromise } from '../../../../serving/maybe-promise.ts'
import { refusalOf } from '../../../../serving/protocol-errors.ts'
import { readSession, removeSession, replaceSession, type KeptSession } from '../../../../serving/session-rows.ts'
import { comesEarly, forgetConnection, PeerAlert, receive, TlsRefusal } from '../../../../tls/server.ts'
import type { EkmRecord, SessionCaller } from '../admit.ts'
import { EkmRefusal, errors } from '../errors.ts'
import { invalid } from '../message.ts'
import { readSessionState, writeSession, type Session, type Stage } from './session.ts'

/** A call that uses a session. */
export interface SessionUse extends SessionCaller {
  readonly record: EkmRecord
  readonly now: Moment
}

/** The session after a step and its answer. */
export interface Step<Answer> {
  /** `undefined`: the session ends */
  readonly session: Session | undefined
  readonly answer: Answer
}

const outOfTurn = (): EkmRefusal => new EkmRefusal('FAILED_PRECONDITION', 'The session call is out of turn.')

/** Statuses from here on are temporary or faults of ours. */
const TEMPORARY = 429
/** Whether the same call would be refused again. */
export const isFinal = (error: unknown): boolean => refusalOf(errors, error, '').status < TEMPORARY

/** An error as sent; the record names the alert of TLS. */
function translated(error: unknown, { record }: SessionUse): unknown {
  if (!(error instanceof TlsRefusal) && !(error instanceof PeerAlert)) return error
  record.alert = error instanceof TlsRefusal ? error.alert : `${error.code} of the client`
  return invalid('The TLS records are not valid.')
}

/**
 * Runs a step on bytes or records, translating what TLS refuses. @throws EkmRefusal INVALID_ARGUMENT for such a
 * refusal, and what the step throws
 */
export async function withTls<T>(use: SessionUse, step: () => MaybePromise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    throw translated(error, use)
  }
}

/** Ours: a session of another host is as unknown as one that does not exist. @throws EkmRefusal */
async function opened(handle: Buffer, { identity, host, now }: SessionUse): Promise<[KeptSession, Session]> {
  const kept = await readSession(handle, now)
  if (kept === undefined) throw new EkmRefusal('NOT_FOUND')
  const session = readSessionState(kept.state)
  kept.state.fill(0)
  if (session.host !== host) throw new EkmRefusal('NOT_FOUND')
  if (session.email !== identity.email) throw new EkmRefusal('PERMISSION_DENIED')
  return [kept, session]
}

/** @throws EkmRefusal ABORTED if another call changed the session first */
async function keep(kept: KeptSession, session: Session | undefined, now: Moment): Promise<void> {
  if (session === undefined) {
    if (!(await removeSession(kept, now))) throw new EkmRefusal('ABORTED')
    return
  }
  const state = writeSession(session)
  const isKept = await replaceSession(kept, state, session.endsMs, now)
  state.fill(0)
  if (!isKept) throw new EkmRefusal('ABORTED')
}

/**
 * One call of a session: one read, one conditional write, then the answer. A final refusal of the step ends the
 * session. A temporary one leaves it as it is: the same call can be repeated byte for byte.
 * @param stages in which the call is due
 * @throws EkmRefusal NOT_FOUND, PERMISSION_DENIED for another caller, FAILED_PRECONDITION out of turn, ABORTED after a
 * lost race; Refusal UNAVAILABLE
 */
export async function useSession<Answer>(
  use: SessionUse,
  handle: Buffer,
  stages: readonly Stage[],
  step: (session: Session) => MaybePromise<Step<Answer>>,
): Promise<Answer> {
  const [kept, session] = await opened(handle, use)
  let last = session
  try {
    const done = await withTls(use, () => {
      if (!stages.includes(session.stage)) throw outOfTurn()
      return step(session)
    })
    last = done.session ?? session
    await keep(kept, done.session, use.now)
    return done.answer
  } catch (error) {
    const isLost = error instanceof EkmRefusal && error.errorName === 'ABORTED'
    if (!isLost && isFinal(error)) await keep(kept, undefined, use.now)
    throw error
  } finally {
    forgetConnection(session.connection)
    forgetConnection(last.connection)
  }
}

/** Records of a connected session. `session`: after them. */
interface Heard {
  readonly session: Session & { readonly connection: Extract<Session['connection'], { phase: 'connected' }> }
  readonly message: Buffer
}

/**
 * The message in the records of a call. The client's Finished may precede it. Records that come before their time,
 * because an earlier call is still under way, leave the session as it is.
 * @throws EkmRefusal FAILED_PRECONDITION before the handshake is complete, ABORTED; TlsRefusal, PeerAlert
 */
export function heard(session: Session, records: Buffer): Heard {
  const { connection } = session
  if (connection.phase === 'retried') throw outOfTurn()
  const due = connection.read.sequence
  try {
    const received = receive(connection, records)
    if (received.connection.phase !== 'connected') throw outOfTurn()
    return { session: { ...session, connection: received.connection }, message: received.plaintext }
  } catch (error) {
    const isUnread = error instanceof TlsRefusal && error.alert === 'bad_record_mac'
    if (isUnread && connection.phase === 'connected' && comesEarly(connection, due, records))
      throw new EkmRefusal('ABORTED')
    throw error
  }
}
