import * as z from 'zod'
import { entity } from '../../../store/entity.ts'

/** Log-ins by a provider that were finished, until nobody could finish them anyway. Reads served: one by id; those that are over. */
export const usedLogins = entity({
  name: 'used-log-in',
  schema: z.object({ id: z.string(), until: z.string() }),
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ until }) => ({ what: 'expire-used-log-in', at: until }),
})
