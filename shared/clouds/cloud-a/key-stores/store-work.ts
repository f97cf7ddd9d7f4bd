import type { CloudAKeyStoreRead, CloudAPlace } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { retryWhenStale, Changes } from '../../../store/changes.ts'
import { customKeyStores, placeOfStores, type CustomKeyStoreRow, type StoredCustomKeyStore } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import type { SagaKind } from '../../../work/sagas/saga.ts'
import { cloudA, placeOf } from '../place.ts'
import { refOf, storeById, type Found } from './find-key-store.ts'
import { following, isMoving, tellOf } from './records.ts'
import { kmsById } from '../keys/key-kind.ts'

/** Work on a key store that takes several calls; it answers the store. */
export type KeyStoreSaga<Input extends object, Result> = SagaKind<
  Input,
  Result,
  StoredCustomKeyStore,
  CustomKeyStoreRow
>

/** The region a store is in. @throws Refusal NOT_FOUND, STATE_CONFLICT */
export async function placeOfStore(
  context: Pick<Context, 'caller' | 'now' | 'once'>,
  { kms_id, region }: Pick<StoredCustomKeyStore, 'kms_id' | 'region'>,
): Promise<CloudAPlace> {
  return placeOf(context, await kmsById(context, kms_id), region)
}

/** The refs of a store's place that no record stands for. */
export async function unrecordedIn(
  { caller }: Pick<Context, 'caller'>,
  { kms_id, region }: Pick<StoredCustomKeyStore, 'kms_id' | 'region'>,
  refs: readonly string[],
): Promise<readonly string[]> {
  const known = await customKeyStores.membersBy(caller.domain.id, placeOfStores(kms_id, region), refs)
  return refs.filter((ref) => !known.has(ref))
}

/** Writes something down in the middle of a piece of work. @param stage reads what it changes anew at each attempt */
export const writeDown = (now: Date, stage: (changes: Changes) => Promise<void>): Promise<void> =>
  retryWhenStale(async () => {
    const changes = new Changes()
    await stage(changes)
    await changes.commit(now)
  })

/** Stages a record as it shall be, where that is another; names it in the audit record. */
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

/** A store whose state was about to change, as the cloud has it now; nothing is written. */
export async function asItIsNow(
  context: Pick<Context, 'caller' | 'now' | 'once'>,
  { stored }: Found,
): Promise<StoredCustomKeyStore> {
  const { item: store } = stored
  if (!isMoving(store)) return store
  const place = await placeOfStore(context, store)
  return following(store, await (await cloudA()).keyStore(place, refOf(store)), context.now)
}

/** The store as the cloud has it after a call; `null` when it does not have it any more. */
export type ReadAfter = CloudAKeyStoreRead | null

/**
 * A kind of work that makes a few calls about one linked store, each safe to repeat, after which the store is read.
 * @param then what the record says besides what the cloud does
 */
export const callingFor = <Input extends { readonly store_id: string }>(
  name: string,
  call: (ref: string, place: CloudAPlace, store: StoredCustomKeyStore, input: Input) => Promise<void>,
  then: (store: StoredCustomKeyStore, input: Input) => StoredCustomKeyStore = (store) => store,
): KeyStoreSaga<Input, ReadAfter> => ({
  name,
  entity: customKeyStores,
  run: async (context, input) => {
    const { item: store } = await storeById(context, input.store_id)
    const ref = refOf(store)
    const place = await placeOfStore(context, store)
    await call(ref, place, store, input)
    return (await (await cloudA()).keyStore(place, ref)) ?? null
  },
  settle: async (context, input, read) => {
    const before = await storeById(context, input.store_id)
    return recordStore(context, before, then(following(before.item, read ?? undefined, context.now), input))
  },
})

/**
 * Ends work that was interrupted and cannot go on: the password it began with is kept nowhere.
 * @throws Refusal STATE_CONFLICT
 */
export function assertStillKnown(isNeeded: boolean, password: string | undefined): void {
  if (isNeeded && password === undefined)
    throw new Refusal('STATE_CONFLICT', 'The password of the cluster is not kept: ask again with it.')
}

/** @throws Refusal STATE_CONFLICT unless the cloud has the store in one of these states */
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
