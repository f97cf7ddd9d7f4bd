import * as z from 'zod'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'
import { JOINS_NO_CONFIG } from '../../../work/schedule/job-operations/joined.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { DatacustReference } from './model.ts'

const StoredDatacustReference = extended(DatacustReference, () => ({ unread: z.array(z.string()).optional() }))
export type StoredDatacustReference = z.infer<typeof StoredDatacustReference>

export const referenceSet = (group: string): string => `group:${group}`
/** The family of a group's references, by the cloud's ids. */
export const referencesOfGroup = (group: string): string => `place:${group}`

/** Reads served: a reference by id; by its group and the cloud's id; all; those of a group. */
export const datacustReferenceRecords = entity({
  name: 'datacust-reference',
  schema: StoredDatacustReference,
  id: ({ id }) => id,
  sets: ({ cckm_group_id: group }) => ['all', referenceSet(group)],
  families: ({ cckm_group_id: group, reference_id }): Family[] => [
    { name: referencesOfGroup(group), key: reference_id, exclusive: true },
  ],
  row: (reference) => ({
    id: reference.id,
    name: reference.name,
    cckm_group_id: reference.cckm_group_id,
    tenant: reference.tenant,
    reference_id: reference.reference_id,
    key_id: reference.key_id,
    gone: reference.gone,
    createdAt: reference.createdAt,
    updatedAt: reference.updatedAt,
    ...JOINS_NO_CONFIG,
  }),
})
export type DatacustReferenceRow = ReturnType<typeof datacustReferenceRecords.row>
