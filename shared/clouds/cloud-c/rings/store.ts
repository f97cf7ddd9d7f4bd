import * as z from 'zod'
import { CloudCRing } from '../projects/model.ts'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'

const StoredCloudCRing = CloudCRing.extend({
  /** absent after its connection was deleted by force */
  connection_id: z.string().optional(),
})
export type StoredCloudCRing = z.infer<typeof StoredCloudCRing>

const usersOfConnection = (id: string): string => `connection:${id}`
/** The family of a project's rings, by their ids. */
export const ringsOfProject = (projectId: string): string => `project:${projectId}`

/**
 * Reads served: a ring by id; by its full name, unique in a domain; all rings; those of a project; those that use a
 * connection.
 */
export const cloudCRings = entity({
  name: 'cloud-c-ring',
  schema: StoredCloudCRing,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  families: ({ id, project_id, connection_id }): Family[] => [
    { name: ringsOfProject(project_id), key: id },
    ...(connection_id === undefined ? [] : [{ name: usersOfConnection(connection_id), key: id }]),
  ],
  row: (ring) => ({
    id: ring.id,
    name: ring.name,
    key_ring_id: ring.key_ring_id,
    project_id: ring.project_id,
    location: ring.location,
    organization: [ring.organization_name, ring.organization_display_name].filter((name) => name !== undefined),
    connection: ring.connection,
    connection_id: ring.connection_id,
    cloud_name: ring.cloud_name,
    acls: ring.acls,
    createdAt: ring.createdAt,
    updatedAt: ring.updatedAt,
  }),
})
export type CloudCRingRow = ReturnType<typeof cloudCRings.row>

/** Ids of the rings that use a connection. One read. */
export const ringsOfConnection = (domain: string, connectionId: string): Promise<string[]> =>
  cloudCRings.members(domain, usersOfConnection(connectionId))
