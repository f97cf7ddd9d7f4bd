import { defined } from '../../../base/fields.ts'
import { usageFor } from '../adapter/specs.ts'
import { assertNewTags } from '../adapter/tags.ts'
import type { CloudAKeySpec } from '../adapter/types.ts'
import type { Context } from '../../../http/context.ts'
import { uuid } from '../../../base/ids.ts'
import type { CreateCloudAKey, UploadCloudAKey } from './bodies.ts'
import { TEMPLATE_TAG, type CloudAKey } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { kmsOfBody } from '../kms/kind.ts'
import { creating } from '../../../cloud/keys/creation.ts'
import { keyKind } from './kind.ts'
import { choosePolicy, type ChosenPolicy } from './policy-inputs.ts'

/**
 * The key to create, from a body's `cloud_a_param` and the policy that its inputs result in. @throws Refusal
 * RULE_BROKEN
 */
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
    ...defined({
      description: param.Description,
      policy,
      multiRegion: param.MultiRegion,
      bypassPolicyLockoutSafetyCheck: param.BypassPolicyLockoutSafetyCheck,
      alias: param.Alias,
    }),
  }
}

/** Creates a key: with material that the cloud generates, with a local key's, or without material for now. */
export const creatingCloudA = creating('create-cloud-a-key', keyKind)

/** @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT, and refusals of the cloud */
export const createKey = (context: Context, body: CreateCloudAKey): Promise<Stored<CloudAKey>> =>
  carryOut(context, creatingCloudA, async () => {
    const { item: kms } = await kmsOfBody(context, body, 'keycreate')
    const { cloud_a_param: param } = body
    const chosen = await choosePolicy(context, kms, { ...body, Policy: param.Policy })
    const id = uuid(context.now)
    const spec = { ...specOf(body, chosen), ...(param.Origin === 'EXTERNAL' && { empty: true }) }
    const home = { container: kms.id, region: body.region }
    return { id, container: kms.id, input: { id, home, spec, known: chosen.lists } }
  })
