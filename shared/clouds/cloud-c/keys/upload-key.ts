import { uuid } from '../../../base/ids.ts'
import { uploadingKey } from '../../../cloud/keys/make-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { algorithmFor, assertMaterialFits } from '../adapter/specs.ts'
import { assertNameFree, making, ringOfBody, type Making } from './create-key.ts'
import type { CloudCTypes } from './kinds.ts'
import type { CloudCKey, UploadCloudCKey } from './model.ts'

interface Uploading extends Making {
  readonly local_key_id: string
}

/** Makes a key and brings a local key's material into its first version, through an import job. */
export const uploadingCloudC = uploadingKey<CloudCTypes, Uploading>('upload-cloud-c-key', making)

/**
 * Uploads a local key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, NAME_TAKEN, RULE_BROKEN, UNEXPORTABLE, STATE_CONFLICT, and the cloud's own
 */
export const uploadKey = (context: Context, body: UploadCloudCKey): Promise<Stored<CloudCKey>> =>
  carryOut(context, uploadingCloudC, async () => {
    const { item: ring } = await ringOfBody(context, body.key_ring, 'keyupload')
    const { cloud_c_params: spec } = body
    await assertNameFree(context, ring, spec.key_name)
    const local = await findKeyForCloud(context, body.source_key_id, '#/source_key_id')
    assertMaterialFits(algorithmFor(spec.purpose, spec.algorithm), shapeOf(local), '#/source_key_id')
    const id = uuid(context.now)
    return { id, container: ring.id, input: { id, ring_id: ring.id, spec, local_key_id: local.id } }
  })
