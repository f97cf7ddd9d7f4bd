import { entity } from '../../store/entity.ts'
import { Issuer } from './model.ts'

/** Issuers of one protocol. Reads served: an issuer by id; by name; by its `iss`; all. */
export const issuerEntity = (name: string) =>
  entity({
    name,
    schema: Issuer,
    id: ({ id }) => id,
    unique: ({ name: own, iss }) => ({ name: [own], iss: [iss] }),
    sets: () => ['all'],
    row: ({ id, name: own, iss, jwksURL, openidConfigurationURL, createdAt, updatedAt }) => ({
      id,
      name: own,
      iss,
      jwksURL,
      openidConfigurationURL,
      createdAt,
      updatedAt,
    }),
  })
export type IssuerEntity = ReturnType<typeof issuerEntity>
