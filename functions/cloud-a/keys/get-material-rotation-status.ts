import { materialRotationStatus } from '../../../shared/clouds/cloud-a/keys/generations.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKeyPath, MaterialRotationStatus } from '../../../shared/clouds/cloud-a/keys/model.ts'

/** GET /v1/keymgr/cloud-a/keys/{id}/rotate-material/status: of the last rotation inside the key. */
export const insideRotationStatus = operation(
  {
    says: 'Get Cloud-a Key Material Rotation Status',
    path: CloudAKeyPath,
    answers: MaterialRotationStatus,
    may: 'keymgr-users',
  },
  async ({ path, context }) => ok(await materialRotationStatus(context, path.id)),
)
