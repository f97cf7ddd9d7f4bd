import * as z from 'zod'
import { Initiator } from '../../http/on-behalf.ts'
import { Time } from '../../http/common-fields.ts'
import { entity } from '../../store/entity.ts'
import { object } from '../../base/lazy-fields.ts'

/** Kind of due work: creating the authority of a domain. */
export const MAKE_DOMAIN_CA = 'make-domain-ca'

const DomainCaPlan = object(() => ({
  /** id of the domain */
  id: z.string(),
  /** id of the signing authority in the root domain */
  parent_ca_id: z.string(),
  /** creator of the domain, as a caller in it */
  initiator: Initiator,
  traceId: z.string(),
  clientIp: z.string(),
  startAt: Time,
}))
export type DomainCaPlan = z.infer<typeof DomainCaPlan>

/**
 * The plan of a domain's authority. The transaction that creates the authority deletes it, so that there is only one.
 * Supported reads: by domain; those that are due.
 */
export const domainCaPlans = entity({
  name: 'domain-ca-plan',
  schema: DomainCaPlan,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ startAt }) => ({ what: MAKE_DOMAIN_CA, at: startAt }),
})
