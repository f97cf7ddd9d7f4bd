import { addProject } from '../../../shared/clouds/cloud-c/projects/projects.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { AddProject, CloudCProject } from '../../../shared/clouds/cloud-c/projects/model.ts'

/** POST /v1/keymgr/cloud-c/projects: none of its rings comes along. */
export const create = operation(
  { says: 'Add Cloud-c Project', body: AddProject, answers: CloudCProject, status: 201, may: 'keymgr-admins' },
  async ({ body, context }) => {
    const { item, rev } = await addProject(context, body)
    return created(item, rev)
  },
)
