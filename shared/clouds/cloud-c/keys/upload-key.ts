import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { algorithmFor, assertMaterialFits } from '../adapter/specs.ts'
import { creatingCloudC, planned } from './create-key.ts'
import type { CloudCKey, UploadCloudCKey } from './model.ts'

/**
 * Uploads a local key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, NAME_TAKEN, RULE_BROKEN, UNEXPORTABLE, STATE_CONFLICT, and refusals of the
 * cloud
 */
export const uploadKey = (context: Context, body: UploadCloudCKey): Promise<Stored<CloudCKey>> =>
  carryOut(context, creatingCloudC, async () => {
    const made = await planned(context, body, 'keyupload')
    const { purpose, algorithm } = made.spec
    const local = await findKeyForCloud(context, body.source_key_id, '#/source_key_id')
    assertMaterialFits(algorithmFor(purpose, algorithm), shapeOf(local), '#/source_key_id')
    return { id: made.id, container: made.home.container, input: { ...made, local_key_id: local.id } }
  })
