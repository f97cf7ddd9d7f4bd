import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { entity } from '../../store/entity.ts'

const TrustedAuthority = z.object({
  /** of the authority, local or external */
  id: z.string(),
  /** the domain that it is of */
  domain: z.string(),
  /** PEM: its certificate, and those above it that are known, nearest first */
  chain: z.array(z.string()).min(1),
  notAfter: Time,
})

/** The set of the authorities of a domain. */
export const trustedIn = (domain: string): string => `in ${domain}`

/**
 * The authorities of every domain that let clients or users in: those that the front door has to accept certificates of. They
 * stand in the root domain. Reads served: by id; all; those of
 * a domain.
 */
export const trustedAuthorities = entity({
  name: 'trusted-authority',
  schema: TrustedAuthority,
  id: ({ id }) => id,
  sets: ({ domain }) => ['all', trustedIn(domain)],
  row: ({ id, notAfter }) => ({ id, notAfter }),
})
