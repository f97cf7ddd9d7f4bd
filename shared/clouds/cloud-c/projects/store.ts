import * as z from 'zod'
import { CloudCProject } from './model.ts'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'

const StoredCloudCProject = CloudCProject.extend({
  /** absent after its connection was deleted by force */
  connection_id: z.string().optional(),
})
export type StoredCloudCProject = z.infer<typeof StoredCloudCProject>

const usersOfConnection = (id: string): string => `connection:${id}`

/** Reads served: a project by id; by the cloud's id of it, unique in a domain; all projects; those that use a connection. */
export const cloudCProjects = entity({
  name: 'cloud-c-project',
  schema: StoredCloudCProject,
  id: ({ id }) => id,
  unique: ({ project_id }) => ({ project: [project_id] }),
  sets: () => ['all'],
  families: ({ id, connection_id }): Family[] =>
    connection_id === undefined ? [] : [{ name: usersOfConnection(connection_id), key: id }],
  row: (project) => ({
    id: project.id,
    project_id: project.project_id,
    name: project.name,
    connection: project.connection,
    connection_id: project.connection_id,
    cloud_name: project.cloud_name,
    acls: project.acls,
    createdAt: project.createdAt,
    updatedAt: project.updatedAt,
  }),
})
export type CloudCProjectRow = ReturnType<typeof cloudCProjects.row>

/** Ids of the projects that use a connection. One read. */
export const projectsOfConnection = (domain: string, connectionId: string): Promise<string[]> =>
  cloudCProjects.members(domain, usersOfConnection(connectionId))
