import { SignJWT } from 'jose'
import { createPrivateKey } from 'node:crypto'
import type { CloudCSimulator, KeyFile } from '../../../../infra/simulators/cloud-c/simulator.ts'

export const PROJECT = 'projects/shop-keys'
export const RING = `${PROJECT}/locations/europe-west3/keyRings/orders`
export const OTHER_RING = `${PROJECT}/locations/europe-west3/keyRings/invoices`
export const ADMINISTRATOR = 'serviceAccount:keymgr@shop-keys.iam.gserviceaccount.com'
export const USER = 'user:alice@shop.example'

/** Members of an answer and of its error. */
export interface Reply {
  readonly status: number
  /** the cloud's code of a refusal, `OK` for a success */
  readonly code: string
  readonly body: any
  readonly headers: Headers
}

/** Sends requests without a client library. */
export interface Api {
  readonly get: (path: string) => Promise<Reply>
  readonly post: (path: string, body?: unknown) => Promise<Reply>
  readonly patch: (path: string, body: unknown) => Promise<Reply>
}

/** @param bearer default: the administrator's, new for each request, since tests move the clock; `null` sends none */
export function apiOf({ endpoint, bearerOf }: CloudCSimulator, bearer: string | null = `as ${ADMINISTRATOR}`): Api {
  const token = () => (bearer?.startsWith('as ') === true ? bearerOf(bearer.slice(3)) : bearer)
  const send = async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const answer = await fetch(`${endpoint}/${path}`, {
      method,
      headers: bearer === null ? {} : { authorization: `Bearer ${token()}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const reply: any = JSON.parse(await answer.text())
    return { status: answer.status, code: reply.error?.status ?? 'OK', body: reply, headers: answer.headers }
  }
  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    patch: (path, body) => send('PATCH', path, body),
  }
}

/** Rights of a user of keys. */
export const userApi = (simulator: CloudCSimulator): Api => apiOf(simulator, `as ${USER}`)

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'

/**
 * A token that an account signs for itself. @param more claims that replace the usual ones, header members in `header`
 */
export async function signedBy(
  file: KeyFile,
  more: { claims?: Record<string, unknown>; header?: Record<string, unknown> } = {},
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const { client_email: iss, private_key_id: kid } = file
  return new SignJWT({ iss, sub: iss, scope: SCOPE, iat, exp: iat + 3600, ...more.claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid, ...more.header })
    .sign(createPrivateKey(file.private_key))
}

/** A new key of the ring, after its generation. @returns its full name */
export async function newKey(
  api: Api,
  id: string,
  body: object = { purpose: 'ENCRYPT_DECRYPT' },
  query = '',
): Promise<string> {
  const { body: made, status } = await api.post(`v1/${RING}/cryptoKeys?cryptoKeyId=${id}${query}`, body)
  if (status !== 200) throw new Error(JSON.stringify(made))
  return String(made.name)
}

/** Reads until a condition holds, ten times at most. */
export async function lookUntil(look: () => Promise<Reply>, isSo: (body: any) => boolean): Promise<Reply> {
  for (let left = 10; ; left--) {
    const seen = await look()
    if (isSo(seen.body)) return seen
    if (left === 0) throw new Error(`It never was so: ${JSON.stringify(seen.body)}`)
  }
}
