import type * as z from 'zod'
import { containerEntity } from '../../../cloud/containers/entity.ts'
import { storedContainer } from '../../../cloud/containers/model.ts'
import { CloudCRing } from '../projects/model.ts'

const StoredCloudCRing = CloudCRing.extend(storedContainer)
export type StoredCloudCRing = z.infer<typeof StoredCloudCRing>

/** The family of a project's rings, by their ids. */
export const ringsOfProject = (projectId: string): string => `project:${projectId}`

/** Key rings, unique in a domain by their full names; one family contains the rings of a project. */
export const cloudCRings = containerEntity({
  name: 'cloud-c-ring',
  schema: StoredCloudCRing,
  unique: ({ name }) => ({ name: [name] }),
  families: ({ id, project_id }) => [{ name: ringsOfProject(project_id), key: id }],
  row: ({ key_ring_id, project_id, location, organization_name, organization_display_name }) => ({
    key_ring_id,
    project_id,
    location,
    organization: [organization_name, organization_display_name].filter((name) => name !== undefined),
  }),
})
export type CloudCRingRow = ReturnType<typeof cloudCRings.row>
