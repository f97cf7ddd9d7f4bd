import { assertMaterialFits, expiryOf, usageFor } from '../adapter/specs.ts'
import { assertNewTags } from '../adapter/tags.ts'
import type { CloudAKeySpec } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { uuid } from '../../../base/ids.ts'
import type { CreateCloudAKey, UploadCloudAKey } from './bodies.ts'
import { TEMPLATE_TAG, type CloudAKey } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { kmsOfBody } from '../kms/kind.ts'
import { uploadingKey } from '../../../cloud/keys/make-key.ts'
import type { CloudATypes } from './kind.ts'
import { making, type Making } from './making.ts'
import { choosePolicy, type ChosenPolicy } from './policy-inputs.ts'

export interface Uploading extends Making {
  readonly local_key_id: string
}

/** The key to make, from a body's `cloud_a_param` and the policy its inputs come to. @throws Refusal RULE_BROKEN */
export function specOf(
  { cloud_a_param: param }: Pick<CreateCloudAKey | UploadCloudAKey, 'cloud_a_param'>,
  { policy, template }: ChosenPolicy,
): CloudAKeySpec {
  assertNewTags(param.Tags, template === undefined ? 1 : 2)
  const tags = [
    ...(param.Tags ?? []),
    ...(template === undefined ? [] : [{ TagKey: TEMPLATE_TAG, TagValue: template }]),
  ]
  return {
    spec: param.CustomerMasterKeySpec,
    usage: usageFor(param.CustomerMasterKeySpec, param.KeyUsage),
    tags,
    ...(param.Description !== undefined && { description: param.Description }),
    ...(policy !== undefined && { policy }),
    ...(param.MultiRegion !== undefined && { multiRegion: param.MultiRegion }),
    ...(param.BypassPolicyLockoutSafetyCheck !== undefined && {
      bypassPolicyLockoutSafetyCheck: param.BypassPolicyLockoutSafetyCheck,
    }),
    ...(param.Alias !== undefined && { alias: param.Alias }),
  }
}

/** Makes a key in the cloud and brings a local key's material into it. */
export const uploading = uploadingKey<CloudATypes, Uploading>('upload-cloud-a-key', making)

/**
 * Uploads a local key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, UNEXPORTABLE, STATE_CONFLICT, and the cloud's own
 */
export const uploadKey = (context: Context, body: UploadCloudAKey): Promise<Stored<CloudAKey>> =>
  carryOut(context, uploading, async () => {
    const { item: kms } = await kmsOfBody(context, body, 'keyupload')
    const { policytemplate, cloud_a_param: param } = body
    const chosen = await choosePolicy(context, kms, { ...body, Policy: param.Policy, policytemplate })
    const local = await findKeyForCloud(context, body.source_key_identifier, '#/source_key_identifier')
    assertMaterialFits(param.CustomerMasterKeySpec, shapeOf(local), kms.cloud_name)
    if (param.ValidTo !== undefined) expiryOf(param.ValidTo, context.now)
    const id = uuid(context.now)
    const input: Uploading = {
      id,
      kms_id: kms.id,
      region: body.region,
      local_key_id: local.id,
      spec: { ...specOf(body, chosen), ...(param.ValidTo !== undefined && { validTo: param.ValidTo }) },
      ...(chosen.lists && { lists: chosen.lists }),
    }
    return { id, container: kms.id, input }
  })
