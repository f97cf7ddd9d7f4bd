import { createKey } from '../../../shared/clouds/cloud-c/keys/create-key.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudCKey, CreateCloudCKey } from '../../../shared/clouds/cloud-c/keys/model.ts'

/** POST /v1/keymgr/cloud-c/keys: a key with a first version that the cloud makes; without one when it is `import_only`. */
export const create = operation(
  { says: 'Create Cloud-c Key', body: CreateCloudCKey, answers: CloudCKey, status: 201, may: 'keymgr-users' },
  async ({ body, context }) => {
    const { item, rev } = await createKey(context, body)
    return created(item, rev)
  },
)
