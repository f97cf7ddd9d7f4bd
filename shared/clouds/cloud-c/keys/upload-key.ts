import { algorithmFor, assertMaterialFits } from '../adapter/specs.ts'
import { MADE } from '../../../cloud/contract.ts'
import type { Context } from '../../../http/context.ts'
import { uuid } from '../../../base/ids.ts'
import type { CloudCKey, UploadCloudCKey } from './model.ts'
import { cloudCKeys } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, recordExport, shapeOf, withMaterial } from '../../../vault/keys/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { cloudC } from '../place.ts'
import { assertNameFree, ringOfBody } from './create-key.ts'
import { reach, readMade, recordFailed, recordMade, unrecordedIn, type KeySaga, type Making } from './making.ts'
import { presentKey, type WholeKey } from './records.ts'
import { sourceOf } from './source.ts'

interface Uploading extends Making {
  readonly local_key_id: string
}

/** Makes a key and brings a local key's material into its first version, through an import job. */
export const uploadingCloudC: KeySaga<Uploading, WholeKey> = {
  name: 'upload-cloud-c-key',
  entity: cloudCKeys,
  unrecorded: unrecordedIn,
  undo: async (context, input, journal) => {
    if (journal.noted(MADE) !== undefined) await recordExport(context, input.local_key_id) // the cloud may have its material
    await recordFailed(context, input, journal, await sourceOf(context, input.local_key_id))
  },
  run: async (context, input, journal) => {
    const place = await reach(context, input.ring_id)
    const cloud = await cloudC()
    await withMaterial(context, input.local_key_id, (material) => cloud.upload(place, input.spec, material, journal))
    return readMade(place, String(journal.noted(MADE)))
  },
  settle: async (context, input, whole) => {
    await recordExport(context, input.local_key_id)
    const source = await sourceOf(context, input.local_key_id)
    return recordMade(context, input, whole, { create_status: 'success' }, source)
  },
}

/**
 * Uploads a local key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, NAME_TAKEN, RULE_BROKEN, UNEXPORTABLE, STATE_CONFLICT, and the cloud's own
 */
export async function uploadKey(context: Context, body: UploadCloudCKey): Promise<Stored<CloudCKey>> {
  const made = await carryOut(context, uploadingCloudC, async () => {
    const { item: ring } = await ringOfBody(context, body.key_ring, 'keyupload')
    const { cloud_c_params: spec } = body
    await assertNameFree(context, ring, spec.key_name)
    const local = await findKeyForCloud(context, body.source_key_id, '#/source_key_id')
    assertMaterialFits(algorithmFor(spec.purpose, spec.algorithm), shapeOf(local), '#/source_key_id')
    const id = uuid(context.now)
    return { id, container: ring.id, input: { id, ring_id: ring.id, spec, local_key_id: local.id } }
  })
  return presentKey(made, undefined)
}
