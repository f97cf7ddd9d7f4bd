import { expiryOf } from '../adapter/specs.ts'
import { assertNewTags } from '../adapter/tags.ts'
import type { CloudAKeyRead, CloudAKeySpec, CloudAPlace } from '../adapter/types.ts'
import { wait } from '../adapter/errors.ts'
import { MADE } from '../../../cloud/contract.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import type { ReplicateCloudAKey } from './bodies.ts'
import { KEY_TAG, TEMPLATE_TAG, type CloudAKey } from './model.ts'
import { cloudAKeys, type MaterialSource, type StoredCloudAKey } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { localKeys } from '../../../vault/keys/store.ts'
import { assertMay } from '../../../cloud/containers/acl.ts'
import { findKeyForCloud, withMaterial } from '../../../vault/keys/material/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { assertActive, assertRegion } from '../kms/kind.ts'
import { cloudA } from '../adapter.ts'
import { cleanUp, recordMade, unrecordedIn, type Creation } from '../../../cloud/keys/creation.ts'
import { findKey, keyById, nameKey } from '../../../cloud/keys/find-key.ts'
import { reach, recipientIn } from '../../../cloud/keys/place.ts'
import { assertManaged } from './key-rules.ts'
import { choosePolicy, parsePolicy, type ChosenPolicy } from './policy-inputs.ts'
import { refreshed } from './records.ts'
import { answeredKeys, keyKind, type CloudATypes, type KeySaga } from './kind.ts'

interface Replicating extends Creation<CloudATypes> {
  /** record of the primary, and the place of that key */
  readonly primary_id: string
  readonly primary_region: string
  /** the cloud's id of both keys */
  readonly ref: string
}

interface Replicated {
  readonly made: CloudAKeyRead
  readonly primary: CloudAKeyRead | null
  readonly sources: readonly Source[]
}

/** A local key whose material the replica needs. @see MaterialSource */
interface Source {
  readonly source: MaterialSource
  /** the cloud's id of that generation; `null` for keys that have only one */
  readonly materialId: string | null
}

const notHeld = (): Refusal =>
  new Refusal(
    'STATE_CONFLICT',
    'The key has material that is not from a local key here: the copy could not be given it.',
  )

/** Every generation of imported material that the primary uses, oldest first: a new replica has none of them. */
async function sourcesOf(context: Context, home: CloudAPlace, key: StoredCloudAKey): Promise<Source[]> {
  const { Origin, CustomerMasterKeySpec: spec, KeyID: ref } = key.cloud_a_param
  if (Origin !== 'EXTERNAL') return []
  if (spec !== 'SYMMETRIC_DEFAULT') {
    const { local_key_id, local_key_name } = key
    return [await held(context, local_key_id && { local_key_id, local_key_name }, null)]
  }
  const generations = await cloudA.rotations(home, ref)
  const lasting = generations.filter(
    ({ KeyMaterialState: state, ImportState }) =>
      (state === 'CURRENT' || state === 'NON_CURRENT') && ImportState === 'IMPORTED',
  )
  const ids = lasting.map(({ KeyMaterialId: id = '' }) => id)
  return Promise.all(ids.map((id) => held(context, key.materials?.[id], id)))
}

/** @throws Refusal STATE_CONFLICT unless it is from an existing local key, and as `findKeyForCloud` */
async function held(
  context: Context,
  source: MaterialSource | '' | undefined,
  materialId: string | null,
): Promise<Source> {
  if (!source || (await localKeys.get(context.caller.domain.id, source.local_key_id)) === undefined) throw notHeld()
  await findKeyForCloud(context, source.local_key_id, '#')
  return { source, materialId }
}

/** Ours: about nine seconds; the cloud documents less for most replicas, and more for some. */
const PAUSES_MS = [250, 500, 1_000, 1_500, 2_500, 3_500]

/** Waits until the cloud has created a replica, so that material can be imported. @throws Refusal CLOUD_TIMEOUT */
async function untilMade(place: CloudAPlace, ref: string): Promise<void> {
  for (const ms of PAUSES_MS) {
    const read = await cloudA.read(place, ref)
    if (read !== undefined && read.param.KeyState !== 'Creating') return
    await wait(ms, place.budget)
  }
  throw new Refusal('CLOUD_TIMEOUT', 'The cloud is still making the replica; its material follows once it is there.')
}

async function fill(context: Context, place: CloudAPlace, input: Replicating, { source, materialId }: Source) {
  const { spec, validTo } = input.spec
  const generation = materialId !== null && ({ importType: 'EXISTING_KEY_MATERIAL', materialId } as const)
  const how = { spec, validTo, ...generation }
  await withMaterial(context, recipientIn(keyKind, input.home), source.local_key_id, (material) =>
    cloudA.importMaterial(place, input.ref, material, how),
  )
  return true
}

/** @throws Refusal STATE_CONFLICT when the region has a replica already, which an undo must not delete */
async function assertFree(place: CloudAPlace, ref: string): Promise<boolean> {
  if ((await cloudA.read(place, ref)) === undefined) return true
  throw new Refusal('STATE_CONFLICT', `The key has a replica in ${place.region} already.`)
}

/** Replicates a multi-region key into another region, and imports the material that the cloud does not copy. */
export const replicating: KeySaga<Replicating, Replicated> = {
  name: 'replicate-cloud-a-key',
  entity: answeredKeys,
  lasting: [MADE],
  unrecorded: (context, { home }, refs) => unrecordedIn(keyKind, context, home, refs),
  undo: (context, input, journal) => cleanUp(keyKind, context, input, journal),
  run: async (context, input, journal) => {
    const place = await reach(keyKind, context, input.home)
    const home = { ...place, region: input.primary_region }
    const { item: key } = await keyById(keyKind, context, input.primary_id)
    const sources = await journal.step('sources', () => sourcesOf(context, home, key))
    await journal.step('free', () => assertFree(place, input.ref))
    await journal.step(MADE, async () => {
      await cloudA.replicate(home, input.ref, place.region, input.spec)
      return input.ref
    })
    if (sources.length > 0) await untilMade(place, input.ref)
    for (const [at, source] of sources.entries())
      await journal.step(`material ${at}`, () => fill(context, place, input, source))
    const made = await cloudA.read(place, input.ref)
    if (made === undefined) throw new Refusal('CLOUD_NOT_FOUND', 'The cloud no longer has the replica it just made.')
    return { made, primary: (await cloudA.read(home, input.ref)) ?? null, sources }
  },
  settle: async (context, input, { made, primary, sources }) => {
    const { changes, caller, now } = context
    const before = await keyById(keyKind, context, input.primary_id)
    const after = refreshed(before.item, primary ?? undefined, now)
    if (after !== before.item) changes.update(cloudAKeys, caller.domain.id, before, after)
    const known: Partial<StoredCloudAKey> = {
      ...input.known,
      key_material_origin: before.item.key_material_origin,
      ...(input.spec.policy !== undefined && { replica_policy: parsePolicy(input.spec.policy, '#') }),
      ...sourcesAsRecorded(made, sources),
    }
    return recordMade(keyKind, context, { ...input, known }, { ref: input.ref, whole: made })
  },
}

/** The local keys of a replica's material, for its record. */
function sourcesAsRecorded({ param }: CloudAKeyRead, sources: readonly Source[]): Partial<StoredCloudAKey> {
  const current = sources.find(({ materialId }) => materialId === (param.CurrentKeyMaterialId ?? null))
  const generations = sources.flatMap(({ source, materialId }) =>
    materialId === null ? [] : [[materialId, source] as const],
  )
  return {
    ...(current && { key_source: 'local', ...current.source }),
    ...(generations.length > 0 && { materials: Object.fromEntries(generations) }),
  }
}

/** @throws Refusal STATE_CONFLICT, RULE_BROKEN */
function assertReplicable(key: StoredCloudAKey, { replica_region: region, valid_to }: ReplicateCloudAKey): void {
  assertManaged(key)
  const { KeyState, MultiRegionConfiguration, Origin } = key.cloud_a_param
  if (MultiRegionConfiguration?.MultiRegionKeyType !== 'PRIMARY')
    throw new Refusal('STATE_CONFLICT', 'Only the primary of a multi-region key can be replicated.')
  if (KeyState !== 'Enabled')
    throw new Refusal('STATE_CONFLICT', `A key in the state ${KeyState} cannot be replicated.`)
  const replicas = MultiRegionConfiguration.ReplicaKeys ?? []
  if (region === key.region || replicas.some(({ Region }) => Region === region))
    throw new Refusal('STATE_CONFLICT', `The key is in ${region} already.`)
  if (valid_to !== undefined && Origin !== 'EXTERNAL')
    throw new Refusal('RULE_BROKEN', 'Only imported material can expire.', {
      errors: [{ pointer: '#/valid_to', detail: 'is for keys with imported material' }],
    })
}

/**
 * The replica to create. Ours: only the material is that of the primary; policy, tags and description are the replica's
 * own. It is marked, so that a synchronization leaves its record to us. @throws Refusal RULE_BROKEN
 */
function specOf(
  id: string,
  key: StoredCloudAKey,
  body: ReplicateCloudAKey,
  { policy, template }: ChosenPolicy,
): CloudAKeySpec {
  const { Description, Tags = [], BypassPolicyLockoutSafetyCheck } = body.cloud_a_param
  assertNewTags(Tags, template === undefined ? 1 : 2)
  const { CustomerMasterKeySpec: spec, KeyUsage: usage = 'ENCRYPT_DECRYPT' } = key.cloud_a_param
  return {
    spec,
    usage,
    tags: [
      ...Tags,
      { TagKey: KEY_TAG, TagValue: id },
      ...(template === undefined ? [] : [{ TagKey: TEMPLATE_TAG, TagValue: template }]),
    ],
    description: Description,
    policy,
    bypassPolicyLockoutSafetyCheck: BypassPolicyLockoutSafetyCheck,
    multiRegion: true,
    validTo: body.valid_to,
  }
}

/**
 * Replicates a key into another region of its entry. Ours: requires the action that creates such a key, `keycreate` or,
 * for imported material, `keyupload`.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN, UNEXPORTABLE, and refusals of the cloud
 */
export const replicateKey = (context: Context, keyId: string, body: ReplicateCloudAKey): Promise<Stored<CloudAKey>> =>
  carryOut(context, replicating, async () => {
    const {
      stored: { item: key },
      container: { item: kms },
    } = await findKey(keyKind, context, keyId)
    nameKey(keyKind, context, key)
    assertMay(context.caller, kms, key.cloud_a_param.Origin === 'EXTERNAL' ? 'keyupload' : 'keycreate')
    assertActive(kms)
    assertRegion(kms, body.replica_region, '#/replica_region')
    assertReplicable(key, body)
    if (body.valid_to !== undefined) expiryOf(body.valid_to, context.now, '#/valid_to')
    const chosen = await choosePolicy(context, kms, { ...body, Policy: body.cloud_a_param.Policy })
    const id = uuid(context.now)
    const input: Replicating = {
      id,
      home: { container: kms.id, region: body.replica_region },
      primary_id: key.id,
      primary_region: key.region,
      ref: key.cloud_a_param.KeyID,
      spec: specOf(id, key, body, chosen),
      known: { ...chosen.lists, key_material_origin: key.key_material_origin },
    }
    return { id, subject: keyId, container: kms.id, input }
  })
