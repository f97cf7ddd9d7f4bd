import type * as z from 'zod'
import { Refusal } from '../../../base/errors.ts'
import { actionOf } from '../../../http/action.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import type { BulkRow } from '../../../work/bulk/bulk-row.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { ifAllowed } from '../act-on-key.ts'
import { findKeyFor, keyById } from '../find-key.ts'
import { reachKey, readNow } from '../place.ts'
import { findVersion } from './find-version.ts'
import { recordVersionsRefused, settleUnread, settleVersion } from './record-versions.ts'
import { answeredVersions, type VersionedKind, type VersionedTypes, type VersionSaga, type Whole } from './kind.ts'

/** Arguments of an action. */
type Args = Readonly<Record<string, unknown>>

/** An action on one version: a call that is safe to repeat, after which its key is read again. */
export interface VersionAction<T extends VersionedTypes> {
  /** of its route and its audit records */
  readonly summary: string
  /** the permission that it requires in the container */
  readonly may: string
  /** states in which it is possible; default: any */
  readonly from?: readonly string[]
  /** of its route, where it has arguments */
  readonly body?: z.ZodType<Args>
  readonly call: (place: T['place'], ref: string, version: string, args: Args) => Promise<unknown>
}

/** Actions on versions by the last segments of their paths, and their verb. */
export interface VersionActions<T extends VersionedTypes> {
  readonly table: Readonly<Record<string, VersionAction<T>>>
  /** @param reference id of a version's record, or the cloud's own name of it */
  readonly act: (
    context: Context,
    action: string,
    keyId: string,
    reference: string,
    args?: Args,
  ) => Promise<Stored<T['versionShown']>>
}

interface Acting {
  readonly key_id: string
  readonly version: string
  readonly action: string
  readonly args?: Args
}

interface Reading<T extends VersionedTypes> {
  /** the key after the call; `null` when the cloud no longer has it, `undefined` if it may not be read */
  readonly whole: Whole<T> | null | undefined
}

/**
 * Ours: if the recorded state forbids the action, the cloud is asked, because time, or another user, may have changed
 * the state.
 * @param from states that allow it
 * @throws Refusal STATE_CONFLICT
 */
export async function assertState<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  context: Context,
  key: T['key'],
  version: T['version'],
  from: readonly string[],
): Promise<void> {
  if (from.includes(version.state)) return
  const place = await reachKey(kind, context, key)
  const read = await kind.versions.cloud.version(place, kind.refOf(key), kind.versions.refOf(version))
  const state = read && kind.versions.followed(read).state
  if (state !== undefined && from.includes(state)) return
  throw new Refusal(
    'STATE_CONFLICT',
    `The version is ${state ?? 'no longer at the cloud'}; allowed states: ${from.join(', ')}.`,
  )
}

/** @throws Error, a fault, for an action that the cloud does not have */
function actionNamed<T extends VersionedTypes>(table: VersionActions<T>['table'], name: string): VersionAction<T> {
  const action = table[name]
  if (action === undefined) throw new Error(`There is no action ${name} on versions`)
  return action
}

/** The verb for a table of actions on versions. @param name of its saga */
export function versionActionsOn<T extends VersionedTypes>(
  kind: VersionedKind<T>,
  name: string,
  table: VersionActions<T>['table'],
): VersionActions<T> & { readonly saga: VersionSaga<T, Acting, Reading<T>> } {
  const saga: VersionSaga<T, Acting, Reading<T>> = {
    name,
    entity: answeredVersions(kind),
    run: async (context, { key_id, version, action, args = {} }) => {
      const { item: key } = await keyById(kind, context, key_id)
      const place = await reachKey(kind, context, key)
      await actionNamed(table, action).call(place, kind.refOf(key), version, args)
      return { whole: await ifAllowed(readNow(kind, context, place, key)) }
    },
    settle: (context, { key_id, version }, { whole }) =>
      whole === undefined
        ? settleUnread(kind, context, key_id, version)
        : settleVersion(kind, context, key_id, whole, version),
    undo: (context, { key_id }) => recordVersionsRefused(kind, context, key_id),
  }
  /** @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, and refusals of the cloud */
  const act: VersionActions<T>['act'] = (context, action, keyId, reference, args) =>
    carryOut(context, saga, async () => {
      const { may, from } = actionNamed(table, action)
      const { item: key } = (await findKeyFor(kind, context, keyId, may)).stored
      const { item: version } = await findVersion(kind, context, keyId, reference)
      kind.assertManaged(key)
      if (from !== undefined) await assertState(kind, context, key, version, from)
      const input: Acting = { key_id: keyId, version: kind.versions.refOf(version), action, ...(args && { args }) }
      return { subject: keyId, container: kind.containerIdOf(key), input }
    })
  return { saga, table, act }
}

/** Operations of jobs on all versions of a key, by their names in bodies: each is the action on a single version. */
export type Operations = Readonly<Record<string, string>>

/** The rows of jobs on all versions of a key. */
export const versionsBulk = <T extends VersionedTypes>(
  { table, act }: VersionActions<T>,
  operations: Operations,
): Readonly<Record<string, BulkRow>> =>
  Object.fromEntries(
    Object.entries(operations).map(([operation, action]) => [
      operation,
      {
        summary: actionNamed(table, action).summary,
        single: { action: actionOf(actionNamed(table, action)), may: 'keymgr-users' },
        act: (context, version, { key_id = '' }) => act(context, action, key_id, version),
      } satisfies BulkRow,
    ]),
  )
