import { createKey } from '../../../shared/clouds/cloud-a/keys/create-key.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudAKey, CreateCloudAKey } from '../../../shared/clouds/cloud-a/keys/model.ts'

/** POST /v1/keymgr/cloud-a/keys: the cloud makes the material, or waits for it to be imported. */
export const create = operation(
  { says: 'Create Cloud-a Key', body: CreateCloudAKey, answers: CloudAKey, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => {
    const { item, rev } = await createKey(context, body)
    return created(item, rev)
  },
)
