import { placeIn } from '../../../cloud/keys/place.ts'
import type { CloudAPlace } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import type { MaterialGeneration, MaterialQuery, MaterialRotationStatus } from './material-model.ts'
import type { StoredCloudAKey } from './store.ts'
import { sagas } from '../../../work/sagas/store.ts'
import { listedWhole, type ResourceList } from '../../../resource/listed.ts'
import { cloudA } from '../adapter.ts'
import { findKey } from '../../../cloud/keys/find-key.ts'
import { assertThere } from './key-rules.ts'
import { assertMaterialRotates, rotatingMaterial } from './rotate-material.ts'
import { keyKind } from './kind.ts'

/** An existing key that may have several generations of material. @throws Refusal NOT_FOUND, STATE_CONFLICT */
async function findWithGenerations(
  context: Context,
  id: string,
): Promise<{ key: StoredCloudAKey; place: CloudAPlace }> {
  const { stored, container: kms } = await findKey(keyKind, context, id)
  const { item: key } = stored
  assertThere(key)
  assertMaterialRotates(key)
  return { key, place: await placeIn(keyKind, context, kms.item, key.region) }
}

/** Whether a saga that rotates the key's material is open. */
async function isBeingAskedFor({ caller }: Context, keyId: string): Promise<boolean> {
  const saga = await sagas.find(caller.domain.id, 'subject', keyId)
  return saga?.item.kind === rotatingMaterial.name
}

/**
 * The state of the last rotation inside a key, read from the cloud now. Ours: a key that was never rotated reports
 * success.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT, and refusals of the cloud
 */
export async function materialRotationStatus(context: Context, id: string): Promise<MaterialRotationStatus> {
  const { key, place } = await findWithGenerations(context, id)
  const since = await cloudA.rotatingSince(place, key.cloud_a_param.KeyID)
  if (since !== undefined || (await isBeingAskedFor(context, id))) return { overall_status: 'in_progress' }
  if (key.rotation_refused !== undefined) return { overall_status: 'failed', error_details: key.rotation_refused }
  return { overall_status: 'success' }
}

/**
 * The generations of a key's material, as the cloud lists them, each with its local key if we imported it.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT, and refusals of the cloud
 */
export async function listMaterial(
  context: Context,
  id: string,
  query: MaterialQuery,
): Promise<ResourceList<MaterialGeneration>> {
  const { key, place } = await findWithGenerations(context, id)
  const generations = await cloudA.rotations(place, key.cloud_a_param.KeyID)
  const shown = generations.map((generation): MaterialGeneration => {
    const source = key.materials?.[generation.KeyMaterialId ?? '']
    if (source === undefined) return generation
    return { ...generation, source_key_identifier: source.local_key_id, source_key_name: source.local_key_name }
  })
  return listedWhole(shown, query, ({ RotationDate }) => RotationDate)
}
