import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { honourIfMatch } from '../../../http/if-match.ts'
import type { UpdateAcls } from '../../../cloud/containers/acl-model.ts'
import type { AddProject, CloudCProject, ProjectQuery, UpdateProject } from './model.ts'
import { cloudCProjects, type CloudCProjectRow, type StoredCloudCProject } from './store.ts'
import { cloudCRings, ringsOfProject } from '../rings/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { isKeymgrAdmin, may } from '../../../cloud/containers/acl.ts'
import { permissionsAfter } from '../../../cloud/containers/change-acls.ts'
import { listed, type ResourceList } from '../../../http/listed.ts'
import { connectionNamed, proveProject, unreached } from '../reached.ts'
import { CONTAINER_VIEWS, viewOf } from '../views.ts'
import { newProject, organizationOf, presentProject, presentStored, told } from './records.ts'

/** A project of the domain twice: of this cloud, each is managed once (interface "Container rules"). */
export const projectTaken = (_kind: string, projectId: string): Refusal =>
  new Refusal('NAME_TAKEN', `The project ${projectId} is there already.`, {
    errors: [{ pointer: '#/project_id', detail: 'is there already' }],
  })

/** @throws Refusal NOT_FOUND, also for a project the caller may not see */
async function findProject({ caller }: Pick<Context, 'caller'>, id: string): Promise<Stored<StoredCloudCProject>> {
  const stored = await cloudCProjects.get(caller.domain.id, id)
  if (stored === undefined || !may(caller, stored.item, ...CONTAINER_VIEWS))
    throw new Refusal('NOT_FOUND', 'There is no such project.')
  return stored
}

function recorded(
  context: Context,
  stored: Stored<StoredCloudCProject>,
  change: Partial<StoredCloudCProject>,
): Stored<CloudCProject> {
  const { caller, changes, now } = context
  const after: StoredCloudCProject = { ...stored.item, ...change, updatedAt: now.toISOString() }
  changes.update(cloudCProjects, caller.domain.id, stored, after)
  context.about({ uri: after.uri, name: after.project_id, ...told(stored.item, after) })
  return presentStored({ item: after, rev: stored.rev + 1 })
}

/**
 * Adds a project after the cloud was asked whether the connection reaches it. None of its rings comes along.
 * @throws Refusal NOT_FOUND for the connection, or a project it does not reach; NAME_TAKEN, RULE_BROKEN, CLOUD_…
 */
export async function addProject(context: Context, body: AddProject): Promise<Stored<CloudCProject>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const connection = await connectionNamed(context, body.connection)
  if ((await cloudCProjects.holder(domain, 'project', body.project_id)) !== undefined)
    throw projectTaken('project', body.project_id)
  const read = await proveProject(context, connection, body.project_id)
  if (read === undefined) throw unreached('#/project_id', 'project')
  const project = newProject(domain, connection.item, read, now)
  changes.create(cloudCProjects, domain, project, projectTaken)
  context.about({ uri: project.uri, name: project.project_id, after: told({}, project).after })
  return presentStored({ item: project, rev: 1 })
}

/** @throws Refusal NOT_FOUND */
export const getProject = async (context: Context, id: string): Promise<Stored<CloudCProject>> =>
  presentStored(await findProject(context, id))

/** The projects the caller may see. */
export async function listProjects({ caller }: Context, query: ProjectQuery): Promise<ResourceList<CloudCProject>> {
  const tests: ((row: CloudCProjectRow) => boolean)[] = []
  if (!isKeymgrAdmin(caller)) tests.push((row) => may(caller, row, ...CONTAINER_VIEWS))
  if (query.connection !== undefined) tests.push(usesOneOf(query.connection))
  return listed(cloudCProjects, caller.domain.id, query, {
    served: 'all',
    filters: { id: query.id, project_id: query.project_id, cloud_name: query.cloud_name },
    patterns: { name: query.name },
    matches: (row) => tests.every((test) => test(row)),
    narrowedBy: tests.length > 0,
    present: ({ item }) => presentProject(item),
  })
}

/** Whether a container uses one of these connections, by name or id. */
export const usesOneOf =
  (connections: readonly string[]) =>
  ({ connection, connection_id }: Pick<StoredCloudCProject, 'connection' | 'connection_id'>): boolean =>
    [connection, connection_id].some((one) => one !== undefined && connections.includes(one))

/** What another connection makes of the record. @throws Refusal NOT_FOUND, RULE_BROKEN unless it reaches the project */
async function throughAnother(
  context: Context,
  { project_id }: StoredCloudCProject,
  named: string,
): Promise<Partial<StoredCloudCProject>> {
  const connection = await connectionNamed(context, named)
  const read = await proveProject(context, connection, project_id)
  if (read === undefined) {
    const detail = `must reach the project ${project_id}`
    throw new Refusal('RULE_BROKEN', `connection ${detail}.`, { errors: [{ pointer: '#/connection', detail }] })
  }
  const { item } = connection
  return { ...organizationOf(read), connection: item.name, connection_id: item.id, cloud_name: item.cloud_name }
}

/**
 * Changes a project. Ours: its rings keep the connection they have.
 * @throws Refusal NOT_FOUND, VERSION_STALE, RULE_BROKEN, CLOUD_…
 */
export async function updateProject(context: Context, id: string, body: UpdateProject): Promise<Stored<CloudCProject>> {
  const stored = await findProject(context, id)
  honourIfMatch(context, stored)
  const { connection, enable_success_audit_event } = body
  return recorded(context, stored, {
    ...(connection !== undefined && (await throughAnother(context, stored.item, connection))),
    ...(enable_success_audit_event !== undefined && { enable_success_audit_event }),
  })
}

/**
 * Gives and takes actions. Rings that are added later begin with what the project has then; those there are, stay.
 * @throws Refusal NOT_FOUND, VERSION_STALE, RULE_BROKEN
 */
export async function updateProjectAcls(
  context: Context,
  id: string,
  body: UpdateAcls,
): Promise<Stored<CloudCProject>> {
  const stored = await findProject(context, id)
  honourIfMatch(context, stored)
  return recorded(context, stored, { acls: await permissionsAfter(context, stored.item.acls, body, viewOf) })
}

/** A project goes; the cloud is left alone. @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while it has rings */
export async function deleteProject(context: Context, id: string): Promise<void> {
  const { caller, changes } = context
  const stored = await findProject(context, id)
  honourIfMatch(context, stored)
  const { project_id, uri } = stored.item
  const rings = await cloudCRings.members(caller.domain.id, ringsOfProject(project_id))
  if (rings.length > 0)
    throw new Refusal('IN_USE', `${rings.length} key rings of the project ${project_id} are there: remove them first.`)
  changes.remove(cloudCProjects, caller.domain.id, stored)
  context.about({ uri, name: project_id, before: told(stored.item, {}).before })
}
