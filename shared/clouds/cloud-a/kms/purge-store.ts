import * as z from 'zod'
import { Time } from '../../../http/common-fields.ts'
import { entity } from '../../../store/entity.ts'

const ContainerPurge = z.object({
  id: z.uuid(),
  kms_id: z.string(),
  /** those whose keys go; with the entry itself gone, its templates go as well */
  regions: z.array(z.string()),
  /** when the sweeper takes it up */
  startAt: Time,
})
export type ContainerPurge = z.infer<typeof ContainerPurge>

/** Records of keys that go because their region, or their whole entry, went. Reads served: one by id; those due. */
export const containerPurges = entity({
  name: 'container-purge',
  schema: ContainerPurge,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
  due: ({ startAt }) => ({ what: 'purge-container', at: startAt }),
})
