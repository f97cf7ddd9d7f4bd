import { defined } from '../../base/fields.ts'
import type { Context } from '../../http/context.ts'
import { initiatorOf } from '../../http/on-behalf.ts'
import { Refusal, type Reason } from '../../base/errors.ts'
import { uuid } from '../../base/ids.ts'
import { errorFields, log } from '../../base/log.ts'
import type { Stored } from '../../store/entity.ts'
import { isLeased, Lease, LEASE_MS } from '../../store/lease.ts'
import type { AnySagaKind, SagaKind } from './saga-kind.ts'
import { sagas, type StoredSaga } from './store.ts'
import { failed, forgottenAt, isOver, takeSaga, tryOf, undo, type Try } from './try.ts'

export type { AnySagaKind, SagaKind } from './saga-kind.ts'

const busy = (): Refusal =>
  new Refusal(
    'STATE_CONFLICT',
    'Another operation on this key is under way, or was interrupted and is being finished; try again in a moment.',
  )

/** The refusal when other work, which may be waiting for its cloud, has the subject. */
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

/** The work that a saga is to do. */
export interface Prepared<Input> {
  /** id of the saga and of the record that it creates; generated if absent */
  readonly id?: string
  /** resource that no other work may change meanwhile; default: the saga itself */
  readonly subject?: string
  /** the container of the work, which must not be removed meanwhile */
  readonly container?: string
  readonly input: Input
}

/**
 * The saga that an earlier try of this request began, or a new one.
 * @returns a finished saga unchanged, any other under a lease
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
    ...defined({ container }),
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

/**
 * Runs the steps that are left. A final refusal undoes the finished steps and is thrown; after a temporary one the rest
 * is done later.
 */
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

/**
 * Does the work and stages its outcome with the other changes of the request. The same request, repeated after an
 * interruption, resumes the work; if the sweeper finished it meanwhile, the request returns its outcome.
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
    const result = (await drive(tryOf(context, kind, begun))) as Result // the result of this kind
    return { stored: begun.stored, result }
  })
  changes.remove(sagas, caller.domain.id, done.stored)
  if (done.result !== undefined) return kind.settle(context, done.stored.item.input as Input, done.result) // recorded
  const made = await kind.entity.get(caller.domain.id, done.stored.item.answer ?? '')
  if (made === undefined) throw new Refusal('NOT_FOUND', 'The result of this request no longer exists.')
  return made
}

/**
 * Resumes a saga in the name of its initiator, and keeps its result for a day.
 * @param context of the initiator, with changes of its own, which are committed here
 * @param settled stages the audit record once it is done
 * @returns the refusal that ended it; `undefined` when it is finished or will be resumed later
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
 * Records the outcome. It is kept for a repeated request if the request had an `Idempotency-Key` or created something,
 * which must not be created twice. Otherwise a repeated request is a new one.
 */
async function record(one: Try, result: unknown, settled: () => void): Promise<void> {
  const { context, kind, lease } = one
  const { changes, now } = context
  try {
    const made: Stored<unknown> = await kind.settle(context, lease.item.input, result)
    settled()
    if (!lease.item.keyed && kind.unrecorded === undefined) return await lease.remove(changes)
    const answer = kind.entity.id(made.item)
    changes.update(sagas, lease.item.initiator.domain.id, lease.stored, {
      ...lease.item,
      ...{ state: 'finished', answer, steps: {}, dueAt: forgottenAt(now) },
    })
    await changes.commit(now)
  } catch (error) {
    if (isOver(one, error)) await failed(one, error)
    throw error
  }
}
