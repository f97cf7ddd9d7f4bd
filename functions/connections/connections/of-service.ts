import type * as z from 'zod'
import type { Clouds } from '../../../shared/cloud/registry.ts'
import { CONNECTION_KINDS } from '../../../shared/cloud/connections/kinds.ts'
import { route, type Route } from '../../../shared/http/operation.ts'
import { CLOUD_A_BODIES } from '../../../shared/clouds/cloud-a/connections/model.ts'
import { CLOUD_C_BODIES } from '../../../shared/clouds/cloud-c/connections/model.ts'
import type { ChangedOfConnection, GivenOfConnection } from '../../../shared/cloud/connections/bodies.ts'
import { withRules } from '../../../shared/http/rules.ts'
import { createOf } from './create.ts'
import { testUnsavedOf } from './test-unsaved.ts'
import { testOf } from './test.ts'
import { updateOf } from './update.ts'

/** Bodies of one kind of connection. */
interface Bodies {
  readonly unsaved: z.ZodType<GivenOfConnection>
  readonly create: z.ZodType<GivenOfConnection & { readonly name: string }>
  readonly update: z.ZodType<ChangedOfConnection>
}

const BODIES: Readonly<Record<keyof Clouds, Bodies>> = { 'cloud-a': CLOUD_A_BODIES, 'cloud-c': CLOUD_C_BODIES }

/** What takes a body is described for each service by itself: none of them shares the fields of another. */
export function routesOfService(service: keyof Clouds): Route[] {
  const { unsaved, create, update } = BODIES[service]
  const { rules } = CONNECTION_KINDS[service]
  const base = `/v1/connectionmgmt/services/${service}`
  return [
    route('POST', `${base}/connections`, createOf(service, withRules(create, ...rules))),
    route('PATCH', `${base}/connections/{id}`, updateOf(service, update)),
    route('POST', `${base}/connections/{id}/test`, testOf(service, update)),
    route('POST', `${base}/connection-test`, testUnsavedOf(service, withRules(unsaved, ...rules))),
  ]
}
