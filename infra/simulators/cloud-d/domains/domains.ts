import { createTokenKeys, TOKEN_SECONDS, type TokenKeys } from '../../toolkit/token-keys.ts'
import type { HttpRequest } from '../../toolkit/loopback.ts'
import type { SimulatedApplication, SimulatedTenancy } from '../directory/directory.ts'
import type { Reply } from '../wire/reply.ts'

/** The issuer in tokens of all identity domains of the cloud, whatever their address. */
const ISSUER = 'https://identity.oraclecloud.com/'
/** A scope for all rights of a client in its domain. */
const OWN_SCOPES = 'urn:opc:idm:__myscopes__'
/** Scope of the cloud's calls to external key managers. */
const EXTERNAL_SCOPE = 'oci_ekms'
const PATH = /^\/domains\/(?<name>[a-z0-9-]+)(?<path>\/.*)$/

/** A token of a domain. */
export interface DomainToken {
  readonly clientId: string
  /** `https://<host>/` of the key manager */
  readonly audience: string
  /** default: `oci_ekms` */
  readonly scope?: string
  /** replace the usual ones */
  readonly claims?: object
}

/** The identity domain of a tenancy: an OAuth issuer. */
export interface Domain {
  readonly url: string
  readonly tenancy: SimulatedTenancy
  /** @throws Error for a client that does not belong to the domain */
  readonly tokenOf: (asked: DomainToken) => Promise<string>
  /** Sets whether only clients of the domain can read the key set; initially they can. */
  readonly protectKeySet: (isProtected: boolean) => void
  readonly rotateKeys: TokenKeys['rotate']
}

export interface Domains {
  readonly all: () => readonly Domain[]
  /** Name of a path's operation, in the domain of its first segment. */
  readonly operationOf: (method: string, pathname: string) => DomainOperation | undefined
}

export interface DomainOperation {
  readonly operation: string
  readonly run: (request: HttpRequest) => Reply | Promise<Reply>
}

/** @param endpoint of the simulator @param now milliseconds since the epoch */
export function createDomains(
  tenancies: readonly SimulatedTenancy[],
  endpoint: () => string,
  now: () => number,
): Domains {
  const domains = new Map(tenancies.map((tenancy) => [tenancy.name, createDomain(tenancy, endpoint, now)]))
  return {
    all: () => [...domains.values()].map(({ domain }) => domain()),
    operationOf: (method, pathname) => {
      const { name = '', path = '' } = PATH.exec(pathname)?.groups ?? {}
      return domains.get(name)?.operations[`${method} ${path}`]
    },
  }
}

function createDomain(tenancy: SimulatedTenancy, endpoint: () => string, now: () => number) {
  const keys = createTokenKeys(`domain ${tenancy.name}`, now)
  const url = () => `${endpoint()}/domains/${tenancy.name}`
  let isProtected = true
  const tokenOf = ({ clientId, audience, scope = EXTERNAL_SCOPE, claims }: DomainToken) => {
    if (!tenancy.applications.some((each) => each.clientId === clientId)) throw new Error(`${clientId} is unknown.`)
    const usual = { iss: ISSUER, aud: [audience], client_id: clientId, sub: clientId, sub_type: 'client', scope }
    return keys.issue({ ...usual, tenant: tenancy.name, ...claims })
  }
  const domain = (): Domain => ({
    ...{ url: url(), tenancy, tokenOf, rotateKeys: keys.rotate },
    protectKeySet: (wanted) => {
      isProtected = wanted
    },
  })
  const configuration = () => ({
    issuer: ISSUER,
    jwks_uri: `${url()}/admin/v1/SigningCert/jwk`,
    token_endpoint: `${url()}/oauth2/v1/token`,
    grant_types_supported: ['client_credentials'],
    id_token_signing_alg_values_supported: ['RS256'],
  })
  const isOwnToken = async (header: string | undefined): Promise<boolean> => {
    const [, token = ''] = /^Bearer (\S+)$/.exec(header ?? '') ?? []
    const { aud } = (await keys.claimsOf(token)) ?? {}
    return Array.isArray(aud) && aud.includes(`${url()}/`)
  }
  const keySet = async ({ headers }: HttpRequest): Promise<Reply> => {
    if (isProtected && !(await isOwnToken(headers.authorization))) return refusal(401, 'invalid_token')
    const published = await keys.published()
    return { body: { keys: published.keys.map((key) => ({ ...key, alg: 'RS256' })) } }
  }
  const operations: Readonly<Record<string, DomainOperation>> = {
    'GET /.well-known/openid-configuration': operation('GetOpenIdConfiguration', () => ({
      body: configuration(),
    })),
    'GET /.well-known/idcs-configuration': operation('GetDomainConfiguration', () => ({
      body: { 'openid-configuration': configuration() },
    })),
    'GET /admin/v1/SigningCert/jwk': operation('GetSigningKeys', keySet),
    'POST /oauth2/v1/token': operation('CreateToken', (request) => tokenReply(tenancy, url(), request, tokenOf)),
  }
  return { domain, operations }
}

const operation = (name: string, run: DomainOperation['run']): DomainOperation => ({ operation: name, run })

const refusal = (status: number, error: string): Reply => ({
  status,
  body: { error, error_description: `The request was refused: ${error}.` },
})

/** The client of a request, identified by its id and secret. */
function clientOf({ applications }: SimulatedTenancy, header: string | undefined): SimulatedApplication | undefined {
  const [, basic = ''] = /^Basic (\S+)$/.exec(header ?? '') ?? []
  const [id, secret] = Buffer.from(basic, 'base64').toString('utf8').split(':').map(decodeURIComponent)
  return applications.find(({ clientId, clientSecret }) => clientId === id && clientSecret === secret)
}

/** A client's token for its domain, or for the audience at the start of the scope. */
async function tokenReply(
  tenancy: SimulatedTenancy,
  url: string,
  { headers, body }: HttpRequest,
  tokenOf: Domain['tokenOf'],
): Promise<Reply> {
  const form = new URLSearchParams(body.toString('utf8'))
  const client = clientOf(tenancy, headers.authorization)
  if (client === undefined) return refusal(401, 'invalid_client')
  if (form.get('grant_type') !== 'client_credentials') return refusal(400, 'unsupported_grant_type')
  const asked = form.get('scope') ?? ''
  const [, audience, scope] =
    asked === OWN_SCOPES ? ['', `${url}/`, asked] : (/^(https?:\/\/[^/]+\/)(\S+)$/.exec(asked) ?? [])
  if (audience === undefined || scope === undefined) return refusal(400, 'invalid_scope')
  const access_token = await tokenOf({ clientId: client.clientId, audience, scope })
  return { body: { access_token, token_type: 'Bearer', expires_in: TOKEN_SECONDS } }
}
