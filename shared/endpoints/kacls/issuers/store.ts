import { entity } from '../../../store/entity.ts'
import { KaclsIssuer } from './model.ts'

/** Reads served: an issuer by id; by name; by its `iss`; all. */
export const kaclsIssuers = entity({
  name: 'kacls-issuer',
  schema: KaclsIssuer,
  id: ({ id }) => id,
  unique: ({ name, iss }) => ({ name: [name], iss: [iss] }),
  sets: () => ['all'],
  row: ({ id, name, iss, jwksURL, openidConfigurationURL, createdAt, updatedAt }) => ({
    id,
    name,
    iss,
    jwksURL,
    openidConfigurationURL,
    createdAt,
    updatedAt,
  }),
})
