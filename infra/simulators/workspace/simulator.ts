import type { Controls } from '../toolkit/controls.ts'
import { serveJson, type JsonReply, type JsonServerFault, type StruckReplies } from '../toolkit/json-server.ts'
import type { Simulator, SimulatorSetting } from '../toolkit/simulator.ts'
import type { TokenKeys } from '../toolkit/token-keys.ts'
import { createAuthorizations, refusal } from './authorizations.ts'
import { PEOPLE, type Person } from './directory.ts'
import { createIdentityProvider, type IdentityProvider } from './identity-provider.ts'
import { createIssuers, ISSUER_NAMES, ISSUERS, type IssuerName, type Issuers } from './issuers.ts'

export type { Person } from './directory.ts'
export { ISSUERS, type IssuerName } from './issuers.ts'

/** One call in the request log, without passwords and tokens. */
export interface WorkspaceCall {
  readonly operation: 'configuration' | 'jwks' | 'token' | 'keys' | 'authorization' | 'migration' | 'unknown'
  readonly path: string
}

export type WorkspaceFault = JsonServerFault<WorkspaceCall>

/**
 * The workspace suite, as an encryption key service sees it, and the identity provider of a company that uses it, on
 * loopback. It has no file: a restart replaces all keys.
 */
export interface WorkspaceSimulator extends Simulator, Controls<WorkspaceFault, WorkspaceCall> {
  readonly people: readonly Person[]
  /** issuer of the identity provider's tokens */
  readonly idpIssuer: string
  /** address of its OpenID configuration */
  readonly openidConfigurationUrl: string
  /** base of the suite's key sets; the key set of an issuer is at `<base>/<issuer>` */
  readonly keySets: string
  readonly authenticationOf: IdentityProvider['authenticationOf']
  /** An authorization of an issuer. The default claims name Ada as the writer of a file. */
  readonly authorizationOf: (wanted: WantedAuthorization) => Promise<string>
  /**
   * Creates the key that signs an issuer's tokens from now on. @param keepsFormer whether the previous one stays
   * published
   */
  readonly rotateKeys: (of: 'idp' | IssuerName, keepsFormer: boolean) => Promise<void>
}

export interface WantedAuthorization {
  readonly issuer: IssuerName
  /** replace the default claims, and add `kacls_url`, which has no default; `undefined` omits a claim */
  readonly claims: object
}

const KEY_SETS = '/service_accounts/v1/jwk'
/** Maximum age in the real key sets, in seconds. */
const KEY_SETS_MAX_AGE = 20_000
const RESOURCE = '//googleapis.com/drive/files/first'

const STRUCK: StruckReplies = {
  throttle: { ...refusal(429, 'RESOURCE_EXHAUSTED', 'Slow down.'), headers: { 'retry-after': '3' } },
  'server-error': refusal(503, 'UNAVAILABLE', 'The service is not available.'),
  'access-denied': refusal(403, 'PERMISSION_DENIED', 'The caller may not do this.'),
  'expired-credentials': refusal(401, 'UNAUTHENTICATED', 'The token is expired.'),
}

/** Starts it. @throws Error when no port is free */
export async function startWorkspace({ clock }: Pick<SimulatorSetting, 'clock'>): Promise<WorkspaceSimulator> {
  const now = () => clock.now().getTime()
  const issuers = createIssuers(now)
  const provider = createIdentityProvider(() => `${served.endpoint}/idp`, now)
  const routes = routesOf(provider, issuers)
  const served = await serveJson<WorkspaceCall>({
    callOf: ({ pathname }) => {
      const path = pathname.replaceAll('%40', '@') // as clients spell the accounts of issuers
      return { operation: routes[path]?.operation ?? 'unknown', path }
    },
    struckReplies: STRUCK,
    answer: async ({ path }, _url, { method, body }) => {
      const route = routes[path]
      if (route === undefined) return refusal(404, 'NOT_FOUND', 'There is nothing here.')
      if (method === route.method) return route.reply(body)
      const headers = { allow: route.method }
      return { ...refusal(405, 'METHOD_NOT_ALLOWED', `The method is ${route.method}.`), headers }
    },
  })
  return {
    ...served,
    people: PEOPLE,
    idpIssuer: `${served.endpoint}/idp`,
    openidConfigurationUrl: `${served.endpoint}/idp/.well-known/openid-configuration`,
    keySets: `${served.endpoint}${KEY_SETS}`,
    authenticationOf: provider.authenticationOf,
    authorizationOf: ({ issuer, claims }) => issuers.issue(issuer, { ...usualClaims(issuer), ...claims }),
    rotateKeys: (of, keepsFormer) => (of === 'idp' ? provider : issuers.of[of]).rotate(keepsFormer),
  }
}

const usualClaims = (issuer: IssuerName): object =>
  issuer === 'migration'
    ? { resource_name: RESOURCE, role: 'migrator' }
    : { resource_name: RESOURCE, role: 'writer', email: PEOPLE[0]?.email, email_type: 'google' }

interface Route {
  readonly method: 'GET' | 'POST'
  readonly operation: WorkspaceCall['operation']
  readonly reply: (body: Buffer) => JsonReply | Promise<JsonReply>
}

function routesOf(provider: IdentityProvider, issuers: Issuers): Readonly<Record<string, Route>> {
  const { authorize, migrate } = createAuthorizations(provider, issuers)
  const get = (operation: Route['operation'], reply: Route['reply']): Route => ({ method: 'GET', operation, reply })
  const post = (operation: Route['operation'], reply: Route['reply']): Route => ({ method: 'POST', operation, reply })
  return {
    '/idp/.well-known/openid-configuration': get('configuration', () => ok(provider.configuration())),
    '/idp/jwks': get('jwks', async () => ok(await provider.keySet())),
    '/idp/token': post('token', (body) => provider.token(new URLSearchParams(body.toString('utf8')))),
    ...Object.fromEntries(
      ISSUER_NAMES.map((name) => [`${KEY_SETS}/${ISSUERS[name]}`, get('keys', () => keySetReply(issuers.of[name]))]),
    ),
    '/authorization': post('authorization', authorize),
    '/migration': post('migration', migrate),
  }
}

const ok = (body: object): JsonReply => ({ status: 200, body })

async function keySetReply({ published }: TokenKeys): Promise<JsonReply> {
  const { keys } = await published()
  return {
    ...ok({ keys: keys.map((key) => ({ ...key, alg: 'RS256' })) }),
    headers: { 'cache-control': `public, max-age=${KEY_SETS_MAX_AGE}, must-revalidate, no-transform` },
  }
}
