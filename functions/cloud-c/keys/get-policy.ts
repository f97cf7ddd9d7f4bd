import { getPolicy } from '../../../shared/clouds/cloud-c/keys/key-policy.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCKeyPath, CloudCKeyPolicy } from '../../../shared/clouds/cloud-c/keys/model.ts'

/** GET /v1/keymgr/cloud-c/keys/{id}/policy: as the cloud has it now. */
export const policy = operation(
  { says: 'Get Cloud-c Key Policy', path: CloudCKeyPath, answers: CloudCKeyPolicy, may: 'keymgr-users' },
  async ({ path, context }) => ok(await getPolicy(context, path.id)),
)
