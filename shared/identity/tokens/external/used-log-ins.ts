import * as z from 'zod'
import { entity } from '../../../store/entity.ts'
import { object } from '../../../base/lazy-fields.ts'

/** Finished log-ins with a provider, kept until they would have expired. Supported reads: one by id; expired ones. */
export const usedLogins = entity({
  name: 'used-log-in',
  schema: object(() => ({ id: z.string(), until: z.string() })),
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ until }) => ({ what: 'expire-used-log-in', at: until }),
})

/** When the provider of a begun log-in of a device may be asked again. Supported reads: one by id; expired ones. */
export const devicePolls = entity({
  name: 'device-poll',
  schema: object(() => ({ id: z.string(), until: z.string(), nextAt: z.string() })),
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ until }) => ({ what: 'expire-device-poll', at: until }),
})
