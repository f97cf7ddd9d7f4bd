import * as z from 'zod'
import { containerEntity } from '../../../cloud/containers/entity.ts'
import { CloudCProject } from './model.ts'

const StoredCloudCProject = CloudCProject.extend({
  /** absent after its connection was deleted by force */
  connection_id: z.string().optional(),
})
export type StoredCloudCProject = z.infer<typeof StoredCloudCProject>

/** Projects, unique in a domain by the cloud's id of them. */
export const cloudCProjects = containerEntity({
  name: 'cloud-c-project',
  schema: StoredCloudCProject,
  unique: ({ project_id }) => ({ project: [project_id] }),
  row: ({ project_id }) => ({ project_id }),
})
export type CloudCProjectRow = ReturnType<typeof cloudCProjects.row>
