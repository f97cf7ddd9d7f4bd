import * as z from 'zod'
import { Time } from '../../../http/common-fields.ts'
import { entity } from '../../../store/entity.ts'

const RingPurge = z.object({
  id: z.uuid(),
  ring_id: z.string(),
  /** when the sweeper takes it up */
  startAt: Time,
})

/** Records of keys that go because their ring went. Reads served: one by id; those due. */
export const ringPurges = entity({
  name: 'cloud-c-ring-purge',
  schema: RingPurge,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
  due: ({ startAt }) => ({ what: 'purge-ring', at: startAt }),
})
