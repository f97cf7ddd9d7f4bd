import { createLocalJWKSet, jwtVerify, type JWTPayload } from 'jose'
import { ISSUERS, type IssuerName, type WorkspaceSimulator } from '../../../../infra/simulators/workspace/simulator.ts'

export const CLIENT = 'client-of-the-suite'
export const KACLS_URL = 'https://kacls.example.test/api/v1/keymgr/WorkspaceCSE/endpoints/one'
export const FILE = '//googleapis.com/drive/files/one'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

/** A call like one of a browser or a server of the suite. @param body a form or an object */
export async function call(method: string, url: string, body?: URLSearchParams | object | string): Promise<Reply> {
  const sent = body === undefined || typeof body === 'string' || body instanceof URLSearchParams
  const answer = await fetch(url, { method, ...(body && { body: sent ? body : JSON.stringify(body) }) })
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) }
}

export const logIn = ({ endpoint }: WorkspaceSimulator, email: string, more: object = {}): Promise<Reply> => {
  const form = { grant_type: 'password', client_id: CLIENT, username: email, password: `password of ${email}`, ...more }
  return call('POST', `${endpoint}/idp/token`, new URLSearchParams(form))
}

/** Claims of an id token, verified with the published keys. */
export async function authenticated(simulator: WorkspaceSimulator, token: string, now: Date): Promise<JWTPayload> {
  const { body } = await call('GET', simulator.openidConfigurationUrl)
  return verified(body.jwks_uri, token, { issuer: body.issuer, audience: CLIENT, currentDate: now })
}

/** Claims of an authorization, verified with the key set of its issuer. */
export const authorized = (
  { keySets }: WorkspaceSimulator,
  token: string,
  issuer: IssuerName,
  now: Date,
): Promise<JWTPayload> =>
  verified(`${keySets}/${ISSUERS[issuer]}`, token, {
    issuer: ISSUERS[issuer],
    audience: 'cse-authorization',
    currentDate: now,
  })

async function verified(keySet: string, token: string, expected: object): Promise<JWTPayload> {
  const { body } = await call('GET', keySet)
  const algorithms = ['RS256']
  return (await jwtVerify(token, createLocalJWKSet(body), { algorithms, ...expected })).payload
}
