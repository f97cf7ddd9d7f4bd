import type * as z from 'zod'
import { containerEntity } from '../../../cloud/containers/entity.ts'
import { storedContainer } from '../../../cloud/containers/model.ts'
import { CloudCProject } from './model.ts'

const StoredCloudCProject = CloudCProject.extend(storedContainer)
export type StoredCloudCProject = z.infer<typeof StoredCloudCProject>

/** Projects, unique in a domain by the cloud's id. */
export const cloudCProjects = containerEntity({
  name: 'cloud-c-project',
  schema: StoredCloudCProject,
  unique: ({ project_id }) => ({ project: [project_id] }),
  row: ({ project_id }) => ({ project_id }),
})
export type CloudCProjectRow = ReturnType<typeof cloudCProjects.row>
