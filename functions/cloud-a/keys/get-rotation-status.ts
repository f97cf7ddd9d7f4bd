import { rotationStatusOf } from '../../../shared/clouds/cloud-a/keys/rotation-status.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKeyPath, KeyRotationStatus } from '../../../shared/clouds/cloud-a/keys/model.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/get-key-rotation-status: of the cloud's own rotation, as the cloud says now. */
export const rotationStatus = operation(
  {
    says: 'Get Cloud-a Key Rotation Status',
    path: CloudAKeyPath,
    answers: KeyRotationStatus,
    may: 'keymgr-users',
    reads: true,
  },
  async ({ path, context }) => ok(await rotationStatusOf(context, path.id)),
)
