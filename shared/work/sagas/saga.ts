import type { Journal } from '../../base/journal.ts'
import type { Context } from '../../http/context.ts'
import { initiatorOf } from '../../http/on-behalf.ts'
import { Refusal, type Reason } from '../../base/errors.ts'
import { uuid } from '../../base/ids.ts'
import { errorFields, log } from '../../base/log.ts'
import { Changes } from '../../store/changes.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import { isFinal, isOfCredentials } from '../engine/passing.ts'
import { isLeased, LEASE_MS } from '../engine/state.ts'
import { LeasedSaga, leaseFor, releaseLease } from './leased-saga.ts'
import { sagas, type StoredSaga } from './store.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/time.ts'

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

/** A request has 29 seconds: after this long it has ended. */
const REQUEST_LEASE_MS = MINUTE_MS
/** Ours: about a day; work that is not done by then is undone, so that nothing stays locked for good. */
const RUNS_MOST = 28
/** Callers who ask again make runs, too: they do not end it sooner. */
const LASTS_MS = 20 * HOUR_MS
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

const journalOf = (kind: AnySagaKind, context: Context, held: LeasedSaga): Journal =>
  held.journal((refs) => kind.unrecorded?.(context, held.item.input, refs) ?? Promise.resolve([]))

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

/** The saga this request asked for before, or a new one. @throws Refusal STATE_CONFLICT when its subject is held */
async function begin(
  context: Context,
  kind: AnySagaKind,
  prepare: () => Promise<Prepared<object>>,
): Promise<Stored<StoredSaga>> {
  const { caller, now } = context
  const domain = caller.domain.id
  const fingerprint = await context.fingerprint()
  const before = await sagas.find(domain, 'request', fingerprint)
  if (before !== undefined) {
    if (before.item.state === 'finished') return before
    if (isLeased(before.item, now)) throw busy()
    const again = new Changes()
    const item = { ...before.item, runs: before.item.runs + 1, ...leaseFor(now, REQUEST_LEASE_MS) }
    again.update(sagas, domain, before, item)
    await again.commit(now)
    return { item, rev: before.rev + 1 }
  }
  const { id = uuid(now), subject = id, container, input } = await prepare()
  context.beforeEffects(kind.makes === undefined ? undefined : { type: kind.makes, id })
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
    runs: 1,
    ...leaseFor(now, REQUEST_LEASE_MS),
    summary: context.summary,
    initiator: initiatorOf(caller),
    traceId: context.traceId,
    clientIp: context.clientIp,
    createdAt: now.toISOString(),
  }
  const changes = new Changes()
  const taken = busy()
  changes.create(sagas, domain, item, () => taken)
  try {
    await changes.commit(now)
  } catch (error) {
    throw error === taken ? await busyWith(domain, subject) : error
  }
  return { item, rev: 1 }
}

/** Runs the steps that are left. A final refusal undoes the others and is thrown; a passing one leaves the rest for later. */
async function drive(context: Context, kind: AnySagaKind, held: LeasedSaga): Promise<unknown> {
  const { state, refusal } = held.item
  if (state === 'undoing') {
    if (!(await undo(context, kind, held)))
      throw new Refusal('UNAVAILABLE', 'What was done before the refusal is still being taken back. Try again.')
    const { reason = 'CLOUD_INVALID', message = 'It was refused.' } = refusal ?? {}
    throw new Refusal(reason as Reason, message) // written by the refused run
  }
  try {
    return await kind.run(context, held.item.input, journalOf(kind, context, held))
  } catch (error) {
    throw await failed(context, kind, held, error)
  }
}

/** Whether a refusal by credentials leaves something unfinished, which must not be forgotten. */
const isWaitedOut = ({ lasting }: AnySagaKind, { state, runs, steps }: StoredSaga, error: unknown): boolean =>
  isOfCredentials(error) &&
  (state === 'undoing' || (lasting?.some((step) => runs > 1 || Object.hasOwn(steps, step)) ?? false))

const isTooOld = ({ runs, since, createdAt }: StoredSaga, now: Date): boolean =>
  runs >= RUNS_MOST && now.getTime() - Date.parse(since ?? createdAt) >= LASTS_MS

const isOver = (kind: AnySagaKind, item: StoredSaga, error: unknown, now: Date): boolean =>
  (isFinal(error) && !isWaitedOut(kind, item, error)) || isTooOld(item, now)

/**
 * Undoes a saga that failed finally or for too long; any other waits for its next run.
 * @returns the error as the caller gets it
 */
async function failed(context: Context, kind: AnySagaKind, held: LeasedSaga, error: unknown): Promise<unknown> {
  const { now } = context
  if (!isOver(kind, held.item, error, now)) {
    await releaseLease(held, now, error)
    return isOfCredentials(error)
      ? new Refusal(error.reason, `${error.message} ${KEPT}`, { cause: error.cause })
      : error
  }
  const { reason, message } = error instanceof Refusal ? error : { reason: 'FAULT', message: 'A fault on our side.' }
  await held.write({ state: 'undoing', refusal: { reason, message }, runs: 1, since: now.toISOString() })
  await undo(context, kind, held)
  return error
}

/**
 * Undoes the finished steps. An undo that the credentials do not allow is none: it is tried again. A saga whose undoing
 * is refused finally, or for too long, is given up and logged, because it must not lock its key for ever.
 * @returns whether the saga is removed
 */
async function undo(context: Context, kind: AnySagaKind, held: LeasedSaga): Promise<boolean> {
  let changes = new Changes()
  try {
    await kind.undo?.({ ...context, changes }, held.item.input, journalOf(kind, context, held))
  } catch (error) {
    const { id: saga, kind: name, initiator } = held.item
    const fields = { saga, kind: name, domain: initiator.domain.id, ...errorFields(error) }
    if (!isOver(kind, held.item, error, context.now)) {
      await releaseLease(held, context.now, error)
      log('error', 'work that was refused is not taken back yet', fields)
      return false
    }
    log('error', 'work that was refused cannot be taken back', {
      ...fields,
      steps: Object.keys(held.item.steps).join(),
    })
    changes = await leftBehind(context, kind, held)
  }
  await held.forget(changes)
  return true
}

/** Changes staged for work whose undoing was given up. */
async function leftBehind(context: Context, kind: AnySagaKind, held: LeasedSaga): Promise<Changes> {
  const changes = new Changes()
  try {
    await kind.giveUp?.({ ...context, changes }, held.item.input, journalOf(kind, context, held))
    return changes
  } catch (error) {
    log('error', 'work that was given up is not on record', { saga: held.item.id, ...errorFields(error) })
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
    const stored = await begin(context, kind, prepare)
    if (stored.item.state === 'finished') return { stored, result: undefined }
    const held = new LeasedSaga(stored, context.now)
    const result = (await drive(context, kind, held)) as Result // the result of this very kind
    return { stored: held.stored, result }
  })
  changes.remove(sagas, caller.domain.id, done.stored)
  if (done.result !== undefined) return kind.settle(context, done.stored.item.input as Input, done.result) // as begun
  const made = await kind.entity.get(caller.domain.id, done.stored.item.answer ?? '')
  if (made === undefined) throw new Refusal('NOT_FOUND', 'What this request made is not there any more.')
  return made
}

/** How a saga ended without its request. */
export type Ending =
  { readonly end: 'finished' } | { readonly end: 'refused'; readonly refusal: Refusal } | { readonly end: 'later' }

/**
 * Resumes a saga in the name of its initiator, and keeps its answer for a day.
 * @param context of the initiator, with changes of its own, which are committed here
 * @param settled stages the audit record once it is done
 */
export async function resumeSaga(
  context: Context,
  kind: AnySagaKind,
  before: Stored<StoredSaga>,
  settled: () => void,
): Promise<Ending> {
  const { now } = context
  const taken: StoredSaga = { ...before.item, runs: before.item.runs + 1, ...leaseFor(now, LEASE_MS) }
  const taking = new Changes()
  taking.update(sagas, taken.initiator.domain.id, before, taken)
  await taking.commit(now)
  const held = new LeasedSaga({ item: taken, rev: before.rev + 1 }, now)
  try {
    const result = await drive(context, kind, held)
    await record(context, kind, held, result, settled)
    return { end: 'finished' }
  } catch (error) {
    if (held.isForgotten)
      return {
        end: 'refused',
        refusal: error instanceof Refusal ? error : new Refusal('FAULT', 'A fault on our side.'),
      }
    log('warn', 'a saga is resumed later', { saga: taken.id, kind: taken.kind, ...errorFields(error) })
    return { end: 'later' }
  }
}

/**
 * Records the outcome. It is kept for a repetition of the request if that carried an `Idempotency-Key`, or made something,
 * which must not be made twice. Without either, a repeated request is a new one.
 */
async function record(
  context: Context,
  kind: AnySagaKind,
  held: LeasedSaga,
  result: unknown,
  settled: () => void,
): Promise<void> {
  const { changes, now } = context
  try {
    const made: Stored<unknown> = await kind.settle(context, held.item.input, result)
    settled()
    if (!held.item.keyed && kind.unrecorded === undefined) return await held.forget(changes)
    const answer = kind.entity.id(made.item)
    const finished: StoredSaga = { ...held.item, state: 'finished', answer, steps: {}, ...leaseFor(now, DAY_MS) }
    changes.update(sagas, held.item.initiator.domain.id, held.stored, finished)
    await changes.commit(now)
  } catch (error) {
    if (isOver(kind, held.item, error, now)) await failed(context, kind, held, error)
    throw error
  }
}
