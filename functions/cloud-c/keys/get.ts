import { getKey } from '../../../shared/clouds/cloud-c/keys/get-key.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCKey, CloudCKeyPath } from '../../../shared/clouds/cloud-c/keys/model.ts'

/** GET /v1/keymgr/cloud-c/keys/{id} */
export const get = operation(
  { says: 'Get Cloud-c Key', path: CloudCKeyPath, answers: CloudCKey, may: 'keymgr-users' },
  async ({ path, context }) => {
    const { item, rev } = await getKey(context, path.id)
    return ok(item, rev)
  },
)
