import type { Context } from '../../../http/context.ts'
import type {
  FindLocations,
  FindProjects,
  FindRings,
  FoundLocations,
  FoundProjects,
  FoundRings,
  FoundRoles,
} from '../projects/model.ts'
import { cloudC, entryOf } from '../place.ts'
import { connectionNamed } from '../reached.ts'

const next = ({ next_page_token }: { readonly next_page_token?: string | undefined }) =>
  next_page_token === undefined ? {} : { next_page_token }

/** Projects that a connection reaches, one page. @throws Refusal NOT_FOUND, CLOUD_… */
export async function findProjects(context: Context, { connection, ...query }: FindProjects): Promise<FoundProjects> {
  const entry = await entryOf(context, await connectionNamed(context, connection))
  const page = await (await cloudC()).projects(entry, query)
  return { projects: [...page.items], ...next(page) }
}

/** Locations a project may use, one page. @throws Refusal NOT_FOUND, CLOUD_… */
export async function findLocations(
  context: Context,
  { connection, project_id, ...query }: FindLocations,
): Promise<FoundLocations> {
  const entry = await entryOf(context, await connectionNamed(context, connection))
  const page = await (await cloudC()).locations(entry, project_id, query)
  return { locations: [...page.items], ...next(page) }
}

/** Rings of a project in a location, one page. @throws Refusal NOT_FOUND, CLOUD_… */
export async function findRings(
  context: Context,
  { connection, project_id, location, ...query }: FindRings,
): Promise<FoundRings> {
  const entry = await entryOf(context, await connectionNamed(context, connection))
  const page = await (await cloudC()).rings(entry, project_id, location, query)
  return { key_rings: [...page.items], ...next(page) }
}

/** Roles that can be granted on keys of a project, one page. @throws Refusal NOT_FOUND, CLOUD_… */
export async function findRoles(
  context: Context,
  { connection, project_id, ...query }: FindLocations,
): Promise<FoundRoles> {
  const entry = await entryOf(context, await connectionNamed(context, connection))
  const page = await (await cloudC()).iamRoles(entry, project_id, query)
  return { roles: [...page.items], ...next(page) }
}
