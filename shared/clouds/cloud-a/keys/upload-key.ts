import { defined } from '../../../base/fields.ts'
import { assertMaterialFits, expiryOf } from '../adapter/specs.ts'
import type { Context } from '../../../http/context.ts'
import { uuid } from '../../../base/ids.ts'
import type { UploadCloudAKey } from './bodies.ts'
import type { CloudAKey } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { kmsOfBody } from '../kms/kind.ts'
import { creatingCloudA, specOf } from './create-key.ts'
import { choosePolicy } from './policy-inputs.ts'

/**
 * Uploads a local key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, UNEXPORTABLE, STATE_CONFLICT, and refusals of the cloud
 */
export const uploadKey = (context: Context, body: UploadCloudAKey): Promise<Stored<CloudAKey>> =>
  carryOut(context, creatingCloudA, async () => {
    const { item: kms } = await kmsOfBody(context, body, 'keyupload')
    const { policytemplate, cloud_a_param: param } = body
    const chosen = await choosePolicy(context, kms, { ...body, Policy: param.Policy, policytemplate })
    const local = await findKeyForCloud(context, body.source_key_identifier, '#/source_key_identifier')
    assertMaterialFits(param.CustomerMasterKeySpec, shapeOf(local), kms.cloud_name)
    if (param.ValidTo !== undefined) expiryOf(param.ValidTo, context.now)
    const id = uuid(context.now)
    const home = { container: kms.id, region: body.region }
    const spec = { ...specOf(body, chosen), ...defined({ validTo: param.ValidTo }) }
    return { id, container: kms.id, input: { id, home, spec, known: chosen.lists, local_key_id: local.id } }
  })
