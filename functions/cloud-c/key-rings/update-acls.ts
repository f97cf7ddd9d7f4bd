import { updateRingAcls } from '../../../shared/clouds/cloud-c/rings/rings.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCContainerPath, CloudCRing, UpdateCloudCAcls } from '../../../shared/clouds/cloud-c/projects/model.ts'

/** POST /v1/keymgr/cloud-c/key-rings/{id}/update-acls */
export const setAcls = operation(
  {
    says: 'Update Cloud-c Key Ring Permissions',
    path: CloudCContainerPath,
    body: UpdateCloudCAcls,
    answers: CloudCRing,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updateRingAcls(context, path.id, body)
    return ok(item, rev)
  },
)
