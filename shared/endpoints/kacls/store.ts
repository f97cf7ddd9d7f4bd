import * as z from 'zod'
import { Time } from '../../http/common-fields.ts'
import { sealingFieldAgain } from '../../keyring/sealed-kinds.ts'
import { entity } from '../../store/entity.ts'
import { walk } from '../../store/list.ts'
import { extended, object } from '../../base/lazy-fields.ts'
import { signingPurpose } from './identifiers.ts'
import { KaclsEndpoint, PrivilegedUnwrapConfiguration, RewrapConfiguration } from './model.ts'

/** The public half of a present or former signing key of an endpoint. */
const SigningKey = object(() => ({
  /** its thumbprint: RFC 7638, SHA-256, base64url */
  kid: z.string(),
  /** modulus and exponent, base64url */
  n: z.string(),
  e: z.string(),
  /** for a former key: until when its signatures are valid */
  until: Time.optional(),
}))

/** The fields of an issuer that the data plane needs. Issuers are immutable, so a copy stays correct. */
const Provider = object(() => ({ id: z.string(), iss: z.string(), jwks_uri: z.string() }))

const StoredKaclsEndpoint = extended(KaclsEndpoint.omit({ endpoint_url: true, warnings: true }), () => ({
  authorizationAud: z.array(z.string()).optional(),
  cors: z.array(z.string()).optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
  /** `endpoint_url`, if the owner set one */
  own_url: z.string().optional(),
  /** copies of the issuers in `issuer`, in the same order */
  providers: z.array(Provider),
  /**
   * absent for the default policy; `dialect` in which the text was parsed when it was stored: later reads use the same
   */
  perimeter: z.object({ text: z.string(), dialect: z.enum(['v0', 'v1']) }).optional(),
  privileged_unwrap: PrivilegedUnwrapConfiguration.optional(),
  rewrap: RewrapConfiguration.optional(),
  /** newest first */
  signing_keys: z.array(SigningKey),
  /** the private half of the newest as PKCS #8 DER, sealed under the domain's key */
  sealed: z.string(),
  /** whether the local key was created for this endpoint; then administrators of endpoints may rotate it */
  own_key: z.boolean(),
}))
export type StoredKaclsEndpoint = z.infer<typeof StoredKaclsEndpoint>

/** Kind of the items that name the domain of an endpoint. */
export const KACLS_OWNER = 'kacls-owner'

/** Reads served: an endpoint by id; by name; by the name of its local key; all endpoints. */
export const kaclsEndpoints = entity({
  name: 'kacls-endpoint',
  schema: StoredKaclsEndpoint,
  id: ({ id }) => id,
  // Ours: a key has at most one endpoint, so that its rotation has one owner.
  unique: ({ name, kekName }) => ({ name: [name], kek: [kekName] }),
  sets: () => ['all'],
  row: (endpoint) => ({
    id: endpoint.id,
    name: endpoint.name,
    endpoint_url_hostname: endpoint.endpoint_url_hostname,
    issuer: endpoint.issuer,
    kekName: endpoint.kekName,
    kekID: endpoint.kekID,
    status: endpoint.status,
    allow_guest_access: endpoint.allow_guest_access,
    allow_privileged_unwrap: endpoint.allow_privileged_unwrap,
    createdAt: endpoint.createdAt,
    updatedAt: endpoint.updatedAt,
  }),
})

export type KaclsEndpointRow = ReturnType<typeof kaclsEndpoints.row>

export const sealedKaclsEndpoints = sealingFieldAgain(kaclsEndpoints, 'all', ({ id }) => signingPurpose(id))

/**
 * Number of endpoints that accept tokens of an issuer, and the names of at most two of them. Reads the rows of all
 * endpoints.
 */
export async function takersOf(domain: string, issuerId: string): Promise<{ total: number; names: string[] }> {
  const matches = ({ issuer }: KaclsEndpointRow): boolean => issuer.includes(issuerId)
  const { total, items } = await walk(kaclsEndpoints, domain, {
    sets: ['all'],
    matches,
    narrowBy: 'id',
    skip: 0,
    limit: 2,
  })
  return { total, names: items.map(({ item }) => item.name) }
}
