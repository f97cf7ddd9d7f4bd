import type { Journal } from '../../base/journal.ts'
import type { Context } from '../../http/context.ts'
import { initiatorOf } from '../../http/on-behalf.ts'
import { Refusal, type Reason } from '../../base/errors.ts'
import { uuid } from '../../base/ids.ts'
import { errorFields, log } from '../../base/log.ts'
import { Changes, Stale } from '../../store/changes.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import { isFinal } from './passing.ts'
import { sagas, type StoredSaga } from './store.ts'
import { DAY_MS, HOUR_MS, later, MINUTE_MS } from '../../base/time.ts'

/**
 * A kind of work that takes several calls to the outside (upload a key, rotate it). It is written down before its first
 * call, each step's result before the next, and forgotten in the transaction that records the outcome. A stop anywhere
 * leaves a saga that the same request, asked again, or the sweeper goes on with.
 */
export interface SagaKind<Input extends object, Result, T, R> {
  readonly name: string
  /** what it is about and answers */
  readonly entity: Pick<Entity<T, R>, 'id' | 'get'>
  /** Makes the calls. Run again after a stop: every step is in the journal or safe to repeat. Writes nothing itself. */
  run(context: Context, input: Input, journal: Journal): Promise<Result>
  /** Stages what is true now on `context.changes`; may be run again on fresh state. */
  settle(context: Context, input: Input, result: Result): Promise<Stored<T>>
  /**
   * Takes back what was done, because the rest was refused: calls what must be called, and stages what remains to be
   * seen on `context.changes`. Run again after a stop.
   */
  undo?(context: Context, input: Input, journal: Journal): Promise<void>
  /** Of kinds that make something new: those of `refs` in its place that nobody has recorded. */
  unrecorded?(context: Context, input: Input, refs: readonly string[]): Promise<readonly string[]>
}

// The kinds in one table differ in what they work with; each is only ever given what it wrote down itself.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnySagaKind = SagaKind<any, any, any, any>

/** A request has 29 seconds; after this long nobody is at it any more. */
const REQUEST_HOLD_MS = MINUTE_MS
/** A sweeper has five minutes. */
const SWEEP_HOLD_MS = 6 * MINUTE_MS
/** Ours: the first try again after a minute, then after twice as long each time, up to an hour. */
const LONGEST_WAIT_MS = HOUR_MS
/** Ours: about a day; what could not be done by then is undone, so that nothing stays locked for good. */
const RUNS_MOST = 28

/** A run lost its hold: somebody else goes on with the saga, which is not this run's any more to end or to record. */
class Lost extends Refusal {
  constructor() {
    super('STATE_CONFLICT', 'Somebody else went on with this work meanwhile; read the key again.')
  }
}
const busy = (): Refusal =>
  new Refusal(
    'STATE_CONFLICT',
    'Another operation on this key is under way, or was interrupted and is being finished; try again in a moment.',
  )

/** A saga as this instance holds it: every write moves its revision on. */
class Held {
  #stored: Stored<StoredSaga>
  readonly #now: Date
  readonly #wasRunBefore: boolean
  #isForgotten = false

  constructor(stored: Stored<StoredSaga>, now: Date) {
    this.#stored = stored
    this.#now = now
    this.#wasRunBefore = stored.item.runs > 1
  }

  get stored(): Stored<StoredSaga> {
    return this.#stored
  }
  get item(): StoredSaga {
    return this.#stored.item
  }

  /** Whether it is no more, having been taken back. */
  get isForgotten(): boolean {
    return this.#isForgotten
  }

  /** Commits `changes`, and with them the end of the saga. @throws Stale when somebody else took it over */
  async forget(changes: Changes): Promise<void> {
    changes.remove(sagas, this.item.asker.domain.id, this.#stored)
    await changes.commit(this.#now)
    this.#isForgotten = true
  }

  /** @throws Lost when somebody else took it over */
  async write(change: Partial<StoredSaga>): Promise<void> {
    const item = { ...this.item, ...change }
    const changes = new Changes()
    changes.update(sagas, item.asker.domain.id, this.#stored, item)
    try {
      await changes.commit(this.#now)
    } catch (error) {
      if (error instanceof Stale) throw new Lost()
      throw error
    }
    this.#stored = { item, rev: this.#stored.rev + 1 }
  }

  journal(unrecorded: Journal['unrecorded']): Journal {
    return {
      id: this.item.id,
      unrecorded,
      noted: (name) => this.item.steps[name],
      step: async <T>(name: string, work: () => Promise<T>, found?: () => Promise<T | undefined>): Promise<T> => {
        if (Object.hasOwn(this.item.steps, name)) return this.item.steps[name] as T // what this very step answered
        const before = this.#wasRunBefore ? await found?.() : undefined
        const result = before ?? (await work())
        await this.write({ steps: { ...this.item.steps, [name]: result } })
        return result
      },
    }
  }
}

const journalOf = (kind: AnySagaKind, context: Context, held: Held): Journal =>
  held.journal((refs) => kind.unrecorded?.(context, held.item.input, refs) ?? Promise.resolve([]))

/** A saga in the hands of this instance for so long. */
const hold = (now: Date, ms: number): Pick<StoredSaga, 'heldUntil' | 'dueAt'> => {
  const until = later(now, ms).toISOString()
  return { heldUntil: until, dueAt: until }
}
const waitMs = ({ runs }: StoredSaga): number => Math.min(LONGEST_WAIT_MS, MINUTE_MS * 2 ** Math.max(0, runs - 1))

/** What a kind of work is to do. */
export interface Prepared<Input> {
  /** of what is made, and the mark on it; any new one without it */
  readonly id?: string
  /** what nobody else may work on meanwhile; itself without it */
  readonly subject?: string
  /** the container it is done in, which must not go meanwhile */
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
  const before = await sagas.find(domain, 'request', context.fingerprint)
  if (before !== undefined) {
    if (before.item.state === 'finished') return before
    if (Date.parse(before.item.heldUntil) > now.getTime()) throw busy()
    const again = new Changes()
    const item = { ...before.item, runs: before.item.runs + 1, ...hold(now, REQUEST_HOLD_MS) }
    again.update(sagas, domain, before, item)
    await again.commit(now)
    return { item, rev: before.rev + 1 }
  }
  const { id = uuid(now), subject = id, container, input } = await prepare()
  const item: StoredSaga = {
    id,
    subject,
    ...(container !== undefined && { container }),
    keyed: context.hasIdempotencyKey,
    input: Object.fromEntries(Object.entries(input)),
    kind: kind.name,
    state: 'open',
    fingerprint: context.fingerprint,
    steps: {},
    runs: 1,
    ...hold(now, REQUEST_HOLD_MS),
    says: context.summary,
    asker: initiatorOf(caller),
    traceId: context.traceId,
    clientIp: context.clientIp,
    createdAt: now.toISOString(),
  }
  const changes = new Changes()
  changes.create(sagas, domain, item, busy)
  await changes.commit(now)
  return { item, rev: 1 }
}

/** Runs what is left. A final refusal undoes what was done and is thrown; a passing one leaves the rest for later. */
async function drive(context: Context, kind: AnySagaKind, held: Held): Promise<unknown> {
  const { state, refusal } = held.item
  if (state === 'undoing') {
    if (!(await undo(context, kind, held)))
      throw new Refusal('UNAVAILABLE', 'What was done before the refusal is still being taken back. Try again.')
    const { reason = 'CLOUD_INVALID', message = 'It was refused.' } = refusal ?? {}
    throw new Refusal(reason as Reason, message) // written by the run that was refused
  }
  try {
    return await kind.run(context, held.item.input, journalOf(kind, context, held))
  } catch (error) {
    await failed(context, kind, held, error)
    throw error
  }
}

const isOver = (error: unknown, { runs }: StoredSaga): boolean => isFinal(error) || runs >= RUNS_MOST

/** What failed for good, or for too long, is taken back; the rest waits for its next run. */
async function failed(context: Context, kind: AnySagaKind, held: Held, error: unknown): Promise<void> {
  if (!isOver(error, held.item)) return letGo(held, context.now)
  const { reason, message } = error instanceof Refusal ? error : { reason: 'FAULT', message: 'A fault on our side.' }
  await held.write({ state: 'undoing', refusal: { reason, message } })
  await undo(context, kind, held)
}

/** What could not be finished now is due again; the same request may take it up at once. */
async function letGo(held: Held, now: Date): Promise<void> {
  const dueAt = later(now, waitMs(held.item)).toISOString()
  await held.write({ heldUntil: now.toISOString(), dueAt }).catch((error: unknown) => {
    log('warn', 'a saga was not let go', { saga: held.item.id, ...errorFields(error) })
  })
}

/**
 * Takes back what was done. What can never be taken back, because that is refused as well, is given up and logged: a saga
 * must not hold its key for ever.
 * @returns whether the saga is forgotten
 */
async function undo(context: Context, kind: AnySagaKind, held: Held): Promise<boolean> {
  let changes = new Changes()
  try {
    await kind.undo?.({ ...context, changes }, held.item.input, journalOf(kind, context, held))
  } catch (error) {
    const { id: saga, kind: name, asker } = held.item
    const fields = { saga, kind: name, domain: asker.domain.id, ...errorFields(error) }
    if (!isOver(error, held.item)) {
      await letGo(held, context.now)
      log('error', 'work that was refused is not taken back yet', fields)
      return false
    }
    log('error', 'work that was refused cannot be taken back', {
      ...fields,
      steps: Object.keys(held.item.steps).join(),
    })
    changes = new Changes()
  }
  await held.forget(changes)
  return true
}

/**
 * Does the work and stages its outcome with what else the request changes. The same request, asked again after it was
 * interrupted, goes on where it stopped; one that was finished meanwhile is answered with what came of it.
 * @param prepare checks what can be checked beforehand and says what the work is; not asked when it goes on
 * @throws Refusal STATE_CONFLICT while another holds the subject, and whatever the work is refused with
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
    const held = new Held(stored, context.now)
    const result = (await drive(context, kind, held)) as Result // `kind`'s own
    return { stored: held.stored, result }
  })
  changes.remove(sagas, caller.domain.id, done.stored)
  if (done.result !== undefined) return kind.settle(context, done.stored.item.input as Input, done.result) // as begun
  const made = await kind.entity.get(caller.domain.id, done.stored.item.answer ?? '')
  if (made === undefined) throw new Refusal('NOT_FOUND', 'What this request made is not there any more.')
  return made
}

/** How a saga ended that its caller did not wait for. */
export type Ending =
  { readonly end: 'finished' } | { readonly end: 'refused'; readonly refusal: Refusal } | { readonly end: 'later' }

/**
 * Goes on with a saga in the name of whoever asked for it, and keeps its answer for a day.
 * @param context of the asker, with changes of its own, which are committed here
 * @param settled stages what else is true once it is done: its audit record
 */
export async function goOn(
  context: Context,
  kind: AnySagaKind,
  before: Stored<StoredSaga>,
  settled: () => void,
): Promise<Ending> {
  const { now } = context
  const taken: StoredSaga = { ...before.item, runs: before.item.runs + 1, ...hold(now, SWEEP_HOLD_MS) }
  const taking = new Changes()
  taking.update(sagas, taken.asker.domain.id, before, taken)
  await taking.commit(now)
  const held = new Held({ item: taken, rev: before.rev + 1 }, now)
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
    log('warn', 'a saga is gone on with later', { saga: taken.id, kind: taken.kind, ...errorFields(error) })
    return { end: 'later' }
  }
}

/**
 * Records what was done. Its caller hears of it when the same request comes again: if it carried an `Idempotency-Key`, or
 * made something, which must not be made twice. Without either, the same request again is a new one.
 */
async function record(
  context: Context,
  kind: AnySagaKind,
  held: Held,
  result: unknown,
  settled: () => void,
): Promise<void> {
  const { changes, now } = context
  try {
    const made: Stored<unknown> = await kind.settle(context, held.item.input, result)
    settled()
    if (!held.item.keyed && kind.unrecorded === undefined) return await held.forget(changes)
    const answer = kind.entity.id(made.item)
    const finished: StoredSaga = { ...held.item, state: 'finished', answer, steps: {}, ...hold(now, DAY_MS) }
    changes.update(sagas, held.item.asker.domain.id, held.stored, finished)
    await changes.commit(now)
  } catch (error) {
    if (isOver(error, held.item)) await failed(context, kind, held, error)
    throw error
  }
}
