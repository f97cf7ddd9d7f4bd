import { findProjects } from '../../../shared/clouds/cloud-c/look-ups/look-ups.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { FindProjects, FoundProjects } from '../../../shared/clouds/cloud-c/projects/model.ts'

/** POST /v1/keymgr/cloud-c/get-projects: projects a connection reaches, one page, as the cloud says now. */
export const projects = operation(
  { says: 'Get Cloud-c Projects', body: FindProjects, answers: FoundProjects, may: 'keymgr-admins', reads: true },
  async ({ body, context }) => ok(await findProjects(context, body)),
)
