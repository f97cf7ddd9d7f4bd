import { updateProjectAcls } from '../../../shared/clouds/cloud-c/projects/projects.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCContainerPath, CloudCProject, UpdateCloudCAcls } from '../../../shared/clouds/cloud-c/projects/model.ts'

/** POST /v1/keymgr/cloud-c/projects/{id}/update-acls */
export const setAcls = operation(
  {
    says: 'Update Cloud-c Project Permissions',
    path: CloudCContainerPath,
    body: UpdateCloudCAcls,
    answers: CloudCProject,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updateProjectAcls(context, path.id, body)
    return ok(item, rev)
  },
)
