import { defined } from '../../../base/fields.ts'
import { assertNotGiven, Refusal } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { homeOf } from '../../../cloud/keys/place.ts'
import { succeeding, type Successor } from '../../../cloud/keys/rotate-key.ts'
import type { WantedSource } from '../../../cloud/keys/source-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { isAmong } from '../../../base/json.ts'
import { assertMaterialFits, expiryOf, localFor } from '../adapter/specs.ts'
import { isCloudsTag } from '../adapter/tags.ts'
import type { CloudAKeyRead, CloudAKeySpec, CloudAPlace } from '../adapter/types.ts'
import { rotateHostedKey } from '../hosted-keys/rotate-hosted-key.ts'
import { cloudA } from '../adapter.ts'
import type { RotateCloudAKey } from './bodies.ts'
import { keyKind, type CloudATypes } from './kind.ts'
import { assertManaged, isInHardware } from './key-rules.ts'
import {
  CLOUD_A_SPECS,
  KEY_TAG,
  POLICY_LISTS,
  TAGS_MOST,
  type CloudAKey,
  type CloudAName,
  type CloudAParam,
} from './model.ts'
import { recordOfMaker } from './same-key.ts'
import { cloudAKeys, type StoredCloudAKey } from './store.ts'

const SOURCE_POINTER = '#/source_key_id'

type Retirement = 'account' | 'all-accounts'

/** `spec` is the kind of key; policy, tags and description are those of the old key. */
interface How {
  readonly spec: string
  readonly description?: string | undefined
  readonly validTo?: string | undefined
  readonly retire?: Retirement | undefined
  /** suffix of the old key's aliases after the rotation; absent: it keeps none */
  readonly suffix?: string | undefined
  /** for a key in hardware modules: the cloud's id of the store, in which the new key is created too */
  readonly keyStore?: string | undefined
}

/** Tags that a new key inherits: not the mark, which is unique to a key, and not the cloud's own tags. */
const passedOn = ({ Tags }: CloudAParam): CloudAParam['Tags'] =>
  Tags.filter(({ TagKey }) => TagKey !== KEY_TAG && !isCloudsTag(TagKey))

/** @throws Refusal STATE_CONFLICT when the old key's tags leave no room for our mark */
function assertRoomForMark(param: CloudAParam): void {
  if (passedOn(param).length < TAGS_MOST) return
  throw new Refusal(
    'STATE_CONFLICT',
    `The key has ${TAGS_MOST} tags, and the one that replaces it needs one more for the service: remove one first.`,
  )
}

/** The new key is like the old one in its present state at the cloud, not as recorded here. */
function successorOf(old: CloudAKeyRead, { description, validTo, spec, keyStore }: How): CloudAKeySpec {
  const { param } = old
  return {
    spec,
    usage: param.KeyUsage ?? 'ENCRYPT_DECRYPT',
    tags: passedOn(param),
    ...(param.Policy && { policy: JSON.stringify(param.Policy) }),
    ...((description ?? param.Description) !== undefined && { description: description ?? param.Description }),
    ...(param.MultiRegion === true && { multiRegion: true }),
    ...defined({ validTo }),
    ...(keyStore !== undefined && { keyStore: { id: keyStore } }),
  }
}

/**
 * Restores the old key: first its right to encrypt, then its names, so that the names always lead to a key that
 * encrypts.
 */
async function restore(place: CloudAPlace, { old_ref, how, old, ref }: Successor<CloudATypes, How>): Promise<void> {
  const { suffix } = how
  const { Alias, Policy } = old.param
  const now = await cloudA.read(place, old_ref)
  if (now !== undefined && Policy !== undefined && JSON.stringify(now.param.Policy) !== JSON.stringify(Policy))
    await cloudA.setPolicy(place, old_ref, JSON.stringify(Policy), true)
  for (const alias of Alias) {
    if ((await cloudA.holderOf(place, alias)) === ref) await cloudA.moveAlias(place, old_ref, alias)
    if (suffix !== undefined) await cloudA.deleteAlias(place, old_ref, archived(alias, suffix))
  }
}

/** For an alias without the cloud's prefix. */
const ALIAS_CHARACTERS = 250
/** The old key's alias from now on. */
const archived = (alias: string, suffix: string): string =>
  `${alias.slice(0, ALIAS_CHARACTERS - suffix.length)}${suffix}`

/** Ours: to the second, in characters that an alias may contain. */
const suffixOf = (now: Date): string => `-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`

const rotatedAlready = (): Refusal =>
  new Refusal('STATE_CONFLICT', 'The key was rotated already: rotate the one that succeeds it.')

/** The record in the entry in which the key was created, if that is another one. */
async function otherRecord({ caller }: Context, key: StoredCloudAKey): Promise<Stored<StoredCloudAKey> | undefined> {
  const maker = await recordOfMaker(caller.domain.id, key.cloud_a_param)
  return maker?.item.id === key.id ? undefined : maker
}

/** @throws Refusal STATE_CONFLICT */
function assertState({ KeyState }: CloudAParam): void {
  if (KeyState !== 'Enabled' && KeyState !== 'Disabled' && KeyState !== 'PendingImport')
    throw new Refusal('STATE_CONFLICT', `A key in the state ${KeyState} cannot be rotated.`)
}

/** @throws Refusal STATE_CONFLICT, NOT_SUPPORTED */
export function assertRotatable(key: StoredCloudAKey): void {
  assertManaged(key)
  if (key.rotated_to !== undefined) throw rotatedAlready()
  const { CustomKeyStoreId, CustomerMasterKeySpec: spec, MultiRegionConfiguration } = key.cloud_a_param
  assertState(key.cloud_a_param)
  if (CustomKeyStoreId !== undefined && !isInHardware(key))
    throw new Refusal('NOT_SUPPORTED', 'The material of this key is in an external key store of another party.')
  if (MultiRegionConfiguration?.MultiRegionKeyType === 'REPLICA')
    throw new Refusal('STATE_CONFLICT', 'A replica is rotated with its primary.')
  if (!isAmong(CLOUD_A_SPECS, spec))
    throw new Refusal('NOT_SUPPORTED', `Keys of the kind ${spec} cannot be rotated with local keys.`)
  assertRoomForMark(key.cloud_a_param)
}

/** The source of the new key's material: the local key that a body names, or a new one. @throws Refusal NOT_FOUND, RULE_BROKEN, … */
async function sourceOf(
  context: Context,
  { cloud_a_param: { CustomerMasterKeySpec: spec } }: StoredCloudAKey,
  { source_key_id: named }: RotateCloudAKey,
  cloud: CloudAName,
): Promise<WantedSource> {
  if (named === undefined) return { new_local_key: localFor(cloud, spec) }
  const local = await findKeyForCloud(context, named, SOURCE_POINTER)
  assertMaterialFits(spec, shapeOf(local), cloud, SOURCE_POINTER)
  return { local_key_id: local.id }
}

/** Ours: details of a rotation that concern imported material are refused if the cluster generates it. */
const OF_MATERIAL = ['source_key_id', 'key_expiration', 'valid_to'] as const

/** The key store of the successor of a key in hardware modules. @throws Refusal RULE_BROKEN */
function inSameStore(key: StoredCloudAKey, body: RotateCloudAKey): Pick<How, 'keyStore'> {
  const { CustomKeyStoreId: keyStore } = key.cloud_a_param
  if (!isInHardware(key) || keyStore === undefined) return {}
  assertNotGiven(body, OF_MATERIAL, {
    message: 'The hardware cluster makes the material of this key itself.',
    detail: 'is for keys with imported material',
  })
  return { keyStore }
}

const retirementOf = (body: RotateCloudAKey): Retirement | undefined =>
  body.disable_encrypt_on_all_accounts === true ? 'all-accounts' : body.disable_encrypt === true ? 'account' : undefined

/**
 * Replaces a key by a new one, with a local key's material or in the same hardware cluster. The new key gets the old
 * one's aliases, tags, policy and description.
 */
export const rotating = succeeding<CloudATypes, How>('rotate-cloud-a-key', keyKind, {
  readOld: async (place, ref) => {
    const old = await cloudA.readWhole(place, ref)
    if (old === undefined) return undefined
    assertState(old.param) // another party may have scheduled it for deletion since it was last read
    assertRoomForMark(old.param)
    return old
  },
  specOf: successorOf,
  passNames: async (place, { old_ref, how: { suffix }, old, ref }) => {
    for (const alias of old.param.Alias) {
      await cloudA.moveAlias(place, ref, alias)
      if (suffix !== undefined) await cloudA.addAlias(place, old_ref, archived(alias, suffix))
    }
  },
  retire: async (place, ref, { retire }) => {
    if (retire === 'account') await cloudA.retire(place, ref)
    if (retire === 'all-accounts') await cloudA.retireForAllAccounts(place, ref)
  },
  restore,
  inherits: POLICY_LISTS,
})

/** Replaces a key by a new one, with a local key's material or the cluster's own. */
const replaceKey = (context: Context, keyId: string, body: RotateCloudAKey): Promise<Stored<CloudAKey>> =>
  carryOut(context, rotating, async () => {
    const { stored, container } = await findKeyFor(keyKind, context, keyId, 'keyrotate')
    const { item: key } = stored
    assertRotatable(key)
    const other = await otherRecord(context, key)
    if (other?.item.rotated_to !== undefined) throw rotatedAlready()
    const spec = key.cloud_a_param.CustomerMasterKeySpec
    const { cloud_name } = container.item
    const source = await sourceOf(context, key, body, cloud_name)
    if (body.valid_to !== undefined) expiryOf(body.valid_to, context.now, '#/valid_to')
    const store = inSameStore(key, body)
    const id = uuid(context.now)
    const how: How = {
      ...store,
      spec,
      description: body.description,
      validTo: body.valid_to,
      retire: retirementOf(body),
      suffix: body.retain_alias === true ? suffixOf(context.now) : undefined,
    }
    const replaced = { old_id: key.id, old_ref: keyKind.refOf(key), other_id: other?.item.id }
    const input = { id, home: homeOf(keyKind, key), ...replaced, how, ...(store.keyStore === undefined && source) }
    return { id, subject: key.id, container: key.kms_id, input }
  })

/**
 * Rotates a key: a hosted key gets a new version, any other is replaced by a new key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN, UNEXPORTABLE, and refusals of the cloud
 */
export async function rotateKey(context: Context, keyId: string, body: RotateCloudAKey): Promise<Stored<CloudAKey>> {
  const key = await cloudAKeys.get(context.caller.domain.id, keyId)
  const isHosted = key?.item.local_hosted_params !== undefined
  return isHosted ? rotateHostedKey(context, keyId, body) : replaceKey(context, keyId, body)
}
