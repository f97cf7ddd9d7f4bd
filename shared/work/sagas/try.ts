import { dueAfter, isFinal, isGivenUp, isOfCredentials } from '../../base/attempts.ts'
import { Refusal } from '../../base/errors.ts'
import type { Journal } from '../../base/journal.ts'
import { errorFields, log } from '../../base/log.ts'
import { DAY_MS, later } from '../../base/time.ts'
import type { Context } from '../../http/context.ts'
import { contextOnBehalf, recordOnBehalf, type OnBehalf } from '../../http/on-behalf.ts'
import { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { Lease, LEASE_MS } from '../../store/lease.ts'
import { journalOf } from './journal.ts'
import type { AnySagaKind } from './saga-kind.ts'
import { sagas, type StoredSaga } from './store.ts'

/** Appended to a refusal of the credentials when the saga waits for new ones. */
const keptAs = ({ id }: StoredSaga): string =>
  `The started work is kept as unfinished work ${id}: it completes once the connection works again, automatically or when this ` +
  'request is repeated, unless it is cancelled.'

/** One try of a saga. */
export interface Try {
  readonly context: Context
  readonly kind: AnySagaKind
  readonly lease: Lease<StoredSaga>
  readonly journal: Journal
}

export const tryOf = (context: Context, kind: AnySagaKind, lease: Lease<StoredSaga>): Try => ({
  context,
  kind,
  lease,
  journal: journalOf(lease, (refs) => kind.unrecorded?.(context, lease.item.input, refs) ?? Promise.resolve([])),
})

/** Leases a saga for one more try. @param ms how long other instances wait if this one stops */
export const takeSaga = (
  before: Stored<StoredSaga>,
  now: Date,
  ms: number,
  taken?: () => Error,
): Promise<Lease<StoredSaga>> =>
  Lease.take(sagas, before.item.initiator.domain.id, before, now, {
    ms,
    change: (saga, dueAt) => ({ ...saga, tries: saga.tries + 1, dueAt }),
    ...(taken && { taken }),
    // A refusal, so that the request does not run again: another instance finishes its work.
    lost: () => new Refusal('STATE_CONFLICT', 'Another instance continues this work; read the key again.'),
  })

/** Whether a refusal of the credentials leaves lasting results, so that the saga must be kept. */
const isWaitedOut = ({ lasting }: AnySagaKind, { state, tries, steps }: StoredSaga, error: unknown): boolean =>
  isOfCredentials(error) &&
  (state === 'undoing' || (lasting?.some((step) => tries > 1 || Object.hasOwn(steps, step)) ?? false))

export function isOver({ kind, lease, context }: Try, error: unknown): boolean {
  const { tries, since, createdAt } = lease.item
  if (isFinal(error) && !isWaitedOut(kind, lease.item, error)) return true
  return isGivenUp('saga', tries, context.now.getTime() - Date.parse(since ?? createdAt))
}

/** Ends the lease: the saga is due later, and a repeated request may resume it at once. */
async function postpone({ lease, context: { now } }: Try, cause: unknown): Promise<void> {
  const waits = isOfCredentials(cause) ? cause.message : undefined
  await lease.release({ dueAt: dueAfter('saga', lease.item.tries, now), waits }).catch((error: unknown) => {
    log('warn', 'the lease of a saga was not released', { saga: lease.item.id, ...errorFields(error) })
  })
}

/**
 * Undoes a saga that failed finally or for too long; any other waits for its next try.
 * @returns the error for the caller
 */
export async function failed(one: Try, error: unknown): Promise<unknown> {
  if (!isOver(one, error)) {
    await postpone(one, error)
    return isOfCredentials(error)
      ? new Refusal(error.reason, `${error.message} ${keptAs(one.lease.item)}`, { cause: error.cause })
      : error
  }
  await beginUndoing(one, error)
  await undo(one)
  return error
}

function beginUndoing({ lease, context: { now } }: Try, error: unknown): Promise<void> {
  const { reason, message } = error instanceof Refusal ? error : { reason: 'FAULT', message: 'A fault on our side.' }
  return lease.write({ state: 'undoing', refusal: { reason, message }, tries: 1, since: now.toISOString() })
}

/** Undoes the finished steps. @returns the changes to commit with the end of the saga */
async function undone({ context, kind, lease, journal }: Try): Promise<Changes> {
  const changes = new Changes()
  await kind.undo?.({ ...context, changes }, lease.item.input, journal)
  return changes
}

/**
 * Undoes the finished steps. When the cloud refuses the credentials, the undo is tried again later. A saga whose undo
 * is refused finally, or for too long, is abandoned and logged, because it must not lock its key forever.
 * @returns whether the saga is removed
 */
export async function undo(one: Try): Promise<boolean> {
  const { lease } = one
  let changes: Changes
  try {
    changes = await undone(one)
  } catch (error) {
    const { id: saga, kind: name, initiator, steps } = lease.item
    const fields = { saga, kind: name, domain: initiator.domain.id, ...errorFields(error) }
    if (!isOver(one, error)) {
      await postpone(one, error)
      log('error', 'work that was refused is not taken back yet', fields)
      return false
    }
    log('error', 'work that was refused cannot be taken back', { ...fields, steps: Object.keys(steps).join() })
    changes = await leftBehind(one)
  }
  await lease.remove(changes)
  return true
}

/** The changes to commit after the undo was abandoned. */
async function leftBehind({ context, kind, lease, journal }: Try): Promise<Changes> {
  const changes = new Changes()
  try {
    await kind.giveUp?.({ ...context, changes }, lease.item.input, journal)
    return changes
  } catch (error) {
    log('error', 'work that was given up is not on record', { saga: lease.item.id, ...errorFields(error) })
    return new Changes()
  }
}

/** When an ended saga, kept for its callers, is removed. */
export const forgottenAt = (now: Date): string => later(now, DAY_MS).toISOString()

/**
 * Ends a saga at a caller's request: it is undone if the cloud permits it, otherwise its results stay at the cloud.
 * @param before under no lease
 * @returns the saga, kept for a day; the audit record of the request is committed with it
 * @throws Stale when an instance leases it at the same moment
 */
export async function giveUpSaga(
  { caller, now }: Context,
  kind: AnySagaKind,
  before: Stored<StoredSaga>,
): Promise<Stored<StoredSaga>> {
  const behalf: OnBehalf = { ...before.item, now }
  const { context, subject } = contextOnBehalf(behalf, new Changes())
  const one = tryOf(context, kind, await takeSaga(before, now, LEASE_MS.request))
  const refusal = new Refusal('STATE_CONFLICT', `It was given up by ${caller.username}.`)
  await beginUndoing(one, refusal)
  let state: StoredSaga['state'] = 'undone'
  const changes = await undone(one).catch((error: unknown) => {
    log('warn', 'work that is given up cannot be taken back', { saga: before.item.id, ...errorFields(error) })
    state = 'given_up'
    return leftBehind(one)
  })
  recordOnBehalf(changes, behalf, subject(), refusal)
  const { stored } = one.lease
  const item: StoredSaga = { ...stored.item, state, dueAt: forgottenAt(now) }
  changes.update(sagas, behalf.initiator.domain.id, stored, item)
  await changes.commit(now)
  return { item, rev: stored.rev + 1 }
}
