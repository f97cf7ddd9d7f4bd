import { isGiven } from '../../../base/json.ts'
import { CLOUD_C_ALGORITHMS, KEY_LABEL } from '../param.ts'
import type { CloudC, CloudCBinding, CloudCPlace } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { assertIfMatch } from '../../../http/if-match.ts'
import type { CloudCKey, SetCloudCKeyPolicy, UpdateCloudCKey } from './model.ts'
import { cloudCKeys, type StoredCloudCKey } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { patched, without } from '../../../base/fields.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { cloudC } from '../place.ts'
import { findVersion } from '../versions/find-version.ts'
import { assertThere, findKeyFor } from './find-key.ts'
import { reach, storedRing, type KeySaga } from './making.ts'
import { keyById, readAfter, recordRead, recordRefused } from './record-read.ts'
import { presentKey, type WholeKey } from './records.ts'

/** Something that is done to one key at its cloud: a few calls, each safe to repeat, after which the key is read again. */
interface KeyAction<Args extends object> {
  /** of the ring's permissions */
  readonly may: string
  /** done also to a key that its cloud no longer has */
  readonly onAny?: true
  /** What can be told without asking the cloud. */
  readonly check?: (key: StoredCloudCKey, args: Args) => void
  readonly call: (cloud: CloudC, place: CloudCPlace, ref: string, args: Args) => Promise<unknown>
}

const ENCRYPTING = 'ENCRYPT_DECRYPT'

/** What an update makes of a key, the primary by its number. */
interface Change extends Omit<UpdateCloudCKey, 'primary_version_id'> {
  readonly primary?: string
}

/** @throws Refusal RULE_BROKEN for what the key, being what it is, can never take */
function assertTakes(
  { cloud_c_params: { purpose, next_rotation_time: due, import_only, labels } }: StoredCloudCKey,
  change: Change,
) {
  const { rotation_period, next_rotation_time, primary, version_template_algorithm: algorithm } = change
  const mark = change.labels?.[KEY_LABEL]
  if (mark !== undefined && mark !== labels[KEY_LABEL])
    throw ruleBroken('labels', `must leave ${KEY_LABEL} as it is, which is the service's`)
  if (purpose !== ENCRYPTING && primary !== undefined)
    throw ruleBroken('primary_version_id', `is for keys of purpose ${ENCRYPTING}, which alone have a primary`)
  if (typeof rotation_period === 'string' || typeof next_rotation_time === 'string') {
    const field = typeof rotation_period === 'string' ? 'rotation_period' : 'next_rotation_time'
    if (purpose !== ENCRYPTING) throw ruleBroken(field, `is for keys of purpose ${ENCRYPTING}`)
    if (import_only) throw ruleBroken(field, 'is not for keys that take only imported versions')
  }
  if (typeof rotation_period === 'string' && !isGiven(next_rotation_time === undefined ? due : next_rotation_time))
    throw ruleBroken('rotation_period', 'needs next_rotation_time')
  const known: Readonly<Record<string, readonly string[]>> = CLOUD_C_ALGORITHMS
  if (algorithm !== undefined && known[purpose]?.includes(algorithm) !== true)
    throw ruleBroken('version_template_algorithm', `must be one of ${(known[purpose] ?? []).join(', ')}`)
}

const update: KeyAction<Change> = {
  may: 'keyupdate',
  check: assertTakes,
  call: async (cloud, place, ref, { primary, labels, ...change }) => {
    const isOther = labels !== undefined || Object.values(change).some((value) => value !== undefined)
    if (isOther) await cloud.updateKey(place, ref, { ...change, ...(labels !== undefined && { labels: labels ?? {} }) })
    if (primary !== undefined) await cloud.setPrimary(place, ref, primary)
  },
}
const bindingOf = ({ role, members, condition }: SetCloudCKeyPolicy['bindings'][number]): CloudCBinding => ({
  role,
  members,
  ...(condition && { condition: patched<Record<string, string>>({}, condition) }),
})
const setPolicy: KeyAction<SetCloudCKeyPolicy> = {
  may: 'keyupdate',
  call: (cloud, place, ref, { bindings, etag }) =>
    cloud.setPolicy(place, ref, { bindings: bindings.map(bindingOf), etag }),
}
/** Reads the key again, whatever may have become of it at the cloud. */
const refresh: KeyAction<Readonly<Record<string, never>>> = {
  may: 'keysynchronize',
  onAny: true,
  call: () => Promise.resolve(),
}

const ACTIONS = { update, policy: setPolicy, refresh } as const
type Actions = typeof ACTIONS

// Each row is only ever given the arguments that its own verb was called with.
const actionNamed = (name: string): KeyAction<object> => ACTIONS[name as keyof Actions] as unknown as KeyAction<object>

interface Acting {
  readonly key_id: string
  readonly action: string
  readonly args: object
}

/** What is done to one key by a few calls that are safe to repeat. */
export const actingOnCloudCKey: KeySaga<Acting, WholeKey | null> = {
  name: 'act-on-cloud-c-key',
  entity: cloudCKeys,
  run: async (context, { key_id, action, args }) => {
    const { item: key } = await keyById(context, key_id)
    const place = await reach(context, key.key_ring_id)
    await actionNamed(action).call(await cloudC(), place, key.cloud_c_params.key_name, args)
    return readAfter(context, place, key)
  },
  settle: async (context, { key_id }, whole) => (await recordRead(context, await keyById(context, key_id), whole)).key,
  undo: (context, { key_id }) => recordRefused(context, key_id),
}

async function act<Name extends keyof Actions>(
  context: Context,
  action: Name,
  keyId: string,
  args: Actions[Name] extends KeyAction<infer Args> ? Args : never,
): Promise<Stored<CloudCKey>> {
  const done = await carryOut(context, actingOnCloudCKey, async () => {
    const row = actionNamed(action)
    const { stored } = await findKeyFor(context, keyId, row.may)
    assertIfMatch(context, stored)
    if (row.onAny !== true) assertThere(stored.item)
    row.check?.(stored.item, args)
    return { subject: keyId, container: stored.item.key_ring_id, input: { key_id: keyId, action, args } }
  })
  return presentKey(done, (await storedRing(context, done.item.key_ring_id)).item)
}

/**
 * Changes labels, the cloud's own rotation, the primary, or what versions will be like.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT, RULE_BROKEN, and the cloud's own
 */
export async function updateKey(context: Context, keyId: string, body: UpdateCloudCKey): Promise<Stored<CloudCKey>> {
  const { primary_version_id: named } = body
  const change = without(body, 'primary_version_id')
  if (named === undefined) return act(context, 'update', keyId, change)
  await findKeyFor(context, keyId, update.may)
  const field = { pointer: '#/primary_version_id', detail: 'is no version of the key' }
  const { item } = await findVersion(context, keyId, named, field)
  return act(context, 'update', keyId, { ...change, primary: item.cloud_c_params.version })
}

/** Reads a key and its versions again. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, and the cloud's own */
export const refreshKey = (context: Context, keyId: string): Promise<Stored<CloudCKey>> =>
  act(context, 'refresh', keyId, {})

/** Puts other bindings in the place of a key's. @throws Refusal as `updateKey` */
export const setKeyPolicy = (context: Context, keyId: string, body: SetCloudCKeyPolicy): Promise<Stored<CloudCKey>> =>
  act(context, 'policy', keyId, body)
