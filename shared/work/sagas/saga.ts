import type { Journal } from '../../base/journal.ts'
import type { Context } from '../../http/context.ts'
import { initiatorOf } from '../../http/on-behalf.ts'
import { Refusal, type Reason } from '../../base/errors.ts'
import { uuid } from '../../base/ids.ts'
import { errorFields, log } from '../../base/log.ts'
import { Changes } from '../../store/changes.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import { isLeased, Lease, LEASE_MS } from '../../store/lease.ts'
import { journalOf } from './journal.ts'
import { sagas, type StoredSaga } from './store.ts'
import { dueAfter, isFinal, isGivenUp, isOfCredentials } from '../../base/attempts.ts'
import { DAY_MS, later } from '../../base/time.ts'

/**
 * A kind of work that takes several calls to the outside (upload a key, rotate it). It is written down before its first
 * call, each step's result before the next, and forgotten in the transaction that records the outcome. A stop anywhere
 * leaves a saga that the same request, repeated, or the sweeper resumes.
 */
export interface SagaKind<Input extends object, Result, T, R> {
  readonly name: string
  /** type in the uri of the record that it makes, which has the id of the saga */
  readonly makes?: string
  /** the kind of record that it works on and answers */
  readonly entity: Pick<Entity<T, R>, 'id' | 'get'>
  /** Steps with a lasting effect: once one may be done, a refusal by credentials is waited out. */
  readonly lasting?: readonly string[]
  /** Makes the calls. Runs again after a stop: every step is in the journal or safe to repeat. Writes nothing that another run would not. */
  run(context: Context, input: Input, journal: Journal): Promise<Result>
  /** Stages the outcome on `context.changes`; may run again on fresh state. */
  settle(context: Context, input: Input, result: Result): Promise<Stored<T>>
  /**
   * Undoes the finished steps, because the rest was refused: makes the calls, and stages on `context.changes` what
   * remains on record. Runs again after a stop.
   */
  undo?(context: Context, input: Input, journal: Journal): Promise<void>
  /** Stages what is known of that which is left at the cloud, once undoing it was given up. */
  giveUp?(context: Context, input: Input, journal: Journal): Promise<void>
  /** For kinds that make something new: those of `refs` in its place that no record stands for. */
  unrecorded?(context: Context, input: Input, refs: readonly string[]): Promise<readonly string[]>
}

// The kinds in one table differ in their inputs; each is only given what it wrote down itself.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnySagaKind = SagaKind<any, any, any, any>

/** Added to a refusal by credentials that is waited out. */
const KEPT =
  'What was begun is kept: it is finished when the connection works again, by itself or when this request is repeated.'

const busy = (): Refusal =>
  new Refusal(
    'STATE_CONFLICT',
    'Another operation on this key is under way, or was interrupted and is being finished; try again in a moment.',
  )

/** The refusal of work on a subject that other work has: that may wait for its cloud. */
async function busyWith(domain: string, subject: string): Promise<Refusal> {
  const id = await sagas.holder(domain, 'subject', subject)
  const waits = id === undefined ? undefined : (await sagas.get(domain, id))?.item.waits
  return waits === undefined
    ? busy()
    : new Refusal(
        'STATE_CONFLICT',
        `Another operation on this key is unfinished and waits for its connection: ${waits}`,
      )
}

/** One try of a saga. */
interface Try {
  readonly context: Context
  readonly kind: AnySagaKind
  readonly lease: Lease<StoredSaga>
  readonly journal: Journal
}

const tryOf = (context: Context, kind: AnySagaKind, lease: Lease<StoredSaga>): Try => ({
  context,
  kind,
  lease,
  journal: journalOf(lease, (refs) => kind.unrecorded?.(context, lease.item.input, refs) ?? Promise.resolve([])),
})

/** Leases a saga for one more try. @param ms how long no other instance takes it if this one stops */
const takeSaga = (before: Stored<StoredSaga>, now: Date, ms: number, taken?: () => Error): Promise<Lease<StoredSaga>> =>
  Lease.take(sagas, before.item.initiator.domain.id, before, now, {
    ms,
    change: (saga, dueAt) => ({ ...saga, tries: saga.tries + 1, dueAt }),
    ...(taken && { taken }),
    // A refusal, since the request must not run again: another instance finishes its work.
    lost: () => new Refusal('STATE_CONFLICT', 'Another instance continues this work; read the key again.'),
  })

/** The work that a saga is to do. */
export interface Prepared<Input> {
  /** id of the saga, and of the record that it makes; a new one without it */
  readonly id?: string
  /** resource that no other work may change meanwhile; the saga itself without it */
  readonly subject?: string
  /** the container it works in, which must not be removed meanwhile */
  readonly container?: string
  readonly input: Input
}

/**
 * The saga that this request began before, or a new one.
 * @returns a finished one as it is, any other under a lease
 * @throws Refusal STATE_CONFLICT when other work has its subject
 */
async function begin(
  context: Context,
  kind: AnySagaKind,
  prepare: () => Promise<Prepared<object>>,
): Promise<Stored<StoredSaga> | Lease<StoredSaga>> {
  const { caller, now } = context
  const domain = caller.domain.id
  const fingerprint = await context.fingerprint()
  const before = await sagas.find(domain, 'request', fingerprint)
  if (before !== undefined) {
    if (before.item.state === 'finished') return before
    if (isLeased(before.item, now)) throw busy()
    return takeSaga(before, now, LEASE_MS.request)
  }
  const { id = uuid(now), subject = id, container, input } = await prepare()
  context.beforeEffects(kind.makes === undefined ? undefined : { type: kind.makes, id })
  const at = now.toISOString()
  const item: StoredSaga = {
    id,
    subject,
    ...(container !== undefined && { container }),
    keyed: context.hasIdempotencyKey,
    input: Object.fromEntries(Object.entries(input)),
    kind: kind.name,
    state: 'open',
    fingerprint,
    steps: {},
    tries: 0,
    leaseUntil: at,
    dueAt: at,
    summary: context.summary,
    initiator: initiatorOf(caller),
    traceId: context.traceId,
    clientIp: context.clientIp,
    createdAt: at,
  }
  const taken = busy()
  try {
    return await takeSaga({ item, rev: 0 }, now, LEASE_MS.request, () => taken)
  } catch (error) {
    throw error === taken ? await busyWith(domain, subject) : error
  }
}

/** Runs the steps that are left. A final refusal undoes the others and is thrown; a passing one leaves the rest for later. */
async function drive(one: Try): Promise<unknown> {
  const { context, kind, lease, journal } = one
  const { state, refusal } = lease.item
  if (state === 'undoing') {
    if (!(await undo(one)))
      throw new Refusal('UNAVAILABLE', 'What was done before the refusal is still being taken back. Try again.')
    const { reason = 'CLOUD_INVALID', message = 'It was refused.' } = refusal ?? {}
    throw new Refusal(reason as Reason, message) // written by the refused try
  }
  try {
    return await kind.run(context, lease.item.input, journal)
  } catch (error) {
    throw await failed(one, error)
  }
}

/** Whether a refusal by credentials leaves something unfinished, which must not be forgotten. */
const isWaitedOut = ({ lasting }: AnySagaKind, { state, tries, steps }: StoredSaga, error: unknown): boolean =>
  isOfCredentials(error) &&
  (state === 'undoing' || (lasting?.some((step) => tries > 1 || Object.hasOwn(steps, step)) ?? false))

function isOver({ kind, lease, context }: Try, error: unknown): boolean {
  const { tries, since, createdAt } = lease.item
  if (isFinal(error) && !isWaitedOut(kind, lease.item, error)) return true
  return isGivenUp('saga', tries, context.now.getTime() - Date.parse(since ?? createdAt))
}

/** Ends the lease: the saga is due later, and the same request may resume it at once. */
async function postpone({ lease, context: { now } }: Try, cause: unknown): Promise<void> {
  const waits = isOfCredentials(cause) ? cause.message : undefined
  await lease.release({ dueAt: dueAfter('saga', lease.item.tries, now), waits }).catch((error: unknown) => {
    log('warn', 'the lease of a saga was not released', { saga: lease.item.id, ...errorFields(error) })
  })
}

/**
 * Undoes a saga that failed finally or for too long; any other waits for its next try.
 * @returns the error as the caller gets it
 */
async function failed(one: Try, error: unknown): Promise<unknown> {
  if (!isOver(one, error)) {
    await postpone(one, error)
    return isOfCredentials(error)
      ? new Refusal(error.reason, `${error.message} ${KEPT}`, { cause: error.cause })
      : error
  }
  const { reason, message } = error instanceof Refusal ? error : { reason: 'FAULT', message: 'A fault on our side.' }
  await one.lease.write({
    state: 'undoing',
    refusal: { reason, message },
    tries: 1,
    since: one.context.now.toISOString(),
  })
  await undo(one)
  return error
}

/**
 * Undoes the finished steps. An undo that the credentials do not allow is none: it is tried again. A saga whose undoing
 * is refused finally, or for too long, is given up and logged, because it must not lock its key for ever.
 * @returns whether the saga is removed
 */
async function undo(one: Try): Promise<boolean> {
  const { context, kind, lease, journal } = one
  let changes = new Changes()
  try {
    await kind.undo?.({ ...context, changes }, lease.item.input, journal)
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

/** Changes staged for work whose undoing was given up. */
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

/**
 * Does the work and stages its outcome with the other changes of the request. The same request, repeated after an
 * interruption, resumes the work; if the sweeper has finished it meanwhile, its outcome is answered.
 * @param prepare checks the request and describes the work; not called to resume
 * @throws Refusal STATE_CONFLICT while other work has the subject, and any refusal of the work
 */
export async function carryOut<Input extends object, Result, T, R>(
  context: Context,
  kind: SagaKind<Input, Result, T, R>,
  prepare: () => Promise<Prepared<Input>>,
): Promise<Stored<T>> {
  const { changes, caller } = context
  const done = await context.once(`saga ${kind.name}`, async () => {
    const begun = await begin(context, kind, prepare)
    if (!(begun instanceof Lease)) return { stored: begun, result: undefined }
    const result = (await drive(tryOf(context, kind, begun))) as Result // the result of this very kind
    return { stored: begun.stored, result }
  })
  changes.remove(sagas, caller.domain.id, done.stored)
  if (done.result !== undefined) return kind.settle(context, done.stored.item.input as Input, done.result) // as begun
  const made = await kind.entity.get(caller.domain.id, done.stored.item.answer ?? '')
  if (made === undefined) throw new Refusal('NOT_FOUND', 'What this request made is not there any more.')
  return made
}

/**
 * Resumes a saga in the name of its initiator, and keeps its answer for a day.
 * @param context of the initiator, with changes of its own, which are committed here
 * @param settled stages the audit record once it is done
 * @returns the refusal by which it ended; `undefined` when it is finished, or resumed later
 */
export async function resumeSaga(
  context: Context,
  kind: AnySagaKind,
  before: Stored<StoredSaga>,
  settled: () => void,
): Promise<Refusal | undefined> {
  const lease = await takeSaga(before, context.now, LEASE_MS.function)
  const one = tryOf(context, kind, lease)
  try {
    await record(one, await drive(one), settled)
  } catch (error) {
    if (lease.isRemoved) return error instanceof Refusal ? error : new Refusal('FAULT', 'A fault on our side.')
    log('warn', 'a saga is resumed later', { saga: lease.item.id, kind: kind.name, ...errorFields(error) })
  }
}

/**
 * Records the outcome. It is kept for a repetition of the request if that carried an `Idempotency-Key`, or made something,
 * which must not be made twice. Without either, a repeated request is a new one.
 */
async function record(one: Try, result: unknown, settled: () => void): Promise<void> {
  const { context, kind, lease } = one
  const { changes, now } = context
  try {
    const made: Stored<unknown> = await kind.settle(context, lease.item.input, result)
    settled()
    if (!lease.item.keyed && kind.unrecorded === undefined) return await lease.remove(changes)
    const answer = kind.entity.id(made.item)
    const dueAt = later(now, DAY_MS).toISOString()
    changes.update(sagas, lease.item.initiator.domain.id, lease.stored, {
      ...lease.item,
      ...{ state: 'finished', answer, steps: {}, dueAt },
    })
    await changes.commit(now)
  } catch (error) {
    if (isOver(one, error)) await failed(one, error)
    throw error
  }
}
