import type { Context } from '../../http/context.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import type { Stored } from '../../store/entity.ts'
import { isFinal, isOfCredentials } from '../../base/attempts.ts'
import { carryOut } from '../../work/sagas/saga.ts'
import { findKeyFor, keyById, permissionFor, type Permission } from './find-key.ts'
import { answeredKeys, type KeyKind, type KeySaga, type KeyTypes } from './kind.ts'
import { homeOf, reachAgain, reachKey, readNow } from './place.ts'
import { recordRead, shownKey, stageRead, unreadKey } from './record-key.ts'

/**
 * An action on one key at its cloud: a few calls, each safe to repeat, after which the key is read again. Its members
 * are methods, so that rows with different arguments fit one table: each row receives only its own.
 */
export interface KeyAction<T extends KeyTypes, Args extends object> {
  /** the permission that it requires in the container */
  readonly may: Permission<T['key']>
  /** set if it also applies to a key that its cloud no longer has, or manages itself */
  readonly onAny?: true
  /** Refuses what cannot succeed, before the work begins. May be asynchronous. */
  check?(key: T['key'], args: Args, container: T['container'], context: Context): unknown
  call(place: T['place'], key: T['key'], args: Args): Promise<unknown>
  /** The expected key after the call, for actions after which a hidden key and a missing one get the same answer. */
  left?(key: T['key'], args: Args): T['key']
  /** The record of another key that the call changes too, if any. */
  alsoChanges?(context: Context, key: T['key'], args: Args): Promise<T['key'] | undefined>
  /**
   * Updates the records of other keys that the call changed too, possibly very many: each is written separately, before
   * the key's own record. Safe to repeat.
   * @param whole the key as its cloud has it after the call; `undefined` if it may not be read
   */
  across?(context: Context, key: T['key'], whole: T['whole'] | null | undefined): Promise<void>
  /** The record with the facts that only this service knows. */
  then?(key: T['key'], args: Args, context: Context): T['key']
  /** Takes back what `call` changed on our side, after the action was refused or abandoned. Safe to repeat. */
  undone?(context: Context, key: T['key']): Promise<void>
  /** Stages other consequences of the action. */
  besides?(context: Context, args: Args): Promise<void>
}

interface Acting extends Record<string, unknown> {
  readonly key_id: string
  readonly action: string
  readonly args: Record<string, unknown>
}

interface Reading<T extends KeyTypes> {
  /**
   * the key as the cloud has it after a call; `null` when the cloud no longer has it, `undefined` if it may not be read
   */
  readonly whole: T['whole'] | null | undefined
  /** another key that was changed too */
  readonly other?: { readonly id: string; readonly whole: T['whole'] }
}

/** Reads the key again, whatever its state at the cloud. */
export const refreshing: {
  readonly may: string
  readonly onAny: true
  readonly call: (place: unknown, key: unknown, args: Readonly<Record<string, never>>) => Promise<void>
} = {
  may: 'keysynchronize',
  onAny: true,
  call: () => Promise.resolve(),
}

type ArgsOf<Action> = Action extends { call: (place: never, key: never, args: infer Args) => unknown } ? Args : never
/** A route without a body passes no arguments to an action without parameters. */
type GivenOf<Action> = ArgsOf<Action> extends Readonly<Record<string, never>> ? undefined : ArgsOf<Action>

/** The result of the work; `undefined` if the cloud refuses it for good. */
export async function ifReadable<R>(work: Promise<R>): Promise<R | undefined> {
  try {
    return await work
  } catch (error) {
    if (isFinal(error)) return undefined
    throw error
  }
}

/** The result of the work; `undefined` if the cloud does not permit it. */
export async function ifAllowed<R>(work: Promise<R>): Promise<R | undefined> {
  try {
    return await work
  } catch (error) {
    if (isOfCredentials(error)) return undefined
    throw error
  }
}

/** Reads a recorded key after work on it was refused, even if its container was archived meanwhile. */
export const readRefused = async <T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  key: T['key'],
  left?: T['key'],
): Promise<T['whole'] | null> => {
  const whole = await readNow(kind, context, await reachAgain(kind, context, homeOf(kind, key)), key, left)
  await kind.afterRefusal?.(context, key, whole)
  return whole
}

/**
 * Undoes nothing: records the effects of an action that was refused in part. If the cloud does not let us read the key,
 * its record is marked as unread, because it may lack those effects.
 * @param left the key as the action may have left it
 */
export async function recordRefused<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  keyId: string,
  record: (before: Stored<T['key']>, whole: T['whole'] | null) => Promise<unknown>,
  left?: (key: T['key']) => T['key'] | undefined,
): Promise<void> {
  const stored = await kind.entity.get(context.caller.domain.id, keyId)
  if (stored === undefined) return
  const reading = readRefused(kind, context, stored.item, left?.(stored.item))
  const whole = await ifReadable(reading)
  if (whole !== undefined) await record(stored, whole)
  else if (await reading.then(() => false, isOfCredentials))
    stageRead(kind, context, stored, unreadKey(stored.item, context.now))
}

/** Another key that the action changed too, unless it may not be read. */
async function readOther<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  key: T['key'] | undefined,
): Promise<Pick<Reading<T>, 'other'>> {
  if (key === undefined) return {}
  const whole = await ifReadable(readNow(kind, context, await reachKey(kind, context, key), key))
  return whole ? { other: { id: key.id, whole } } : {}
}

function sagaOf<T extends KeyTypes>(
  kind: KeyKind<T>,
  name: string,
  actionNamed: (name: string) => KeyAction<T, object>,
): KeySaga<T, Acting, Reading<T>> {
  return {
    name,
    entity: answeredKeys(kind),
    run: async (context, { key_id, action, args }) => {
      const { item: key } = await keyById(kind, context, key_id)
      const place = await reachKey(kind, context, key)
      const row = actionNamed(action)
      await row.call(place, key, args)
      // The new policy may deny reading it.
      const whole = await ifAllowed(readNow(kind, context, place, key, row.left?.(key, args)))
      await row.across?.(context, key, whole)
      return { whole, ...(await readOther(kind, context, await row.alsoChanges?.(context, key, args))) }
    },
    settle: async (context, { key_id, action, args }, { whole, other }) => {
      const row = actionNamed(action)
      await row.besides?.(context, args)
      const stored = other && (await kind.entity.get(context.caller.domain.id, other.id))
      if (other && stored) await recordRead(kind, context, stored, other.whole)
      const before = await keyById(kind, context, key_id)
      const known = (key: T['key']): T['key'] => row.then?.(key, args, context) ?? key
      const after =
        whole === undefined
          ? stageRead(kind, context, before, known(unreadKey(before.item, context.now)))
          : await recordRead(kind, context, before, whole, known)
      return shownKey(kind, context, after)
    },
    undo: async (context, { key_id, action, args }) => {
      const row = actionNamed(action)
      const stored = await kind.entity.get(context.caller.domain.id, key_id)
      if (stored !== undefined) await row.undone?.(context, stored.item)
      await recordRefused(
        kind,
        context,
        key_id,
        (before, whole) => recordRead(kind, context, before, whole),
        (key) => row.left?.(key, args),
      )
    },
  }
}

/**
 * The verb for a table of actions: finds the key, checks the permission and everything that needs no call, and performs
 * the action.
 * @param name of its saga
 */
export function actionsOn<T extends KeyTypes, Table extends Readonly<Record<string, KeyAction<T, never>>>>(
  kind: KeyKind<T>,
  name: string,
  table: Table,
) {
  /** @throws Error, a fault, for an action that the table does not have */
  function actionNamed(action: string): KeyAction<T, object> {
    const row = table[action]
    if (row === undefined) throw new Error(`There is no action ${action}`)
    return row
  }
  const saga = sagaOf(kind, name, actionNamed)
  function act<Name extends keyof Table & string>(
    context: Context,
    action: Name,
    keyId: string,
    args: ArgsOf<Table[Name]>,
  ): Promise<Stored<T['shown']>> {
    return carryOut(context, saga, async () => {
      const row = actionNamed(action)
      const { stored, container } = await findKeyFor(kind, context, keyId, row.may)
      const { item: key } = stored
      if (kind.honoursIfMatch === true) assertIfMatch(context, stored)
      if (row.onAny !== true) kind.assertManaged(key)
      await row.check?.(key, args as object, container.item, context)
      const input: Acting = { key_id: keyId, action, args: { ...(args as Record<string, unknown>) } } // JSON from a body
      return { subject: kind.subjectOf?.(key) ?? keyId, container: kind.containerIdOf(key), input }
    })
  }
  /** An action as the verb of its route. */
  const doing =
    <Name extends keyof Table & string>(action: Name) =>
    (context: Context, keyId: string, args: GivenOf<Table[Name]>): Promise<Stored<T['shown']>> =>
      act(context, action, keyId, (args ?? {}) as ArgsOf<Table[Name]>)
  /** The permission that an action requires in a key's container. */
  const mayOf =
    (action: keyof Table & string) =>
    (key: T['key']): string =>
      permissionFor(actionNamed(action).may, key)
  return { saga, act, doing, mayOf }
}
