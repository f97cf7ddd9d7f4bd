import { replicateKey } from '../../../shared/clouds/cloud-a/keys/replicate-key.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudAKey, CloudAKeyPath, ReplicateCloudAKey } from '../../../shared/clouds/cloud-a/keys/model.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/replicate-key: answers the copy, which the cloud may still be making. */
export const replicate = operation(
  {
    says: 'Replicate Cloud-a Key',
    path: CloudAKeyPath,
    body: ReplicateCloudAKey,
    answers: CloudAKey,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await replicateKey(context, path.id, body)
    return created(item, rev)
  },
)
