import { listProjects } from '../../../shared/clouds/cloud-c/projects/projects.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCProject, ProjectQuery } from '../../../shared/clouds/cloud-c/projects/model.ts'
import { listOf } from '../../../shared/http/common-fields.ts'

/** GET /v1/keymgr/cloud-c/projects: those the caller may see. */
export const list = operation(
  { says: 'List Cloud-c Projects', query: ProjectQuery, answers: listOf(CloudCProject), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listProjects(context, query)),
)
