import { defined } from '../../../base/fields.ts'
import { ringParts } from '../adapter/names.ts'
import type { CloudCRing as CloudCRingRead } from '../adapter/types.ts'
import { addContainers, allFound, assertNoneThere } from '../../../cloud/containers/add-containers.ts'
import { newContainer } from '../../../cloud/containers/connection.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { AddRings, CloudCRing } from '../projects/model.ts'
import { cloudCProjects, type StoredCloudCProject } from '../projects/store.ts'
import type { StoredCloudCRing } from './store.ts'
import type { CloudCConnectionRecord } from '../connections/model.ts'
import type { Stored } from '../../../store/entity.ts'
import { newProject } from '../projects/projects.ts'
import { connectionNamed, proveProject, ringAt, unreached } from '../reached.ts'
import { ringKind } from './kind.ts'

/** The project of new rings: stages the condition that it stays, if it exists. */
async function projectFor(
  context: Context,
  connection: Stored<CloudCConnectionRecord>,
  projectId: string,
): Promise<StoredCloudCProject> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const read = await proveProject(context, connection, projectId)
  if (read === undefined) throw unreached('#/project_id', 'project')
  const there = await cloudCProjects.find(domain, 'project', projectId)
  if (there !== undefined) {
    changes.update(cloudCProjects, domain, there, there.item)
    return there.item
  }
  const project = newProject(domain, connection.item, read, now)
  context.uses('AddCloudCProject', project)
  changes.create(
    cloudCProjects,
    domain,
    project,
    () => new Refusal('STATE_CONFLICT', `The project ${projectId} is just being added; try again.`),
  )
  return project
}

/** The record of a new ring, with the permissions of its project. */
function newRing(
  domain: string,
  connection: CloudCConnectionRecord,
  { acls, organization_name, organization_display_name }: StoredCloudCProject,
  { name, create_time }: CloudCRingRead,
  now: Date,
): StoredCloudCRing {
  const { project, location, ring } = ringParts(name)
  return {
    ...newContainer(domain, 'cloud-c-key-ring', connection, now),
    name,
    key_ring_id: ring,
    project_id: project,
    location,
    ...defined({ organization_name, organization_display_name }),
    create_time,
    acls,
  }
}

/**
 * Adds rings of one project, and the project if it is not stored yet. No key is read.
 * @throws Refusal NOT_FOUND for the connection, and for rings that it does not reach; NAME_TAKEN, RULE_BROKEN, CLOUD_…
 */
export async function addRings(context: Context, { key_rings, project_id, ...body }: AddRings): Promise<CloudCRing[]> {
  const domain = context.caller.domain.id
  const named = { names: key_rings.map(({ name }) => name), pointerAt: (at: number) => `#/key_rings/${at}/name` }
  const connection = await connectionNamed(context, body.connection)
  await assertNoneThere(ringKind, domain, named)
  const project = await projectFor(context, connection, project_id)
  const read = (name: string) => ringAt(context, connection, name)
  const found = await allFound(ringKind.noun, named, read, 'is no ring that the connection reaches')
  const rings = found.map((ring) => newRing(domain, connection.item, project, ring, context.now))
  return addContainers(ringKind, context, rings, named, { uri: project.uri, name: project_id, list: 'key_rings' })
}
