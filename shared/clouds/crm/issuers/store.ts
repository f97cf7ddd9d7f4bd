import { entity } from '../../../store/entity.ts'
import { CrmIssuer } from './model.ts'

/** Reads served: an issuer by id; by name; all. */
export const crmIssuers = entity({
  name: 'crm-issuer',
  schema: CrmIssuer,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, issuer, jwks_uri, openid_config_url, audience, scope_required, createdAt, updatedAt }) => ({
    ...{ id, name, issuer, jwks_uri, openid_config_url, audience, scope_required, createdAt, updatedAt },
  }),
})
