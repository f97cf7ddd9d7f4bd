import { rotateMaterial } from '../../../shared/clouds/cloud-a/keys/rotate-material.ts'
import { accepted, operation } from '../../../shared/http/operation.ts'
import { CloudAKey, CloudAKeyPath, RotateMaterial } from '../../../shared/clouds/cloud-a/keys/model.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/rotate-material: begins a rotation inside the key, which the cloud ends. */
export const rotateInside = operation(
  {
    says: 'Rotate Cloud-a Key Material',
    path: CloudAKeyPath,
    body: RotateMaterial,
    answers: CloudAKey,
    status: 202,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => {
    const { item } = await rotateMaterial(context, path.id, body)
    return accepted(item)
  },
)
