import * as z from 'zod'
import { Initiator } from '../../http/on-behalf.ts'
import { Time } from '../../http/common-fields.ts'
import { entity } from '../../store/entity.ts'

/** Kind of due work: an authority that a domain is to get. */
export const MAKE_DOMAIN_CA = 'make-domain-ca'

const DomainCaPlan = z.object({
  /** of the domain */
  id: z.string(),
  /** of the authority of the root domain that signs */
  parent_ca_id: z.string(),
  /** maker of the domain, as a caller in it */
  initiator: Initiator,
  traceId: z.string(),
  clientIp: z.string(),
  startAt: Time,
})
export type DomainCaPlan = z.infer<typeof DomainCaPlan>

/**
 * An authority that a domain is to get. Its record goes with the transaction that makes the authority, so that one results.
 * Reads served: by domain; those that are due.
 */
export const domainCaPlans = entity({
  name: 'domain-ca-plan',
  schema: DomainCaPlan,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ startAt }) => ({ what: MAKE_DOMAIN_CA, at: startAt }),
})
