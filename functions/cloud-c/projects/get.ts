import { getProject } from '../../../shared/clouds/cloud-c/projects/projects.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCContainerPath, CloudCProject } from '../../../shared/clouds/cloud-c/projects/model.ts'

/** GET /v1/keymgr/cloud-c/projects/{id} */
export const get = operation(
  { says: 'Get Cloud-c Project', path: CloudCContainerPath, answers: CloudCProject, may: 'keymgr-users' },
  async ({ path, context }) => {
    const { item, rev } = await getProject(context, path.id)
    return ok(item, rev)
  },
)
