import { hash, randomBytes } from 'node:crypto'
import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import type { Moment } from '../base/moment.ts'
import { sealedUnder } from '../keyring/sealing.ts'
import { itemKey, type Key } from '../store/layout.ts'
import { openSdkless, sealSdkless } from './domain-key.ts'
import { deleteEntity, putEntity, readRevision } from './sdkless/dynamo.ts'

/*
 * State of a data plane between two calls of one caller, who names it by a handle. The table has the hash of the
 * handle, and the state sealed under the root domain's key, since calls may name a session before any domain is known.
 */

/** Kind of the items, in the root domain. The grant `keeps-sessions` applies only to items of this kind. */
export const SESSION_KIND = 'call-session'
/** Under this name a sweeper finds sessions that have ended. */
export const SESSION_DUE = 'expire-call-session'

export interface StoredSession {
  /** SHA-256 of the handle, in hex */
  readonly id: string
  readonly sealed: string
  /** RFC 3339 */
  readonly endsAt: string
}

const HANDLE_BYTES = 32

/** A session as it was read. `state`: secret; its owner zeroes it. */
export interface KeptSession {
  readonly id: string
  readonly rev: number
  /** id of the domain key that sealed it */
  readonly under: string
  readonly state: Buffer
}

const keyOf = (id: string): Key => itemKey(ROOT_DOMAIN_ID, SESSION_KIND, id)
/** The revision is bound, so that a state is never opened as a later one. */
const purposeOf = (id: string, rev: number): string[] => [SESSION_KIND, id, String(rev)]

const rowOf = (id: string, sealed: string, endsMs: number): StoredSession => ({
  id,
  sealed,
  endsAt: new Date(endsMs).toISOString(),
})

/** A new session. @returns its handle @throws Refusal UNAVAILABLE */
export async function createSession(state: Buffer, endsMs: number, now: Moment): Promise<Buffer> {
  const handle = randomBytes(HANDLE_BYTES)
  const id = hash('sha256', handle, 'hex')
  const row = rowOf(id, await sealSdkless(ROOT_DOMAIN_ID, purposeOf(id, 1), state, now), endsMs)
  const due = { what: SESSION_DUE, at: row.endsAt }
  if (!(await putEntity(keyOf(id), row, { before: undefined, due }, now.epochMs)))
    throw new Error('A random handle occurred twice')
  return handle
}

/** A session by its handle. `undefined` if it does not exist or has ended. One read. @throws Refusal UNAVAILABLE */
export async function readSession(handle: Buffer, now: Moment): Promise<KeptSession | undefined> {
  if (handle.length !== HANDLE_BYTES) return undefined
  const id = hash('sha256', handle, 'hex')
  const found = await readRevision<StoredSession>(keyOf(id), now.epochMs)
  if (found === undefined || Date.parse(found.item.endsAt) <= now.epochMs) return undefined
  const { rev, item } = found
  const state = await openSdkless(ROOT_DOMAIN_ID, purposeOf(id, rev), item.sealed, now)
  return { id, rev, under: sealedUnder(item.sealed), state }
}

/** Replaces the state of a session. One write. @returns false if another call changed it first @throws Refusal UNAVAILABLE */
export async function replaceSession(
  { id, rev, under }: KeptSession,
  state: Buffer,
  endsMs: number,
  now: Moment,
): Promise<boolean> {
  const sealed = await sealSdkless(ROOT_DOMAIN_ID, purposeOf(id, rev + 1), state, now, under)
  const row = rowOf(id, sealed, endsMs)
  return putEntity(keyOf(id), row, { before: rev, due: { what: SESSION_DUE, at: row.endsAt } }, now.epochMs)
}

/** Ends a session. One write. @returns false if another call changed it first @throws Refusal UNAVAILABLE */
export const removeSession = ({ id, rev }: KeptSession, { epochMs }: Moment): Promise<boolean> =>
  deleteEntity(keyOf(id), rev, epochMs)
