import { updateProject } from '../../../shared/clouds/cloud-c/projects/projects.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCContainerPath, CloudCProject, UpdateProject } from '../../../shared/clouds/cloud-c/projects/model.ts'

/** PATCH /v1/keymgr/cloud-c/projects/{id}: another connection must reach it. */
export const update = operation(
  {
    says: 'Update Cloud-c Project',
    path: CloudCContainerPath,
    body: UpdateProject,
    answers: CloudCProject,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updateProject(context, path.id, body)
    return ok(item, rev)
  },
)
