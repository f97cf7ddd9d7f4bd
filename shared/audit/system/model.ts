import * as z from 'zod'
import { object } from '../../base/lazy-fields.ts'

const State = z.enum(['up', 'down'])

/** `down` if one of the services is down. */
export const ServicesStatus = object(() => ({
  status: State,
  services: z.array(z.object({ name: z.string(), status: State })),
}))
export type ServicesStatus = z.infer<typeof ServicesStatus>

export const SystemInfo = object(() => ({
  name: z.string(),
  version: z.string(),
  model: z.string(),
  uptime: z.int().meta({ description: 'seconds for which the instance that answers has run' }),
}))
