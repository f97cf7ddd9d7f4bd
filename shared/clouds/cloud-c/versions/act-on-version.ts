import type { CloudC, CloudCPlace } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { CloudCVersion } from './model.ts'
import type { StoredCloudCKey } from '../keys/store.ts'
import type { StoredCloudCVersion } from './store.ts'
import type { StoredCloudCRing } from '../rings/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { assertThere, findKeyFor } from '../keys/find-key.ts'
import { reach } from '../keys/making.ts'
import { keyById, readAfter, recordRead, recordRefused } from '../keys/record-read.ts'
import type { WholeKey } from '../keys/records.ts'
import { cloudC, placeOf } from '../place.ts'
import { findVersion } from './find-version.ts'
import { answeredVersions, recordedVersion, type VersionSaga } from './version-saga.ts'

/** Something that is done to one version: a call that is safe to repeat, after which its key is read again. */
interface VersionAction {
  /** of the ring's permissions */
  readonly may: string
  /** States in which it can be done; any without. */
  readonly from?: readonly string[]
  readonly call: (cloud: CloudC, place: CloudCPlace, ref: string, version: string) => Promise<unknown>
}

const LIVE = ['ENABLED', 'DISABLED'] as const

export const VERSION_ACTIONS = {
  enable: { may: 'keyupdate', from: LIVE, call: (cloud, ...at) => cloud.enableVersion(...at) },
  disable: { may: 'keyupdate', from: LIVE, call: (cloud, ...at) => cloud.disableVersion(...at) },
  'schedule-destroy': { may: 'keydestroy', from: LIVE, call: (cloud, ...at) => cloud.destroyVersion(...at) },
  'cancel-schedule-destroy': {
    may: 'keycanceldestroy',
    from: ['DESTROY_SCHEDULED'],
    call: (cloud, ...at) => cloud.restoreVersion(...at),
  },
  /** Reads the version again, with its key. */
  refresh: { may: 'keysynchronize', call: () => Promise.resolve() },
} as const satisfies Record<string, VersionAction>
export type VersionActionName = keyof typeof VERSION_ACTIONS

const actionNamed = (name: VersionActionName): VersionAction => VERSION_ACTIONS[name]

interface Acting {
  readonly key_id: string
  readonly version: string
  readonly action: VersionActionName
}

/** What is done to one version by a call that is safe to repeat. */
export const actingOnCloudCVersion: VersionSaga<Acting, WholeKey | null> = {
  name: 'act-on-cloud-c-version',
  entity: answeredVersions,
  run: async (context, { key_id, version, action }) => {
    const { item: key } = await keyById(context, key_id)
    const place = await reach(context, key.key_ring_id)
    await actionNamed(action).call(await cloudC(), place, key.cloud_c_params.key_name, version)
    return readAfter(context, place, key)
  },
  settle: async (context, { key_id, version }, whole) =>
    recordedVersion(await recordRead(context, await keyById(context, key_id), whole), version),
  undo: (context, { key_id }) => recordRefused(context, key_id),
}

/**
 * Ours: where the record says that the state forbids it, the cloud is asked: time, or somebody else, may have changed it.
 * @param from states that allow it
 * @throws Refusal STATE_CONFLICT
 */
export async function assertState(
  context: Context,
  { cloud_c_params: { key_name } }: StoredCloudCKey,
  { state, cloud_c_params: { version } }: StoredCloudCVersion,
  ring: StoredCloudCRing,
  from: readonly string[],
): Promise<void> {
  if (from.includes(state)) return
  const read = await (await cloudC()).version(await placeOf(context, ring), key_name, version)
  if (read !== undefined && from.includes(read.param.state)) return
  throw new Refusal(
    'STATE_CONFLICT',
    `The version is ${read?.param.state ?? 'not at the cloud any more'}: this takes ${from.join(' or ')}.`,
  )
}

/**
 * @param reference id or number of a version
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, and the cloud's own
 */
export const actOnVersion = (
  context: Context,
  action: VersionActionName,
  keyId: string,
  reference: string,
): Promise<Stored<CloudCVersion>> =>
  carryOut(context, actingOnCloudCVersion, async () => {
    const { may, from } = actionNamed(action)
    const { stored, ring } = await findKeyFor(context, keyId, may)
    const { item: version } = await findVersion(context, keyId, reference)
    assertThere(stored.item)
    if (from !== undefined) await assertState(context, stored.item, version, ring.item, from)
    const input: Acting = { key_id: keyId, version: version.cloud_c_params.version, action }
    return { subject: keyId, container: stored.item.key_ring_id, input }
  })
