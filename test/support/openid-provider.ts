import { createHash, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider, type Configuration } from 'oidc-provider'
import type { IssuerKey } from './issuer.ts'
import { signIn } from './openid-browser.ts'

/** Signature algorithm of a provider's tokens. */
export type OpenidAlgorithm = 'RS256' | 'PS256' | 'ES256'

/** A key of a provider, with its private key. */
export interface OpenidKey extends IssuerKey {
  readonly alg: OpenidAlgorithm
}

/** A person who can log in. */
export interface OpenidPerson {
  readonly sub: string
  readonly email: string
  /** additional claims of id tokens */
  readonly [claim: string]: unknown
}

/** The client of most tests: public, with PKCE. */
export const OPENID_CLIENT = 'workspace-pages'
const REDIRECT = 'https://pages.example.test/signed-in'

/**
 * A client with a secret, which also allows devices to log in, and its redirect addresses: the last one is the
 * console's.
 */
export const LOGIN_CLIENT = {
  client_id: 'keymgr-log-in',
  client_secret: 'secret-of-the-log-in-client-0123456789',
  redirect_uris: ['https://console.example.test/back', 'http://127.0.0.1/back', 'http://127.0.0.1/console/'],
} as const
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const SCOPES = 'openid email profile'
/** Longer than tests move the service's clock, which the provider does not know. */
const SECONDS = 3 * 86_400

export const DISCOVERY = '/.well-known/openid-configuration'
export const KEY_SET = '/jwks'

/**
 * A real OpenID provider on loopback, with two clients, its own key set, and log-in pages.
 * @see OpenID Connect Core 1.0, Discovery 1.0
 */
export interface OpenidProvider {
  /** its address, which is the `iss` of its tokens */
  readonly issuer: string
  readonly openidConfigurationURL: string
  /** Logs a person in by code with PKCE, like a browser. @returns the id token */
  readonly logIn: (email: string) => Promise<string>
  /** Number of requests for a path so far. */
  readonly asked: (path: string) => number
  /** Answers at a path instead of the provider from now on; `undefined` restores the provider. */
  readonly answer: (path: string, listener: RequestListener | undefined) => void
  /** Starts it at the same address, after it was stopped, with other keys: the first one signs, all are published. */
  readonly restart: (...keys: OpenidKey[]) => Promise<void>
  /** Stops listening at its address. */
  readonly stop: () => Promise<void>
}

export function openidKey(kid: string, alg: OpenidAlgorithm = 'RS256'): OpenidKey {
  const pair: { privateKey: KeyObject; publicKey: KeyObject } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return { kid, alg, ...pair }
}

/** A listener that answers with JSON. */
export const json =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  }

const signedBy = ([first]: readonly OpenidKey[]) => (first ? { id_token_signed_response_alg: first.alg } : {})

function configurationOf(people: readonly OpenidPerson[], keys: readonly OpenidKey[]): Configuration {
  const claims = new Set(people.flatMap((person) => Object.keys(person)))
  return {
    clients: [
      {
        client_id: OPENID_CLIENT,
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: 'none',
        ...signedBy(keys),
      },
      {
        ...LOGIN_CLIENT,
        redirect_uris: [...LOGIN_CLIENT.redirect_uris],
        application_type: 'native', // on loopback it accepts any port
        grant_types: ['authorization_code', DEVICE_GRANT],
        response_types: ['code'],
        ...signedBy(keys),
      },
    ],
    jwks: {
      keys: keys.map(({ kid, alg, privateKey }) => ({ ...privateKey.export({ format: 'jwk' }), kid, alg, use: 'sig' })),
    },
    findAccount: (_context, sub) => {
      const person = people.find((one) => one.sub === sub)
      return person && { accountId: sub, claims: () => ({ email_verified: true, ...person }) }
    },
    claims: { email: ['email', 'email_verified', ...claims] },
    conformIdTokenClaims: false, // claims of the scopes are in the id token, as with the large providers
    cookies: { keys: [randomBytes(32).toString('hex')] },
    features: { devInteractions: { enabled: true }, deviceFlow: { enabled: true } },
    ttl: {
      IdToken: SECONDS,
      AccessToken: SECONDS,
      Interaction: SECONDS,
      Session: SECONDS,
      Grant: SECONDS,
      DeviceCode: SECONDS,
    },
  }
}

/** The authorization code flow. @see RFC 7636 */
async function logIn(issuer: string, sub: string): Promise<string> {
  const code_verifier = randomBytes(32).toString('base64url')
  const authorization = new URL(`${issuer}/auth`)
  const client = { client_id: OPENID_CLIENT, redirect_uri: REDIRECT }
  authorization.search = new URLSearchParams({
    ...client,
    response_type: 'code',
    scope: SCOPES,
    nonce: randomBytes(16).toString('hex'),
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  const code = (await signIn(authorization, sub)).searchParams.get('code') ?? ''
  const body = new URLSearchParams({ ...client, grant_type: 'authorization_code', code, code_verifier })
  const response = await fetch(`${issuer}/token`, { method: 'POST', body })
  const answer = (await response.json()) as { id_token?: string }
  if (answer.id_token === undefined) throw new Error(`The provider gives no id token: ${JSON.stringify(answer)}`)
  return answer.id_token
}

async function end(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

/** @param keys the first one signs, all are published */
export async function startOpenidProvider(
  people: readonly OpenidPerson[],
  ...keys: OpenidKey[]
): Promise<OpenidProvider> {
  const counts = new Map<string, number>()
  const answers = new Map<string, RequestListener>()
  let server: Server | undefined
  let provided: RequestListener
  const listen = async (port: number): Promise<number> => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://any')
      response.shouldKeepAlive = false // after a restart no client may have a connection to the former server
      counts.set(pathname, (counts.get(pathname) ?? 0) + 1)
      ;(answers.get(pathname) ?? provided)(request, response)
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const issuer = `http://127.0.0.1:${port}`
  const provide = (published: readonly OpenidKey[]): void => {
    const callback = new Provider(issuer, configurationOf(people, published)).callback()
    provided = (request, response) => void callback(request, response)
  }
  provide(keys)
  const stop = async (): Promise<void> => {
    const ended = server
    server = undefined
    if (ended) await end(ended)
  }
  return {
    issuer,
    openidConfigurationURL: issuer + DISCOVERY,
    logIn: (email) => {
      const person = people.find((one) => one.email === email)
      if (person === undefined) throw new Error(`Nobody is ${email}`)
      return logIn(issuer, person.sub)
    },
    asked: (path) => counts.get(path) ?? 0,
    answer: (path, listener) => {
      if (listener) answers.set(path, listener)
      else answers.delete(path)
    },
    restart: async (...others) => {
      await stop()
      provide(others)
      await listen(port)
    },
    stop,
  }
}
