import { timeRead, UNKNOWN_TIME } from '../../../cloud/adapter/dates.ts'
import { defined } from '../../../base/fields.ts'
import type * as z from 'zod'
import { ask } from './client.ts'
import { Refusal } from '../../../base/errors.ts'
import { lastPart, locationId, projectId, ringName } from './names.ts'
import { nextOf } from './reading.ts'
import type { CloudC, CloudCConnection, CloudCEntry, CloudCPage, CloudCPageQuery, CloudCProjectRead } from './types.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import type { Project } from './wire.ts'
import { Folder, LocationPage, Organization, ProjectPage, Ring, RingPage, RolePage } from './wire.ts'

/** The cloud nests folders up to ten levels deep. */
const FOLDERS_MOST = 10

const pageOf = ({ page_size: pageSize, page_token: pageToken }: CloudCPageQuery) => ({ pageSize, pageToken })

function page<Item>(items: readonly Item[], reply: { nextPageToken?: string | undefined }): CloudCPage<Item> {
  const next = nextOf(reply)
  return { items, ...defined({ next_page_token: next }) }
}

const projectRead = ({ name, projectId: id, displayName }: z.infer<typeof Project>) => ({
  project_id: id,
  name: displayName === '' ? id : displayName,
  number: lastPart(name),
})

export const projects: CloudC['projects'] = async (entry, query) => {
  const path = '/v3/projects:search'
  const reply = await ask(entry, {
    service: 'resourceManager',
    method: 'GET',
    path,
    query: pageOf(query),
    reply: ProjectPage,
  })
  return page(reply.projects.map(projectRead), reply)
}

/** Reads one project, to verify that the credentials are accepted. */
export async function test(connection: CloudCConnection, budget: AbortSignal): Promise<void> {
  await projects({ connection, budget, patience: 'request' }, { page_size: 1 })
}

/** The cloud's answer is the same for a resource that does not exist and for one that we may not see. */
async function ifSeen<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await ifThere(work)
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'CLOUD_DENIED') return undefined
    throw error
  }
}

const resource = <Reply extends z.ZodType>(entry: CloudCEntry, name: string, reply: Reply): Promise<z.infer<Reply>> =>
  ask(entry, { service: 'resourceManager', method: 'GET', path: `/v3/${name}`, reply })

/** The organization above a project, reached through its folders; `undefined` if there is none or it cannot be seen. */
async function organizationAbove(
  entry: CloudCEntry,
  parent: string,
): Promise<Pick<CloudCProjectRead, 'organization_name' | 'organization_display_name'>> {
  let above: string | undefined = parent
  for (let folders = 0; above?.startsWith('folders/') && folders < FOLDERS_MOST; folders++)
    above = (await ifSeen(resource(entry, above, Folder)))?.parent
  if (above?.startsWith('organizations/') !== true) return {}
  const organization = await ifSeen(resource(entry, above, Organization))
  return { organization_name: above, organization_display_name: organization?.displayName }
}

export const project: CloudC['project'] = async (entry, id) => {
  const found = await ask(entry, {
    service: 'resourceManager',
    method: 'GET',
    path: '/v3/projects:search',
    query: { query: `id:${projectId(id)}` },
    reply: ProjectPage,
  })
  const seen = found.projects.find((each) => each.projectId === id)
  return seen && { ...projectRead(seen), ...(await organizationAbove(entry, seen.parent)) }
}

export const locations: CloudC['locations'] = async (entry, id, query) => {
  const path = `/v1/projects/${projectId(id)}/locations`
  const reply = await ask(entry, { service: 'kms', method: 'GET', path, query: pageOf(query), reply: LocationPage })
  return page(
    reply.locations.map((location) => location.locationId),
    reply,
  )
}

export const rings: CloudC['rings'] = async (entry, id, location, query) => {
  const path = `/v1/projects/${projectId(id)}/locations/${locationId(location)}/keyRings`
  const reply = await ask(entry, { service: 'kms', method: 'GET', path, query: pageOf(query), reply: RingPage })
  return page(
    reply.keyRings.map(({ name, createTime }) => ({ name, create_time: timeRead(createTime) ?? UNKNOWN_TIME })),
    reply,
  )
}

export const ring: CloudC['ring'] = async (entry, name) => {
  const path = `/v1/${ringName(name)}`
  const found = await ifThere(ask(entry, { service: 'kms', method: 'GET', path, reply: Ring }))
  return found && { name: found.name, create_time: timeRead(found.createTime) ?? UNKNOWN_TIME }
}

export const iamRoles: CloudC['iamRoles'] = async (entry, id, query) => {
  const reply = await ask(entry, {
    service: 'iam',
    method: 'POST',
    path: '/v1/roles:queryGrantableRoles',
    body: { fullResourceName: `//cloudresourcemanager.googleapis.com/projects/${projectId(id)}`, ...pageOf(query) },
    reply: RolePage,
  })
  return page(reply.roles, reply)
}
