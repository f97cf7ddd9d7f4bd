import * as z from 'zod'
import { isObject } from '../../../base/json.ts'
import { CommonContainer, commonContainerFilters } from '../../../cloud/containers/model.ts'
import { NameOrId, Time } from '../../../http/common-fields.ts'
import { anyOf, anyTexts, listQuery } from '../../../http/lists/list-query.ts'
import { withRules } from '../../../http/rules.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'

/** Editions of the cloud. */
export const CLOUD_C_NAMES = ['cloud-c'] as const

/** Ours: also accepts ids of projects that belong to a host name, which contain a colon and dots. */
export const ProjectId = z.string().regex(/^[a-z0-9][a-z0-9:.-]{4,62}$/, { error: 'must be the id of a project' })
export const Location = z.string().regex(/^[a-z][a-z0-9-]{1,40}$/, { error: 'must be a location such as europe-west3' })

/** Fields common to projects and rings. */
const Container = extended(CommonContainer, () => ({
  project_id: z.string(),
  cloud_name: z.enum(CLOUD_C_NAMES),
  organization_name: z.string().optional(),
  organization_display_name: z.string().optional(),
}))

/** A project of the cloud, which contains rings. */
export const CloudCProject = extended(Container, () => ({
  enable_success_audit_event: z
    .boolean()
    .meta({ description: "whether successful calls of the cloud's key service for keys of the project are recorded" }),
}))
export type CloudCProject = z.infer<typeof CloudCProject>

/** A key ring: the container of keys. */
export const CloudCRing = extended(Container, () => ({
  name: z.string().meta({ description: 'full resource name' }),
  key_ring_id: z.string().meta({ description: 'short name, unique in its location' }),
  location: z.string(),
  create_time: z.string(),
  refreshed_at: Time.optional().meta({ description: 'when the whole ring was last read' }),
}))
export type CloudCRing = z.infer<typeof CloudCRing>

export const AddProject = z.strictObject({ connection: NameOrId, project_id: ProjectId })
export type AddProject = z.infer<typeof AddProject>
export const UpdateProject = strictObject(() => ({
  connection: NameOrId.optional(),
  enable_success_audit_event: z.boolean().optional(),
}))
export type UpdateProject = z.infer<typeof UpdateProject>

const RingName = z
  .string()
  .max(255)
  .regex(/^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[A-Za-z0-9_-]{1,63}$/, {
    error: 'must be projects/<project>/locations/<location>/keyRings/<ring>',
  })
/** Whether a value names a ring of another project. */
const isElsewhere = (ring: unknown, project: string): boolean =>
  isObject(ring) && typeof ring.name === 'string' && !ring.name.startsWith(`projects/${project}/`)

/** Ours: as many as fit into one transaction. */
const RINGS_AT_ONCE = 20
export const AddRings = withRules(
  strictObject(() => ({
    connection: NameOrId,
    project_id: ProjectId,
    key_rings: z
      .array(z.strictObject({ name: RingName }))
      .min(1)
      .max(RINGS_AT_ONCE)
      .refine((rings) => new Set(rings.map(({ name }) => name)).size === rings.length, {
        error: 'must not name a ring twice',
      }),
  })),
  {
    message: 'key_rings must be rings of the project that project_id names',
    field: 'key_rings',
    broken: ({ project_id, key_rings }) =>
      typeof project_id === 'string' &&
      Array.isArray(key_rings) &&
      key_rings.some((ring: unknown) => isElsewhere(ring, project_id)),
  },
)
export type AddRings = z.infer<typeof AddRings>
export const AddedRings = object(() => ({ key_rings: z.array(CloudCRing) }))
export const UpdateRing = z.strictObject({ connection: NameOrId })
export type UpdateRing = z.infer<typeof UpdateRing>

const filters = {
  ...commonContainerFilters,
  ...anyTexts('project_id'),
  cloud_name: anyOf(CLOUD_C_NAMES).optional(),
}
export const ProjectQuery = listQuery(CloudCProject, () => filters)
export const RingQuery = listQuery(CloudCRing, () => ({
  ...filters,
  ...anyTexts('key_ring_id', 'location', 'organization'),
}))

/** Body of a look-up: a page of resources that a connection reaches. */
const Page = strictObject(() => ({
  connection: NameOrId,
  page_size: z.int().min(1).max(1_000).optional(),
  page_token: z.string().min(1).max(10_000).optional(),
}))
const next = { next_page_token: z.string().optional() }
export const FindProjects = Page
export const FindLocations = Page.extend({ project_id: ProjectId })
export const FindRings = FindLocations.extend({ location: Location })
const Project = object(() => ({ project_id: z.string(), name: z.string(), number: z.string() }))
const Ring = object(() => ({ name: z.string(), create_time: z.string() }))
const Role = object(() => ({ name: z.string(), title: z.string().optional(), description: z.string().optional() }))
export const FoundProjects = object(() => ({ projects: z.array(Project), ...next }))
export const FoundLocations = object(() => ({ locations: z.array(z.string()), ...next }))
export const FoundRings = object(() => ({ key_rings: z.array(Ring), ...next }))
export const FoundRoles = object(() => ({ roles: z.array(Role), ...next }))
