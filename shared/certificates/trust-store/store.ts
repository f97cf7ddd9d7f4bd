import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { entity } from '../../store/entity.ts'
import { object } from '../../base/lazy-fields.ts'

const TrustedAuthority = object(() => ({
  /** id of the authority, local or external */
  id: z.string(),
  /** its domain */
  domain: z.string(),
  /** PEM: its certificate, and those of its known parents, nearest first */
  chain: z.array(z.string()).min(1),
  notAfter: Time,
}))

/** The set of the authorities of a domain. */
export const trustedIn = (domain: string): string => `in ${domain}`

/**
 * The authorities of every domain that authenticate clients or users, whose certificates the front door must accept.
 * They are stored in the root domain. Supported reads: by id; all; those of a domain.
 */
export const trustedAuthorities = entity({
  name: 'trusted-authority',
  schema: TrustedAuthority,
  id: ({ id }) => id,
  sets: ({ domain }) => ['all', trustedIn(domain)],
  row: ({ id, notAfter }) => ({ id, notAfter }),
})
