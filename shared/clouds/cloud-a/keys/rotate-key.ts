import { assertMaterialFits, expiryOf } from '../adapter/specs.ts'
import { isCloudsTag } from '../adapter/tags.ts'
import type { CloudAKeyRead, CloudAKeySpec, CloudAPlace } from '../adapter/types.ts'
import { MADE } from '../../../cloud/contract.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import type { RotateCloudAKey } from './bodies.ts'
import { CLOUD_A_SPECS, KEY_TAG, TAGS_MOST, type CloudAKey, type CloudAParam } from './model.ts'
import { cloudAKeys, type StoredCloudAKey } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { without } from '../../../base/fields.ts'
import { findKeyForCloud, recordExport, shapeOf, withMaterial } from '../../../vault/keys/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { rotateHostedKey } from '../hosted-keys/rotate-hosted-key.ts'
import { cloudA } from '../place.ts'
import { keyById } from '../../../cloud/keys/find-key.ts'
import { findKeyFor, noLongerThere } from '../../../cloud/keys/find-key.ts'
import { assertManaged } from './key-rules.ts'
import { abandonMade, recordMade, unlessRefused, unrecordedIn, type Making } from './making.ts'
import { listsOf } from './policy-inputs.ts'
import { refreshed } from './records.ts'
import { sourceFor, sourceOf, sourceSoFar } from './source-key.ts'
import { answeredKeys, keyKind, type KeySaga, reach, reachAgain, recordRead } from './key-kind.ts'

type Retirement = 'account' | 'all-accounts'

interface Rotating extends Omit<Making, 'spec'> {
  /** record of the key that is replaced */
  readonly old_id: string
  readonly old_ref: string
  /** absent: a new one is made */
  readonly local_key_id?: string
  readonly spec: string
  readonly description?: string
  readonly validTo?: string
  readonly retire?: Retirement
  /** names the old key's aliases get, after the alias itself; absent: it keeps none */
  readonly suffix?: string
}

/** The step that notes the old key as it was before. */
const OLD = 'old'

interface Rotated {
  readonly made: CloudAKeyRead
  readonly old: CloudAKeyRead
  readonly localKeyId: string
}

/** Tags that a new key takes over: the mark is each key's own, and only the cloud sets its own. */
const passedOn = ({ Tags }: CloudAParam): CloudAParam['Tags'] =>
  Tags.filter(({ TagKey }) => TagKey !== KEY_TAG && !isCloudsTag(TagKey))

/** @throws Refusal STATE_CONFLICT when the new key could not carry the old one's tags besides our mark */
function assertRoomForMark(param: CloudAParam): void {
  if (passedOn(param).length < TAGS_MOST) return
  throw new Refusal(
    'STATE_CONFLICT',
    `The key has ${TAGS_MOST} tags, and the one that replaces it needs one more for the service: remove one first.`,
  )
}

/** The new key takes after the old one as that is now at its cloud, not as we remember it. */
function successorOf(old: CloudAKeyRead, { description, validTo, spec }: Rotating): CloudAKeySpec {
  const { param } = old
  return {
    spec,
    usage: param.KeyUsage ?? 'ENCRYPT_DECRYPT',
    tags: passedOn(param),
    ...(param.Policy && { policy: JSON.stringify(param.Policy) }),
    ...((description ?? param.Description) !== undefined && { description: description ?? param.Description }),
    ...(param.MultiRegion === true && { multiRegion: true }),
    ...(validTo !== undefined && { validTo }),
  }
}

/**
 * As it is now, read once: what it says is what the new key takes over, however often the work is taken up.
 * @throws Refusal CLOUD_DENIED for what may not be read, which the new key would then lack; STATE_CONFLICT
 */
async function readOld(place: CloudAPlace, ref: string): Promise<CloudAKeyRead> {
  const read = await (await cloudA()).readWhole(place, ref)
  if (read === undefined) throw noLongerThere()
  assertRoomForMark(read.param)
  return read
}

/** As it is now that the new one has its names. @throws Refusal STATE_CONFLICT */
async function readReplaced(place: CloudAPlace, ref: string): Promise<CloudAKeyRead> {
  const read = await (await cloudA()).read(place, ref)
  if (read === undefined) throw noLongerThere()
  return read
}

/**
 * Replaces a key by a new one: made and filled, before the names pass to it, before the old one ends encrypting. At any
 * moment the names lead to one of the two, and what was encrypted can be decrypted.
 */
export const rotating: KeySaga<Rotating, Rotated> = {
  name: 'rotate-cloud-a-key',
  entity: answeredKeys,
  unrecorded: unrecordedIn,
  run: async (context, input, journal) => {
    const { kms, place } = await reach(context, input)
    const cloud = await cloudA()
    const before = await journal.step(OLD, () => readOld(place, input.old_ref))
    const localKeyId = await sourceFor(context, input, kms.cloud_name, journal)
    await withMaterial(context, localKeyId, (material) =>
      cloud.upload(place, successorOf(before, input), material, journal),
    )
    const ref = String(journal.noted(MADE))
    for (const alias of before.param.Alias) {
      await cloud.moveAlias(place, ref, alias)
      if (input.suffix !== undefined) await cloud.addAlias(place, input.old_ref, archived(alias, input.suffix))
    }
    if (input.retire === 'account') await cloud.retire(place, input.old_ref)
    if (input.retire === 'all-accounts') await cloud.retireForAllAccounts(place, input.old_ref)
    const made = await cloud.read(place, ref)
    if (made === undefined) throw new Refusal('CLOUD_NOT_FOUND', 'The cloud no longer has the key it just made.')
    return { made, old: await readReplaced(place, input.old_ref), localKeyId }
  },
  settle: async (context, input, { made, old, localKeyId }) => {
    const { changes, caller, now } = context
    const before = await keyById(keyKind, context, input.old_id)
    const at = now.toISOString()
    const replaced: StoredCloudAKey = {
      ...without(refreshed(before.item, old, now), 'labels'),
      rotated_to: input.id,
      rotation_status: 'ROTATED',
      updatedAt: at,
    }
    changes.update(cloudAKeys, caller.domain.id, before, replaced)
    await recordExport(context, localKeyId)
    const { labels } = before.item
    const lists = listsOf(before.item)
    return recordMade(context, { ...input, ...(lists && { lists }), spec: successorOf(old, input) }, made, {
      key_material_origin: 'keymgr',
      rotation_status: 'ACTIVE',
      rotated_from: input.old_id,
      rotated_at: at,
      ...(labels && { labels }),
      ...(await sourceOf(context, localKeyId)),
    })
  },
  undo: async (context, input, journal) => {
    const before = journal.noted(OLD) as CloudAKeyRead | undefined // what that step read
    if (before !== undefined && journal.noted(MADE) !== undefined) {
      const { place } = await reachAgain(context, input)
      await unlessRefused(restore(place, input, before, String(journal.noted(MADE))))
      const localKeyId = sourceSoFar(input, journal)
      if (localKeyId !== undefined) await recordExport(context, localKeyId)
      const source = localKeyId === undefined ? {} : await sourceOf(context, localKeyId)
      await abandonMade(context, { ...input, spec: successorOf(before, input) }, journal, source)
    }
    const old = await keyById(keyKind, context, input.old_id)
    await recordRead(context, old, undefinedRead(old.item), (key) => ({ ...key, rotation_status: 'FAILED' }))
  },
}

/** Gives the old key back what the new one took over: its names, and the right to encrypt. Safe to repeat. */
async function restore(
  place: CloudAPlace,
  { old_ref, suffix }: Rotating,
  { param: { Alias, Policy } }: CloudAKeyRead,
  made: string,
): Promise<void> {
  const cloud = await cloudA()
  for (const alias of Alias) {
    if ((await cloud.holderOf(place, alias)) === made) await cloud.moveAlias(place, old_ref, alias)
    if (suffix !== undefined) await cloud.deleteAlias(place, old_ref, archived(alias, suffix))
  }
  const now = await cloud.read(place, old_ref)
  if (now !== undefined && Policy !== undefined && JSON.stringify(now.param.Policy) !== JSON.stringify(Policy))
    await cloud.setPolicy(place, old_ref, JSON.stringify(Policy), true)
}

/** The record as it is: what the cloud says is read at the next synchronization. */
const undefinedRead = ({ cloud_a_param: param }: StoredCloudAKey): CloudAKeyRead => ({ ref: param.KeyID, param })

/** Of an alias without the cloud's prefix. */
const ALIAS_CHARACTERS = 250
/** The old key's alias from now on. */
const archived = (alias: string, suffix: string): string =>
  `${alias.slice(0, ALIAS_CHARACTERS - suffix.length)}${suffix}`

/** Ours: to the second, in the characters an alias may have. */
const suffixOf = (now: Date): string => `-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`

/** @throws Refusal STATE_CONFLICT, NOT_SUPPORTED */
export function assertRotatable(key: StoredCloudAKey): void {
  assertManaged(key)
  if (key.rotated_to !== undefined)
    throw new Refusal('STATE_CONFLICT', 'The key was rotated already: rotate the one that succeeds it.')
  const { KeyState, CustomKeyStoreId, CustomerMasterKeySpec: spec, MultiRegionConfiguration } = key.cloud_a_param
  if (KeyState !== 'Enabled' && KeyState !== 'Disabled' && KeyState !== 'PendingImport')
    throw new Refusal('STATE_CONFLICT', `A key in the state ${KeyState} cannot be rotated.`)
  if (CustomKeyStoreId !== undefined)
    throw new Refusal('NOT_SUPPORTED', 'The rotation of keys whose material is in another key store is not offered.')
  if (MultiRegionConfiguration?.MultiRegionKeyType === 'REPLICA')
    throw new Refusal('STATE_CONFLICT', 'A replica is rotated with its primary.')
  if (!(CLOUD_A_SPECS as readonly string[]).includes(spec))
    throw new Refusal('NOT_SUPPORTED', `Keys of the kind ${spec} cannot be rotated with local keys.`)
  assertRoomForMark(key.cloud_a_param)
}

/**
 * Rotates a key: a hosted one in itself, any other by a new key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN, UNEXPORTABLE, and the cloud's own
 */
export async function rotateKey(context: Context, keyId: string, body: RotateCloudAKey): Promise<Stored<CloudAKey>> {
  const key = await cloudAKeys.get(context.caller.domain.id, keyId)
  const isHosted = key?.item.local_hosted_params !== undefined
  return isHosted ? rotateHostedKey(context, keyId, body) : replaceKey(context, keyId, body)
}

/** A new key with a local key's material takes over the old one's aliases, tags, policy and description. */
const replaceKey = (context: Context, keyId: string, body: RotateCloudAKey): Promise<Stored<CloudAKey>> =>
  carryOut(context, rotating, async () => {
    const { stored, container: kms } = await findKeyFor(keyKind, context, keyId, 'keyrotate')
    const { item: key } = stored
    assertRotatable(key)
    const spec = key.cloud_a_param.CustomerMasterKeySpec
    const local =
      body.source_key_id === undefined
        ? undefined
        : await findKeyForCloud(context, body.source_key_id, '#/source_key_id')
    if (local) assertMaterialFits(spec, shapeOf(local), kms.item.cloud_name, '#/source_key_id')
    if (body.valid_to !== undefined) expiryOf(body.valid_to, context.now, '#/valid_to')
    const retire: Retirement | undefined =
      body.disable_encrypt_on_all_accounts === true
        ? 'all-accounts'
        : body.disable_encrypt === true
          ? 'account'
          : undefined
    const input: Rotating = {
      id: uuid(context.now),
      kms_id: key.kms_id,
      region: key.region,
      old_id: key.id,
      old_ref: key.cloud_a_param.KeyID,
      spec,
      ...(local && { local_key_id: local.id }),
      ...(body.description !== undefined && { description: body.description }),
      ...(body.valid_to !== undefined && { validTo: body.valid_to }),
      ...(retire && { retire }),
      ...(body.retain_alias === true && { suffix: suffixOf(context.now) }),
    }
    return { id: input.id, subject: key.id, container: key.kms_id, input }
  })
