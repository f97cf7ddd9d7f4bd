import { getKey } from '../../../shared/domain/cloud-a/keys/get-key.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKey, CloudAKeyPath } from '../../../shared/model/cloud-a-key.ts'

/** GET /v1/keymgr/cloud-a/keys/{id}: as it is on record. */
export const get = operation(
  { says: 'Get Cloud-a Key', path: CloudAKeyPath, answers: CloudAKey, may: 'keymgr-users' },
  async ({ path, context }) => {
    const { item, rev } = await getKey(context, path.id)
    return ok(item, rev)
  },
)
