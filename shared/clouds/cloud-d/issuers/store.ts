import * as z from 'zod'
import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { entity } from '../../../store/entity.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { CloudDIssuer } from './model.ts'
import { secretPurpose } from './secret-purpose.ts'

const StoredCloudDIssuer = extended(CloudDIssuer, () => ({
  client_id: z.string().optional(),
  /** where the client gets a token for a protected key set */
  token_endpoint: z.string().optional(),
  /** the client's secret, sealed under the domain's key */
  sealed: z.string().optional(),
}))
export type StoredCloudDIssuer = z.infer<typeof StoredCloudDIssuer>

/** Reads served: an issuer by id; by name; all. */
export const cloudDIssuers = entity({
  name: 'cloud-d-issuer',
  schema: StoredCloudDIssuer,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, issuer, jwks_uri, jwks_uri_protected, openid_config_url, createdAt, updatedAt }) => ({
    ...{ id, name, issuer, jwks_uri, jwks_uri_protected, openid_config_url, createdAt, updatedAt },
  }),
})

export const sealedIssuers = sealingFieldAgain(cloudDIssuers, 'all', secretPurpose)
