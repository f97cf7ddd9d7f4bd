import * as z from 'zod'
import { entity } from '../../../store/entity.ts'
import { object } from '../../../base/lazy-fields.ts'

/** The fields by which a deleted vault's caller is still recognized. */
const FormerVault = object(() => ({
  id: z.string(),
  issuer_id: z.string(),
  client_application_id: z.string(),
  endpoint_url_hostname: z.string(),
  endpoint_url_port: z.int(),
}))
export type FormerVault = z.infer<typeof FormerVault>

/**
 * Deleted external vaults: while the issuer of one vouches for a caller, the answer is that the vault does not
 * exist, as the protocol requires. Reads served: one by id; all.
 */
export const formerVaults = entity({
  name: 'cloud-d-former-vault',
  schema: FormerVault,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: ({ id }) => ({ id }),
})
