import type { Fields } from '../../../base/json.ts'
import type { GuardedRequest } from '../../../base/network/guarded-fetch.ts'

/** The cloud's scope that requests everything the client itself may do. */
const SCOPE = 'urn:opc:idm:__myscopes__'

/** Requests a token with which a client reads the protected key set of its provider. @see RFC 6749 §2.3.1, §4.4 */
export function tokenRequest(clientId: string, clientSecret: string): GuardedRequest {
  const basic = [clientId, clientSecret].map(encodeURIComponent).join(':')
  return {
    method: 'POST',
    headers: {
      accept: 'application/json',
      authorization: `Basic ${Buffer.from(basic).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: SCOPE }).toString(),
  }
}

/** The token in the answer; `undefined` unless it fits into a header. */
export const tokenIn = ({ access_token: token }: Fields): string | undefined =>
  typeof token === 'string' && /^[\x21-\x7e]{1,16384}$/.test(token) ? token : undefined
