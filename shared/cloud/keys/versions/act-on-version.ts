import { Refusal } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { findKeyFor, keyById } from '../find-key.ts'
import { findVersion } from './find-version.ts'
import {
  readAfter,
  recordedVersion,
  recordVersions,
  recordVersionsRefused,
  type FollowsVersions,
} from './record-versions.ts'
import {
  answeredVersions,
  type VersioningCloud,
  type VersionKind,
  type VersionedTypes,
  type VersionSaga,
  type Whole,
} from './version-kind.ts'

/** Something that is done to one version: a call that is safe to repeat, after which its key is read again. */
export interface VersionAction<T extends VersionedTypes> {
  /** of the container's permissions */
  readonly may: string
  /** states in which it can be done; any without */
  readonly from?: readonly string[]
  readonly call: (cloud: VersioningCloud<T>, place: T['place'], ref: string, version: string) => Promise<unknown>
}

interface Acting {
  readonly key_id: string
  readonly version: string
  readonly action: string
}

/**
 * Ours: where the record says that the state forbids it, the cloud is asked: time, or another user, may have changed it.
 * @param from states that allow it
 * @throws Refusal STATE_CONFLICT
 */
export async function assertState<T extends VersionedTypes>(
  { keys, cloud, refOf }: VersionKind<T>,
  context: Context,
  key: T['key'],
  version: T['version'],
  from: readonly string[],
): Promise<void> {
  if (from.includes(version.state)) return
  const place = await keys.reach(context, key)
  const read = await (await cloud()).version(place, keys.refOf(key), refOf(version))
  const { state } = (read?.param ?? {}) as { state?: string } // where the cloud's description has one
  if (state !== undefined && from.includes(state)) return
  throw new Refusal(
    'STATE_CONFLICT',
    `The version is ${state ?? 'not at the cloud any more'}: this takes ${from.join(' or ')}.`,
  )
}

/** The verb of a table of actions on versions. @param name of its saga */
export function versionActionsOn<T extends VersionedTypes, Name extends string>(
  kind: FollowsVersions<T>,
  name: string,
  table: Readonly<Record<Name, VersionAction<T>>>,
) {
  const saga: VersionSaga<T, Acting, Whole<T> | null> = {
    name,
    entity: answeredVersions(kind),
    run: async (context, { key_id, version, action }) => {
      const { item: key } = await keyById(kind.keys, context, key_id)
      const place = await kind.keys.reach(context, key)
      await table[action as Name].call(await kind.cloud(), place, kind.keys.refOf(key), version)
      return readAfter(kind, context, place, key)
    },
    settle: async (context, { key_id, version }, whole) => {
      const before = await keyById(kind.keys, context, key_id)
      return recordedVersion(kind, await recordVersions(kind, context, before, whole), version)
    },
    undo: (context, { key_id }) => recordVersionsRefused(kind, context, key_id),
  }
  /**
   * @param reference id of a version's record, or the cloud's own name of it
   * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, and the cloud's own
   */
  const act = (context: Context, action: Name, keyId: string, reference: string): Promise<Stored<T['versionShown']>> =>
    carryOut(context, saga, async () => {
      const { may, from } = table[action]
      const { item: key } = (await findKeyFor(kind.keys, context, keyId, may)).stored
      const { item: version } = await findVersion(kind, context, keyId, reference)
      kind.keys.assertManaged(key)
      if (from !== undefined) await assertState(kind, context, key, version, from)
      const input: Acting = { key_id: keyId, version: kind.refOf(version), action }
      return { subject: keyId, container: kind.keys.containerIdOf(key), input }
    })
  return { saga, act }
}
