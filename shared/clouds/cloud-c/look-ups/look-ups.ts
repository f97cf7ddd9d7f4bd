import type * as z from 'zod'
import { byName, defined } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import type { CloudC, CloudCEntry, CloudCPage, CloudCPageQuery } from '../adapter/types.ts'
import { cloudC } from '../adapter.ts'
import { entryOf } from '../place.ts'
import type { FindLocations, FindProjects, FindRings } from '../projects/model.ts'
import { connectionNamed } from '../reached.ts'

/** One page of a kind of resource that a connection reaches. @throws Refusal NOT_FOUND, CLOUD_… */
const finding =
  <Name extends string, Body extends z.infer<typeof FindProjects>, Item>(
    name: Name,
    read: (cloud: CloudC, entry: CloudCEntry, body: Body, paging: CloudCPageQuery) => Promise<CloudCPage<Item>>,
  ) =>
  async (context: Context, body: Body) => {
    const entry = await entryOf(context, await connectionNamed(context, body.connection))
    const { page_size, page_token } = body
    const { items, next_page_token: next } = await read(cloudC, entry, body, { page_size, page_token })
    return { ...byName([name], () => [...items]), ...defined({ next_page_token: next }) }
  }

type InProject = z.infer<typeof FindLocations>

export const findProjects = finding('projects', (cloud, entry, _body, paging) => cloud.projects(entry, paging))

/** Locations that a project may use. */
export const findLocations = finding('locations', (cloud, entry, { project_id }: InProject, paging) =>
  cloud.locations(entry, project_id, paging),
)

export const findRings = finding(
  'key_rings',
  (cloud, entry, { project_id, location }: z.infer<typeof FindRings>, paging) =>
    cloud.rings(entry, project_id, location, paging),
)

/** Roles that can be granted on keys of a project. */
export const findRoles = finding('roles', (cloud, entry, { project_id }: InProject, paging) =>
  cloud.iamRoles(entry, project_id, paging),
)
