import type { CloudA, CloudAKeyRead, CloudAPlace } from '../../../clouds/cloud-a/types.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../errors.ts'
import type { CloudAKey } from '../../../model/cloud-a-key.ts'
import { cloudAKeys, type StoredCloudAKey } from '../../../store/cloud-a-key.ts'
import type { StoredCloudAKms } from '../../../store/cloud-a-kms.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../sagas/saga.ts'
import { cloudA, placeOf } from '../place.ts'
import { assertManaged, findKeyFor } from './find-key.ts'
import { answeredKeys, kmsById, type KeySaga } from './making.ts'
import { presentKey, refreshed, tellOf } from './records.ts'

/** Something that is done to one key at its cloud: a few calls, each safe to repeat, after which the key is read again. */
export interface KeyAction<Args extends object> {
  /** of the container's permissions */
  readonly may: string
  /** done to any key on record, be it gone or the cloud's own */
  readonly onAny?: true
  /** What can be told without asking the cloud. */
  readonly check?: (key: StoredCloudAKey, args: Args, kms: StoredCloudAKms) => void
  readonly call: (cloud: CloudA, place: CloudAPlace, key: StoredCloudAKey, args: Args) => Promise<void>
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

/** The key as the cloud has it after a call; `null` when it does not have it any more. */
type ReadAfter = CloudAKeyRead | null

/** A kind of work for a table of actions. @param name of the saga: says which table */
function sagaOf(name: string, actionNamed: (name: string) => KeyAction<object>): KeySaga<Acting, ReadAfter> {
  return {
    name,
    entity: answeredKeys,
    run: async (context, { key_id, action, args }) => {
      const { item: key } = await keyById(context, key_id)
      const place = await placeOf(context, await kmsById(context, key.kms_id), key.region)
      const cloud = await cloudA()
      await actionNamed(action).call(cloud, place, key, args)
      return (await cloud.read(place, key.cloud_a_param.KeyID)) ?? null
    },
    settle: async (context, { key_id, action, args }, read) => {
      const { then, besides } = actionNamed(action)
      await besides?.(context, args)
      return recordRead(context, await keyById(context, key_id), read ?? undefined, (key) => then?.(key, args) ?? key)
    },
  }
}

/** @throws Refusal NOT_FOUND when the record went meanwhile */
export async function keyById({ caller }: Pick<Context, 'caller'>, id: string): Promise<Stored<StoredCloudAKey>> {
  const stored = await cloudAKeys.get(caller.domain.id, id)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'The key is not on record any more.')
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
      if (row.onAny !== true) assertManaged(stored.item)
      row.check?.(stored.item, args, kms.item)
      const input: Acting = { key_id: keyId, action, args: { ...(args as Record<string, unknown>) } } // JSON from a body
      return { subject: keyId, input }
    })
  }
  /** What one must be permitted in the key's container. */
  const mayOf = (action: keyof Table & string): string => actionNamed(action).may
  return { saga, act, mayOf }
}
