import { ringParts } from '../adapter/names.ts'
import type { CloudCRing as CloudCRingRead } from '../adapter/types.ts'
import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import { changesTold } from '../../../cloud/containers/kind.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal, type BrokenField } from '../../../base/errors.ts'
import type { AddRings, CloudCRing } from '../projects/model.ts'
import { cloudCProjects, type StoredCloudCProject } from '../projects/store.ts'
import { cloudCRings, type StoredCloudCRing } from './store.ts'
import type { CloudCConnectionRecord } from '../connections/model.ts'
import type { Stored } from '../../../store/entity.ts'
import { newProject } from '../projects/projects.ts'
import { connectionNamed, proveProject, ringAt, unreached } from '../reached.ts'
import { ringKind } from './ring-kind.ts'

const pointerAt = (at: number): string => `#/key_rings/${at}/name`

/** Points at every name that is broken in some way. @throws Refusal */
function refuseWhere(
  names: readonly string[],
  isBroken: (name: string) => boolean,
  refusalOf: (errors: BrokenField[]) => Refusal,
  detail: string,
): void {
  const errors = names.flatMap((name, at) => (isBroken(name) ? [{ pointer: pointerAt(at), detail }] : []))
  if (errors.length > 0) throw refusalOf(errors)
}

/** @throws Refusal NAME_TAKEN pointing at every ring that is there */
async function assertNew(domain: string, names: readonly string[]): Promise<void> {
  const held = await Promise.all(names.map((name) => cloudCRings.holder(domain, 'name', name)))
  const there = new Set(names.filter((_, at) => held[at] !== undefined))
  refuseWhere(
    names,
    (name) => there.has(name),
    (errors) => new Refusal('NAME_TAKEN', 'Some of the key rings are there already.', { errors }),
    'is there already',
  )
}

/** The rings as the cloud has them. @throws Refusal NOT_FOUND pointing at every one it does not have */
async function ringsAt(
  context: Context,
  connection: Stored<CloudCConnectionRecord>,
  names: readonly string[],
): Promise<CloudCRingRead[]> {
  const found = await Promise.all(names.map((name) => ringAt(context, connection, name)))
  const absent = new Set(names.filter((_, at) => found[at] === undefined))
  refuseWhere(
    names,
    (name) => absent.has(name),
    (errors) => new Refusal('NOT_FOUND', 'The cloud does not have all of the key rings.', { errors }),
    'is no ring that the connection reaches',
  )
  return found.filter((ring) => ring !== undefined)
}

/** The project the rings go into: stages that it is there, and is not removed at the same moment. */
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
  changes.create(
    cloudCProjects,
    domain,
    project,
    () => new Refusal('STATE_CONFLICT', `The project ${projectId} is just being added; try again.`),
  )
  return project
}

/** The record of a ring that is added: it begins with its project's permissions. */
function newRing(
  domain: string,
  connection: CloudCConnectionRecord,
  { acls, organization_name, organization_display_name }: StoredCloudCProject,
  { name, create_time }: CloudCRingRead,
  now: Date,
): StoredCloudCRing {
  const id = uuid(now)
  const { project, location, ring } = ringParts(name)
  return {
    ...commonFields(domain, id, resourceUri(domain, 'keymgr', 'cloud-c-key-ring', id), now),
    name,
    key_ring_id: ring,
    project_id: project,
    location,
    connection: connection.name,
    connection_id: connection.id,
    cloud_name: connection.cloud_name,
    ...(organization_name !== undefined && { organization_name }),
    ...(organization_display_name !== undefined && { organization_display_name }),
    create_time,
    acls,
  }
}

/**
 * Adds rings of one project, and the project when it is not there yet. No key is read.
 * @throws Refusal NOT_FOUND for the connection, and for what it does not reach; NAME_TAKEN, RULE_BROKEN, CLOUD_…
 */
export async function addRings(context: Context, body: AddRings): Promise<CloudCRing[]> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const names = body.key_rings.map(({ name }) => name)
  const connection = await connectionNamed(context, body.connection)
  await assertNew(domain, names)
  const project = await projectFor(context, connection, body.project_id)
  const rings = (await ringsAt(context, connection, names)).map((read) =>
    newRing(domain, connection.item, project, read, now),
  )
  for (const ring of rings)
    changes.create(
      cloudCRings,
      domain,
      ring,
      (_kind, name) =>
        new Refusal('NAME_TAKEN', `The key ring ${name} is there already.`, {
          errors: [{ pointer: pointerAt(names.indexOf(name)), detail: 'is there already' }],
        }),
    )
  context.about({
    uri: rings[0]?.uri ?? project.uri,
    name: rings.length === 1 ? (names[0] ?? '') : body.project_id,
    after: { key_rings: names, ...changesTold(ringKind, {}, rings[0] ?? {}).after },
  })
  return rings.map(ringKind.present)
}
