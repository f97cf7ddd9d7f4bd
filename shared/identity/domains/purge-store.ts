import * as z from 'zod'
import { entity } from '../../store/entity.ts'
import { object } from '../../base/lazy-fields.ts'

const Purge = object(() => ({ id: z.uuid(), startAt: z.string() }))
export type Purge = z.infer<typeof Purge>

/** A deleted domain with items left to remove. Supported reads: by domain id; those that are due. */
export const purges = entity({
  name: 'purge',
  schema: Purge,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ startAt }) => ({ what: 'purge-domain', at: startAt }),
})
