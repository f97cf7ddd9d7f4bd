import { listProjects } from '../../../shared/domain/cloud-c/projects/projects.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCProject, ProjectQuery } from '../../../shared/model/cloud-c-project.ts'
import { listOf } from '../../../shared/model/common.ts'

/** GET /v1/keymgr/cloud-c/projects: those the caller may see. */
export const list = operation(
  { says: 'List Cloud-c Projects', query: ProjectQuery, answers: listOf(CloudCProject), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listProjects(context, query)),
)
