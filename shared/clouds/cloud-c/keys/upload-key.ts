import { uploadingKey } from '../../../cloud/keys/make-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { algorithmFor, assertMaterialFits } from '../adapter/specs.ts'
import { making, planned, type Making } from './create-key.ts'
import type { CloudCTypes } from './kind.ts'
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
    const made = await planned(context, body, 'keyupload')
    const { purpose, algorithm } = made.spec
    const local = await findKeyForCloud(context, body.source_key_id, '#/source_key_id')
    assertMaterialFits(algorithmFor(purpose, algorithm), shapeOf(local), '#/source_key_id')
    return { id: made.id, container: made.ring_id, input: { ...made, local_key_id: local.id } }
  })
