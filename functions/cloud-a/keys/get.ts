import { getKey } from '../../../shared/clouds/cloud-a/keys/get-key.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKey, CloudAKeyPath } from '../../../shared/clouds/cloud-a/keys/model.ts'

/** GET /v1/keymgr/cloud-a/keys/{id}: as it is on record. */
export const get = operation(
  { says: 'Get Cloud-a Key', path: CloudAKeyPath, answers: CloudAKey, may: 'keymgr-users' },
  async ({ path, context }) => {
    const { item, rev } = await getKey(context, path.id)
    return ok(item, rev)
  },
)
