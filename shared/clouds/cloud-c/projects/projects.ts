import { defined } from '../../../base/fields.ts'
import type { CloudCProjectRead } from '../adapter/types.ts'
import { counted } from '../../../base/counted.ts'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { connectedBy, newContainer } from '../../../cloud/containers/connection.ts'
import { addContainer, changeContainer, removeContainer } from '../../../cloud/containers/change-container.ts'
import type { CloudCConnectionRecord } from '../connections/model.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { connectionNamed, proveProject, unreached } from '../reached.ts'
import { cloudCRings, ringsOfProject } from '../rings/store.ts'
import type { AddProject, CloudCProject, UpdateProject } from './model.ts'
import { projectKind } from './kind.ts'
import { cloudCProjects, type StoredCloudCProject } from './store.ts'

/** The refusal of a project that the domain already has: each is managed once. */
const projectTaken = (projectId: string): Refusal =>
  new Refusal('NAME_TAKEN', `The project ${projectId} is there already.`, {
    errors: [{ pointer: '#/project_id', detail: 'is there already' }],
  })

/** The organization above a project, if the cloud reports it. */
const organizationOf = ({ organization_name, organization_display_name }: CloudCProjectRead) =>
  defined({ organization_name, organization_display_name })

/** The record of a new project. */
export const newProject = (
  domain: string,
  connection: CloudCConnectionRecord,
  read: CloudCProjectRead,
  now: Date,
): StoredCloudCProject => ({
  ...newContainer(domain, 'cloud-c-project', connection, now),
  project_id: read.project_id,
  name: read.name,
  ...organizationOf(read),
  enable_success_audit_event: false,
})

/**
 * Adds a project after a call verified that the connection reaches it. Its rings are not added.
 * @throws Refusal NOT_FOUND for the connection, or a project that it does not reach; NAME_TAKEN, RULE_BROKEN, CLOUD_…
 */
export async function addProject(context: Context, body: AddProject): Promise<Stored<CloudCProject>> {
  const domain = context.caller.domain.id
  const connection = await connectionNamed(context, body.connection)
  if ((await cloudCProjects.holder(domain, 'project', body.project_id)) !== undefined)
    throw projectTaken(body.project_id)
  const read = await proveProject(context, connection, body.project_id)
  if (read === undefined) throw unreached('#/project_id', 'project')
  return addContainer(projectKind, context, newProject(domain, connection.item, read, context.now), projectTaken)
}

/** The record's fields with another connection. @throws Refusal NOT_FOUND, RULE_BROKEN unless it reaches the project */
async function throughAnother(
  context: Context,
  { project_id }: StoredCloudCProject,
  named: string,
): Promise<Partial<StoredCloudCProject>> {
  const connection = await connectionNamed(context, named)
  const read = await proveProject(context, connection, project_id)
  if (read === undefined) throw ruleBroken('connection', `must reach the project ${project_id}`)
  return { ...organizationOf(read), ...connectedBy(connection.item) }
}

/**
 * Changes a project. Ours: its rings keep their connections.
 * @throws Refusal NOT_FOUND, VERSION_STALE, RULE_BROKEN, CLOUD_…
 */
export const updateProject = (context: Context, id: string, body: UpdateProject): Promise<Stored<CloudCProject>> =>
  changeContainer(projectKind, context, id, async (project) => {
    const { connection, enable_success_audit_event } = body
    return {
      ...project,
      ...(connection !== undefined && (await throughAnother(context, project, connection))),
      ...defined({ enable_success_audit_event }),
    }
  })

/** Removes a project; the cloud does not change. @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while it has rings */
export const deleteProject = (context: Context, id: string): Promise<void> =>
  removeContainer(projectKind, context, id, async ({ project_id }) => {
    const { length } = await cloudCRings.members(context.caller.domain.id, ringsOfProject(project_id))
    if (length > 0)
      throw new Refusal(
        'IN_USE',
        `${counted(length, 'key ring')} of the project ${project_id} must be removed first: the list of rings finds them by project_id.`,
      )
  })
