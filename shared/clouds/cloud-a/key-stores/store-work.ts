import { placeIn } from '../../../cloud/keys/place.ts'
import type { CloudAKeyStoreRead, CloudAPlace } from '../adapter/types.ts'
import { doOnce } from '../../../base/journal.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { retryWhenStale, Changes } from '../../../store/changes.ts'
import { customKeyStores, type CustomKeyStoreRow, type StoredCustomKeyStore } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut, type SagaKind } from '../../../work/sagas/saga.ts'
import { cloudA } from '../adapter.ts'
import { keyKind, kmsById } from '../keys/kind.ts'
import { findKeyStoreFor, refOf, storeById, type Found } from './find-key-store.ts'
import type { CustomKeyStore } from './model.ts'
import { following, isMoving, presentStore, tellOf } from './records.ts'

/** A saga on a key store, which returns the store. */
export type KeyStoreSaga<Input extends object, Result> = SagaKind<
  Input,
  Result,
  StoredCustomKeyStore,
  CustomKeyStoreRow
>

/** The place at the cloud with the store's region. @throws Refusal NOT_FOUND, STATE_CONFLICT */
export async function placeOfStore(
  context: Pick<Context, 'caller' | 'now' | 'once'>,
  { kms_id, region }: Pick<StoredCustomKeyStore, 'kms_id' | 'region'>,
): Promise<CloudAPlace> {
  return placeIn(keyKind, context, await kmsById(context, kms_id), region)
}

/** Commits changes in the middle of a saga. @param stage reads anew at each attempt */
export const writeDown = (now: Date, stage: (changes: Changes) => Promise<void>): Promise<void> =>
  retryWhenStale(async () => {
    const changes = new Changes()
    await stage(changes)
    await changes.commit(now)
  })

/** Stages the new record if it differs, and names it in the audit record. */
export function recordStore(
  context: Context,
  before: Stored<StoredCustomKeyStore>,
  after: StoredCustomKeyStore,
): Stored<StoredCustomKeyStore> {
  const { caller, changes } = context
  tellOf(context, before.item, after)
  if (after === before.item) return before
  changes.update(customKeyStores, caller.domain.id, before, after)
  return { item: after, rev: before.rev + 1 }
}

/** Stages a change to a store's record, for facts that only this service knows. @returns it as shown */
export const changeStore = (
  context: Context,
  { stored }: Found,
  change: (store: StoredCustomKeyStore) => StoredCustomKeyStore,
): Stored<CustomKeyStore> =>
  presentStore(recordStore(context, stored, { ...change(stored.item), updatedAt: context.now.toISOString() }))

/** A store whose state was changing, as the cloud has it now; writes nothing. */
export async function asItIsNow(
  context: Pick<Context, 'caller' | 'now' | 'once'>,
  { stored }: Found,
): Promise<StoredCustomKeyStore> {
  const { item: store } = stored
  if (!isMoving(store)) return store
  const place = await placeOfStore(context, store)
  return following(store, await cloudA.keyStore(place, refOf(store)), context.now)
}

/** The step in which a record is written before the cloud is called. */
export const RECORDED = 'recorded'

/** The store as the cloud has it after a call; `null` when the cloud no longer has it. */
export type ReadAfter = CloudAKeyStoreRead | null

/** A linked store at its cloud. */
interface At {
  readonly place: CloudAPlace
  readonly ref: string
  readonly store: StoredCustomKeyStore
}

/** A saga on one linked store. */
interface Calling<Input> {
  /** Writes the records that must exist before the cloud is called. Done once. */
  readonly before?: (context: Context, input: Input) => Promise<void>
  /** A few calls, each safe to repeat. */
  readonly call: (at: At, input: Input, domain: string) => Promise<void>
  /** the record with facts beyond the cloud's description */
  readonly then?: (store: StoredCustomKeyStore, input: Input, now: Date) => StoredCustomKeyStore
  /** Stages other consequences of the call. */
  readonly besides?: (context: Context, input: Input) => Promise<void>
}

/** A kind of saga that makes a few calls about one linked store, after which the store is read. */
export const callingFor = <Input extends { readonly store_id: string }>(
  name: string,
  { before, call, then = (store) => store, besides }: Calling<Input>,
): KeyStoreSaga<Input, ReadAfter> => ({
  name,
  entity: customKeyStores,
  run: async (context, input, journal) => {
    if (before) await doOnce(journal, RECORDED, () => before(context, input))
    const { item: store } = await storeById(context, input.store_id)
    const ref = refOf(store)
    const place = await placeOfStore(context, store)
    await call({ place, ref, store }, input, context.caller.domain.id)
    return (await cloudA.keyStore(place, ref)) ?? null
  },
  settle: async (context, input, read) => {
    const { now } = context
    await besides?.(context, input)
    const stored = await storeById(context, input.store_id)
    return recordStore(context, stored, then(following(stored.item, read ?? undefined, now), input, now))
  },
})

/**
 * Runs a saga on a store in a container that is not archived.
 * @param check checks everything that needs no call @returns the store as shown
 */
export const workOn = async <Input extends object, Result>(
  context: Context,
  saga: KeyStoreSaga<Input, Result>,
  id: string,
  may: string,
  check: (found: Found) => Input | Promise<Input>,
): Promise<Stored<CustomKeyStore>> =>
  presentStore(
    await carryOut(context, saga, async () => {
      const found = await findKeyStoreFor(context, id, may)
      return { subject: id, container: found.kms.item.id, input: await check(found) }
    }),
  )

/**
 * Ends interrupted work that cannot continue, because the password from its request is not stored.
 * @throws Refusal STATE_CONFLICT
 */
export function assertStillKnown(isNeeded: boolean, password: string | undefined): void {
  if (isNeeded && password === undefined)
    throw new Refusal('STATE_CONFLICT', 'The password of the cluster is not kept: ask again with it.')
}

/** @throws Refusal STATE_CONFLICT unless the store is in one of these states at the cloud */
export function assertState(store: StoredCustomKeyStore, ...states: readonly string[]): void {
  const { name, cloud_a_param: param } = store
  const { connection_state: state = 'DISCONNECTED' } = param
  if (states.includes(state)) return
  const hint = state === 'FAILED' ? ': disconnect it first' : ''
  throw new Refusal(
    'STATE_CONFLICT',
    `The key store ${name} is ${state}, and would have to be ${states.join(' or ')}${hint}.`,
  )
}
