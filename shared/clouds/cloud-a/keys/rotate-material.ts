import { expiryOf } from '../adapter/specs.ts'
import type { CloudAPlace } from '../adapter/types.ts'
import { doOnce } from '../../../base/journal.ts'
import type { Context } from '../../../http/context.ts'
import { assertNotGiven, Refusal } from '../../../base/errors.ts'
import type { RotateMaterial } from './material-model.ts'
import type { CloudAKey } from './model.ts'
import type { StoredCloudAKey } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { without } from '../../../base/fields.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { cloudA } from '../adapter.ts'
import { bringMaterial, changingMaterial, type Bringing } from './bring-material.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { assertManaged } from './key-rules.ts'
import { sourceNamed } from './import-material.ts'
import { keyKind } from './kind.ts'

interface RotatingMaterial extends Bringing {
  readonly key_id: string
  /** whether the request describes new material, which then must be imported */
  readonly must_bring: boolean
}

/** The key before the rotation. */
interface Before {
  /** the cloud's id of the generation in use; `null` when it gives none */
  readonly current: string | null
  /** whether imported material is pending rotation, so that no import is needed */
  readonly waits: boolean
}

const BEFORE = 'before'

const isImported = ({ cloud_a_param: { Origin } }: StoredCloudAKey): boolean => Origin === 'EXTERNAL'

async function generationsOf(place: CloudAPlace, ref: string): Promise<Before> {
  const generations = await cloudA.rotations(place, ref)
  const current = generations.find(({ KeyMaterialState: state }) => state === 'CURRENT')
  return {
    current: current?.KeyMaterialId ?? null,
    waits: generations.some(({ KeyMaterialState: state }) => state?.startsWith('PENDING_') === true),
  }
}

/**
 * Refuses a rotation that the cloud would refuse only after the import. Ours: material of a multi-region key must be in
 * every replica before the rotation; it is imported into each of them, and then pends rotation.
 * @throws Refusal STATE_CONFLICT
 */
async function assertReady(
  place: CloudAPlace,
  key: StoredCloudAKey,
  { must_bring }: RotatingMaterial,
): Promise<Before> {
  const { KeyID: ref, MultiRegionConfiguration } = key.cloud_a_param
  if ((await cloudA.rotatingSince(place, ref)) !== undefined)
    throw new Refusal('STATE_CONFLICT', "A rotation of the key's material is under way already.")
  const before = await generationsOf(place, ref)
  if (before.waits && must_bring)
    throw new Refusal(
      'STATE_CONFLICT',
      'Other material waits in the key for its rotation: rotate without a source key, or delete that material first.',
    )
  if (isImported(key) && !before.waits && (MultiRegionConfiguration?.ReplicaKeys ?? []).length > 0)
    throw new Refusal(
      'STATE_CONFLICT',
      'The key has replicas: import new material into the primary and then into each of them, and rotate after that.',
    )
  return before
}

/** Replaces the material inside a key; for imported material, by the pending material or by a new import. */
export const rotatingMaterial = changingMaterial<RotatingMaterial>('rotate-cloud-a-material', {
  work: async (context, { place, key }, input, journal) => {
    const ref = key.cloud_a_param.KeyID
    const before = await journal.step(BEFORE, () => assertReady(place, key, input))
    const isBrought = isImported(key) && !before.waits
    const brought = isBrought ? await bringMaterial(context, { place, key }, input, journal) : null
    await doOnce(
      journal,
      'begun',
      () => cloudA.rotateNow(place, ref),
      async () =>
        (await cloudA.rotatingSince(place, ref)) !== undefined ||
        (await generationsOf(place, ref)).current !== before.current,
    )
    return brought
  },
  then: (key, now) => ({ ...without(key, 'rotation_refused'), rotated_at: now.toISOString() }),
  refused: (key, journal) =>
    journal.noted(BEFORE) === undefined
      ? key
      : { ...key, rotation_refused: 'The last rotation that was asked for was refused; its audit record says why.' },
})

/** @throws Refusal STATE_CONFLICT for a key whose material cannot change */
export function assertMaterialRotates({
  cloud_a_param: { CustomerMasterKeySpec: spec, Origin },
}: StoredCloudAKey): void {
  if (spec !== 'SYMMETRIC_DEFAULT' || (Origin !== 'CLOUD_A_KMS' && Origin !== 'EXTERNAL'))
    throw new Refusal(
      'STATE_CONFLICT',
      'Only the material of symmetric keys, imported or made by the cloud, can be rotated.',
    )
}

/** @throws Refusal STATE_CONFLICT */
function assertRotatable(key: StoredCloudAKey): void {
  assertManaged(key)
  assertMaterialRotates(key)
  const { KeyState, MultiRegionConfiguration } = key.cloud_a_param
  if (MultiRegionConfiguration?.MultiRegionKeyType === 'REPLICA')
    throw new Refusal('STATE_CONFLICT', 'The material of a replica is rotated with its primary.')
  if (KeyState !== 'Enabled')
    throw new Refusal('STATE_CONFLICT', `The material of a key in the state ${KeyState} cannot be rotated.`)
}

const OF_IMPORTED = ['source_key_identifier', 'key_expiration', 'valid_to'] as const

/**
 * Starts a rotation inside the key, which the cloud completes. Without a source key, a key with imported material gets
 * its pending material, or that of a new local key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN, UNEXPORTABLE, and refusals of the cloud
 */
export const rotateMaterial = (context: Context, keyId: string, body: RotateMaterial): Promise<Stored<CloudAKey>> =>
  carryOut(context, rotatingMaterial, async () => {
    const { stored, container: kms } = await findKeyFor(keyKind, context, keyId, 'keyrotate')
    const { item: key } = stored
    assertRotatable(key)
    if (!isImported(key))
      assertNotGiven(body, OF_IMPORTED, {
        message: 'The cloud makes the material of this key itself.',
        detail: 'is for keys with imported material',
      })
    const { source_key_identifier: reference, valid_to: validTo } = body
    if (validTo !== undefined) expiryOf(validTo, context.now, '#/valid_to')
    const source = await sourceNamed(context, key, reference, kms.item.cloud_name)
    const input: RotatingMaterial = {
      key_id: keyId,
      ...source,
      how: { spec: key.cloud_a_param.CustomerMasterKeySpec, validTo, importType: 'NEW_KEY_MATERIAL' },
      must_bring: reference !== undefined || validTo !== undefined,
    }
    return { subject: keyId, container: key.kms_id, input }
  })
