import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { listQuery } from '../../http/lists/list-query.ts'
import { DOMAIN_KEY_STATES } from '../../keyring/domain-key-store.ts'
import { object } from '../../base/lazy-fields.ts'

/** A key encryption key of a domain in answers, without its bytes. */
export const DomainKey = object(() => ({
  id: z.uuid(),
  version: z.int(),
  state: z.enum(DOMAIN_KEY_STATES),
  createdAt: Time,
}))
export type DomainKey = z.infer<typeof DomainKey>

export const DomainKeyQuery = listQuery(DomainKey, () => ({}))
export type DomainKeyQuery = z.infer<typeof DomainKeyQuery>
