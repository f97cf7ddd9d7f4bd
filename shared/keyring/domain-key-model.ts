import * as z from 'zod'
import { Time } from '../http/common-fields.ts'
import { listQuery } from '../http/list-query.ts'

export const DOMAIN_KEY_STATES = ['current', 'resealing', 'retired', 'failed'] as const

/** A key encryption key of a domain, as shown: never its bytes. */
export const DomainKey = z.object({
  id: z.uuid(),
  version: z.int(),
  /** `resealing`: succeeded, and what it sealed is being sealed again; `failed`: some of it does not open */
  state: z.enum(DOMAIN_KEY_STATES),
  createdAt: Time,
})
export type DomainKey = z.infer<typeof DomainKey>

export const DomainKeyQuery = listQuery(['createdAt', 'version'], {})
export type DomainKeyQuery = z.infer<typeof DomainKeyQuery>
