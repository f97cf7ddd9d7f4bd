import { setPolicy as set } from '../../../shared/clouds/cloud-c/keys/key-policy.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCKeyPath, CloudCKeyPolicy, SetCloudCKeyPolicy } from '../../../shared/clouds/cloud-c/keys/model.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/policy: other bindings take the place of those there are. */
export const setPolicy = operation(
  {
    says: 'Set Cloud-c Key Policy',
    path: CloudCKeyPath,
    body: SetCloudCKeyPolicy,
    answers: CloudCKeyPolicy,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => ok(await set(context, path.id, body)),
)
