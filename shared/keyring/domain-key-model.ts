import * as z from 'zod'
import { Time } from '../http/common-fields.ts'
import { listQuery } from '../http/list-query.ts'

export const DOMAIN_KEY_STATES = ['current', 'resealing', 'retired', 'failed'] as const

/** A key encryption key of a domain as shown, without its bytes. */
export const DomainKey = z.object({
  id: z.uuid(),
  version: z.int(),
  /** `resealing`: replaced, and its data is being sealed again; `failed`: some of its data cannot be opened */
  state: z.enum(DOMAIN_KEY_STATES),
  createdAt: Time,
})
export type DomainKey = z.infer<typeof DomainKey>

export const DomainKeyQuery = listQuery(['createdAt', 'version'], {})
export type DomainKeyQuery = z.infer<typeof DomainKeyQuery>
