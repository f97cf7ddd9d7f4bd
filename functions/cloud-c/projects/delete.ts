import { deleteProject } from '../../../shared/clouds/cloud-c/projects/projects.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { CloudCContainerPath } from '../../../shared/clouds/cloud-c/projects/model.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'

/** DELETE /v1/keymgr/cloud-c/projects/{id}: refused while it has rings; the cloud is left alone. */
export const remove = operation(
  { says: 'Delete Cloud-c Project', path: CloudCContainerPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteProject(context, path.id)
    return deleted()
  },
)
