import { createPublicKey, type KeyObject } from 'node:crypto'
import { compactVerify, decodeProtectedHeader, type JWTPayload } from 'jose'
import { fieldsOf } from '../../toolkit/json-body.ts'
import { certificatesOf, isExpired, isNamed, publicKeyIn } from '../directory/applications.ts'
import type { Arrived, Reply } from '../wire/arrived.ts'
import type { Application, Tenant } from '../directory/directory.ts'
import { loginRefusal, type ApiError } from '../wire/errors.ts'
import type { CloudState } from '../state/state.ts'
import { audienceOf, issue, issuerOf, LOGIN_KEY } from './tokens.ts'

const LOGIN = 'https://login.microsoftonline.com'
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const invalidRequest = (number: number, sentence: string) => loginRefusal(400, 'invalid_request', number, sentence)
const invalidClient = (number: number, sentence: string) => loginRefusal(401, 'invalid_client', number, sentence)

/** Answers a request to the login host. @throws ApiError in the form of that host */
export async function login(state: CloudState, { method, path, bytes }: Arrived): Promise<Reply> {
  const [, name = '', ...rest] = path.split('/')
  const endpoint = rest.join('/')
  if (path === '/common/discovery/instance') return { status: 200, body: discovery() }
  if (endpoint === 'v2.0/.well-known/openid-configuration')
    return { status: 200, body: configuration(tenantNamed(state, name)) }
  if (endpoint === 'discovery/v2.0/keys') return { status: 200, body: { keys: [await publicJwk(state)] } }
  if (endpoint !== 'oauth2/v2.0/token') throw invalidRequest(90_019, 'No tenant-identifying information found.')
  if (method !== 'POST') throw invalidRequest(900_561, 'The endpoint only accepts POST requests.')
  return token(state, tenantNamed(state, name), new URLSearchParams(bytes.toString('utf8')))
}

/** The refusal of a request that names no host of the cloud. */
export const strayRequest = (): ApiError => invalidRequest(90_019, 'No tenant-identifying information found.')

/** @param name id or domain */
function tenantNamed(state: CloudState, name: string): Tenant {
  const tenant = state.all('tenant').find(({ id, domain }) => [id, domain].includes(name.toLowerCase()))
  if (tenant !== undefined) return tenant
  throw invalidRequest(90_002, `Tenant '${name}' not found. Check to make sure you have the correct tenant ID.`)
}

const discovery = (): object => ({
  tenant_discovery_endpoint: `${LOGIN}/common/v2.0/.well-known/openid-configuration`,
  'api-version': '1.1',
  metadata: [
    {
      preferred_network: 'login.microsoftonline.com',
      preferred_cache: 'login.windows.net',
      aliases: ['login.microsoftonline.com', 'login.windows.net', 'login.microsoft.com', 'sts.windows.net'],
    },
  ],
})

const configuration = ({ id }: Tenant): object => ({
  issuer: `${LOGIN}/${id}/v2.0`,
  token_endpoint: `${LOGIN}/${id}/oauth2/v2.0/token`,
  authorization_endpoint: `${LOGIN}/${id}/oauth2/v2.0/authorize`,
  jwks_uri: `${LOGIN}/${id}/discovery/v2.0/keys`,
  token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
})

async function publicJwk(state: CloudState): Promise<object> {
  const key = createPublicKey(await state.ownKey(LOGIN_KEY))
  return { ...key.export({ format: 'jwk' }), use: 'sig', kid: 'simulated' }
}

async function token(state: CloudState, tenant: Tenant, form: URLSearchParams): Promise<Reply> {
  const required = (name: string): string => {
    const value = form.get(name) ?? ''
    if (value !== '') return value
    throw invalidRequest(900_144, `The request body must contain the following parameter: '${name}'.`)
  }
  const grant = required('grant_type')
  const clientId = required('client_id')
  if (grant !== 'client_credentials')
    throw loginRefusal(400, 'unsupported_grant_type', 70_003, `The app requested an unsupported grant type '${grant}'.`)
  const application = applicationNamed(state, tenant, clientId)
  await authenticate(state, tenant, application, form)
  const audience = requestedAudience(required('scope'), tenant)
  const claims = form.get('claims') ?? ''
  const caller = { objectId: application.objectId, tenant: tenant.id, clientId: application.clientId, audience }
  return { status: 200, body: await issue(state, { ...caller, ...(claims !== '' && { claims }) }) }
}

function applicationNamed(state: CloudState, tenant: Tenant, clientId: string): Application {
  const application = state.thing('application', clientId)
  const unauthorized = (number: number, sentence: string) => loginRefusal(400, 'unauthorized_client', number, sentence)
  if (application?.tenant !== tenant.id)
    throw unauthorized(
      700_016,
      `Application with identifier '${clientId}' was not found in the directory '${tenant.domain}'.`,
    )
  if (application.disabled === true)
    throw unauthorized(7_000_112, `Application '${clientId}'(${application.name}) is disabled.`)
  return application
}

/**
 * Accepts one `/.default` scope of a service: other scopes are for people only. @throws ApiError invalid_scope,
 * invalid_resource
 */
function requestedAudience(scope: string, { domain }: Tenant): string {
  const scopes = scope.split(' ').filter((each) => !['openid', 'profile', 'offline_access'].includes(each))
  const [only = ''] = scopes
  if (scopes.length !== 1 || !only.endsWith('/.default'))
    throw loginRefusal(
      400,
      'invalid_scope',
      1_002_012,
      `The provided value for scope ${scope} is not valid. Client credential flows must have a scope value with /.default suffixed to the resource identifier (application ID URI).`,
    )
  const audience = audienceOf(only)
  if (audience !== undefined) return audience
  throw loginRefusal(
    400,
    'invalid_resource',
    500_011,
    `The resource principal named ${only.replace(/\/\.default$/, '')} was not found in the tenant named ${domain}.`,
  )
}

/** @throws ApiError invalid_client */
async function authenticate(state: CloudState, tenant: Tenant, application: Application, form: URLSearchParams) {
  const secret = form.get('client_secret') ?? ''
  const assertion = form.get('client_assertion') ?? ''
  if (assertion !== '') {
    if (form.get('client_assertion_type') !== ASSERTION_TYPE)
      throw invalidRequest(900_144, "The request body must contain the following parameter: 'client_assertion_type'.")
    await verifyAssertion(state, tenant, application, assertion)
    return
  }
  const { clientId } = application
  if (secret === '')
    throw invalidClient(
      7_000_218,
      "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
    )
  const known = application.secrets.find(({ value }) => value === secret)
  if (known === undefined)
    throw invalidClient(
      7_000_215,
      `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${clientId}'.`,
    )
  if ((known.expiresAt ?? Infinity) <= state.now())
    throw invalidClient(7_000_222, `The provided client secret keys for app '${clientId}' are expired.`)
}

/** Accepts times by this machine's clock, which clients use, or by the simulator's clock, which tests move. */
async function verifyAssertion(state: CloudState, tenant: Tenant, application: Application, jwt: string) {
  const header = headerOf(jwt)
  const cer = (await certificatesOf(state, application)).find((each) => isNamed(each, header))
  if (cer === undefined)
    throw invalidClient(
      700_027,
      'Client assertion failed signature validation. The certificate with identifier used to sign the client assertion is not registered on application.',
    )
  if (isExpired(cer, state.now()))
    throw invalidClient(
      700_027,
      'Client assertion failed signature validation. The certificate with identifier used to sign the client assertion is expired on application.',
    )
  const payload = await signedPayload(jwt, publicKeyIn(cer))
  requireClaims(tenant, application, payload)
  const isTimely = [new Date(), new Date(state.now())].some((date) => isWithin(payload, date.getTime()))
  if (!isTimely) throw invalidClient(700_024, 'Client assertion is not within its valid time range.')
}

/** Ours: the caller checks times, since a library checks them by a single clock. */
async function signedPayload(jwt: string, key: KeyObject): Promise<JWTPayload> {
  try {
    const { payload } = await compactVerify(jwt, key, { algorithms: ['RS256', 'PS256'] })
    return fieldsOf(JSON.parse(Buffer.from(payload).toString('utf8')))
  } catch {
    throw invalidClient(700_027, 'Client assertion failed signature validation. The signature is not valid.')
  }
}

function headerOf(jwt: string): Readonly<Record<string, unknown>> {
  try {
    return { ...decodeProtectedHeader(jwt) }
  } catch {
    throw invalidClient(50_027, 'JWT token is invalid or malformed.')
  }
}

const isWithin = ({ nbf, iat, exp }: JWTPayload, now: number): boolean =>
  (nbf ?? iat ?? 0) * 1000 <= now + 300_000 && (exp ?? 0) * 1000 > now

function requireClaims({ id, domain }: Tenant, { clientId }: Application, { iss, sub, aud }: JWTPayload): void {
  if (iss !== clientId || sub !== clientId)
    throw invalidClient(700_021, "Client assertion application identifier doesn't match 'client_id' parameter.")
  const audiences = [id, domain].flatMap((name) => [`${LOGIN}/${name}/oauth2/v2.0/token`, `${LOGIN}/${name}/v2.0`])
  if (![...audiences, issuerOf(id)].some((each) => each === aud))
    throw invalidClient(700_023, 'Client assertion audience claim does not match Realm issuer.')
}
