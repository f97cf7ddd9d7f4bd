import type { CloudA, CloudAKeyRead, CloudAPlace } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { CloudAKey } from './model.ts'
import { cloudAKeys, placeOfKeys, type StoredCloudAKey } from './store.ts'
import type { StoredCloudAKms } from '../kms/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { isFinal } from '../../../work/engine/passing.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { cloudA } from '../place.ts'
import { assertLinked, assertManaged, findKeyFor, permissionFor, type Permission } from './find-key.ts'
import { answeredKeys, kmsById, reach, reachAgain, type KeySaga } from './making.ts'
import { nameIn, presentKey, refreshed, tellOf } from './records.ts'

/** Something that is done to one key at its cloud: a few calls, each safe to repeat, after which the key is read again. */
export interface KeyAction<Args extends object> {
  /** of the container's permissions */
  readonly may: Permission
  /** done to any key the cloud was told of, be it gone or the cloud's own */
  readonly onAny?: true
  /** What can be told without asking the cloud. */
  readonly check?: (key: StoredCloudAKey, args: Args, kms: StoredCloudAKms) => void
  readonly call: (cloud: CloudA, place: CloudAPlace, key: StoredCloudAKey, args: Args) => Promise<void>
  /** Region of a copy of the key that the action changes too: its record, where there is one, is read again as well. */
  readonly changesIn?: (args: Args) => string
  /** What the record says of it besides what the cloud does. */
  readonly then?: (key: StoredCloudAKey, args: Args) => StoredCloudAKey
  /** Stages what else is true once it is done. */
  readonly besides?: (context: Context, args: Args) => Promise<void>
}

interface Acting extends Record<string, unknown> {
  readonly key_id: string
  readonly action: string
  readonly args: Record<string, unknown>
}

interface ReadAfter {
  /** the key as the cloud has it after a call; `null` when it does not have it any more */
  readonly read: CloudAKeyRead | null
  /** a record of a copy that was changed too, and that key */
  readonly copy?: { readonly id: string; readonly read: CloudAKeyRead }
}

/** The record of a key's copy in another region of the same entry. */
async function copyIn(context: Context, key: StoredCloudAKey, region: string): Promise<StoredCloudAKey | undefined> {
  const { domain } = context.caller
  const ref = key.cloud_a_param.KeyID
  const id = (await cloudAKeys.membersBy(domain.id, placeOfKeys(key.kms_id, region), [ref])).get(ref)
  return id === undefined ? undefined : (await cloudAKeys.get(domain.id, id))?.item
}

/** The copy as it is now, unless it may not be read or is not on record. */
async function readCopy(context: Context, key: StoredCloudAKey, region: string): Promise<Pick<ReadAfter, 'copy'>> {
  const copy = await copyIn(context, key, region)
  if (copy === undefined) return {}
  const { place } = await reach(context, copy)
  const read = await ifReadable((await cloudA()).read(place, copy.cloud_a_param.KeyID))
  return read === undefined ? {} : { copy: { id: copy.id, read } }
}

/** `undefined` for what the cloud refuses for good. */
async function ifReadable<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isFinal(error)) return undefined
    throw error
  }
}

/** A kind of work for a table of actions. @param name of the saga: says which table */
function sagaOf(name: string, actionNamed: (name: string) => KeyAction<object>): KeySaga<Acting, ReadAfter> {
  return {
    name,
    entity: answeredKeys,
    run: async (context, { key_id, action, args }) => {
      const { item: key } = await keyById(context, key_id)
      const { place } = await reach(context, key)
      const { call, changesIn } = actionNamed(action)
      const cloud = await cloudA()
      await call(cloud, place, key, args)
      const read = (await cloud.read(place, key.cloud_a_param.KeyID)) ?? null
      return { read, ...(changesIn && (await readCopy(context, key, changesIn(args)))) }
    },
    settle: async (context, { key_id, action, args }, { read, copy }) => {
      const { then, besides } = actionNamed(action)
      await besides?.(context, args)
      const ofCopy = copy && (await cloudAKeys.get(context.caller.domain.id, copy.id))
      if (copy && ofCopy) await recordRead(context, ofCopy, copy.read)
      return recordRead(context, await keyById(context, key_id), read ?? undefined, (key) => then?.(key, args) ?? key)
    },
    /** Nothing is taken back; what was done before the refusal is on record, as far as the key may be read. */
    undo: async (context, { key_id }) => {
      const stored = await cloudAKeys.get(context.caller.domain.id, key_id)
      if (stored === undefined) return
      const read = await ifReadable(readAgain(context, stored.item))
      if (read !== undefined) await recordRead(context, stored, read)
    },
  }
}

async function readAgain(context: Context, key: StoredCloudAKey): Promise<CloudAKeyRead | undefined> {
  const { place } = await reachAgain(context, key)
  return (await cloudA()).read(place, key.cloud_a_param.KeyID)
}

/** A key that work goes on with; the audit record names it. @throws Refusal NOT_FOUND when the record went meanwhile */
export async function keyById(
  context: Pick<Context, 'caller' | 'about'>,
  id: string,
): Promise<Stored<StoredCloudAKey>> {
  const stored = await cloudAKeys.get(context.caller.domain.id, id)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'The key is not on record any more.')
  nameIn(context, stored.item)
  return stored
}

/** Stages the record as the cloud describes the key now, and what else is true of it. Unchanged, it is not written. */
export async function recordRead(
  context: Context,
  before: Stored<StoredCloudAKey>,
  read: CloudAKeyRead | undefined,
  then: (key: StoredCloudAKey) => StoredCloudAKey = (key) => key,
): Promise<Stored<CloudAKey>> {
  const { caller, changes, now } = context
  const kms = await kmsById(context, before.item.kms_id)
  const fresh = then(refreshed(before.item, read, now))
  if (fresh === before.item) {
    tellOf(context, fresh)
    return presentKey(before, kms)
  }
  const after = { ...fresh, updatedAt: now.toISOString() }
  changes.update(cloudAKeys, caller.domain.id, before, after)
  tellOf(context, after, before.item)
  return presentKey({ item: after, rev: before.rev + 1 }, kms)
}

/**
 * The verbs of a table of actions: each finds the key, checks who may and what can be told at once, and carries it out.
 * @param name of their saga
 */
export function actionsOn<Table extends Readonly<Record<string, KeyAction<never>>>>(name: string, table: Table) {
  // Each row is only ever given the arguments that its own verb was called with.
  const actionNamed = (action: string): KeyAction<object> => table[action] as unknown as KeyAction<object>
  const saga = sagaOf(name, actionNamed)
  function act<Name extends keyof Table & string>(
    context: Context,
    action: Name,
    keyId: string,
    args: Table[Name] extends KeyAction<infer Args> ? Args : never,
  ): Promise<Stored<CloudAKey>> {
    return carryOut(context, saga, async () => {
      const row = actionNamed(action)
      const { stored, kms } = await findKeyFor(context, keyId, row.may)
      assertLinked(stored.item)
      if (row.onAny !== true) assertManaged(stored.item)
      row.check?.(stored.item, args, kms.item)
      const input: Acting = { key_id: keyId, action, args: { ...(args as Record<string, unknown>) } } // JSON from a body
      return { subject: keyId, container: stored.item.kms_id, input }
    })
  }
  /** What one must be permitted in a key's container. */
  const mayOf =
    (action: keyof Table & string) =>
    (key: StoredCloudAKey): string =>
      permissionFor(actionNamed(action).may, key)
  return { saga, act, mayOf }
}
