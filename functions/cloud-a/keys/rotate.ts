import { rotateKey } from '../../../shared/clouds/cloud-a/keys/rotate-key.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudAKey, CloudAKeyPath, RotateCloudAKey } from '../../../shared/clouds/cloud-a/keys/model.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/rotate: answers the new key, whose `rotated_from` is the old one. */
export const rotate = operation(
  {
    says: 'Rotate Cloud-a Key',
    path: CloudAKeyPath,
    body: RotateCloudAKey,
    answers: CloudAKey,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await rotateKey(context, path.id, body)
    return created(item, rev)
  },
)
