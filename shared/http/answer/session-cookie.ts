import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { Refusal } from '../../base/errors.ts'

type Asked = Pick<APIGatewayProxyEventV2, 'headers' | 'cookies'>

/** The cookie that keeps a log-in in a browser. */
export interface SessionCookie {
  /**
   * The value in the request, if any.
   * @throws Refusal ACTION_DENIED for a request from a page of another origin
   */
  readonly value: () => string | undefined
  /** Sets the cookie to another value in the answer. */
  readonly set: (value: string) => void
  /** Makes the browser delete it. */
  readonly clear: () => void
}

/** For work without a request. */
export const NO_COOKIE: SessionCookie = { value: () => undefined, set: () => undefined, clear: () => undefined }

/** Browsers accept a name with this prefix only from the host itself, over TLS. @see RFC 6265bis §4.1.3.2 */
const NAMES = { https: '__Host-keymgr-session', http: 'keymgr-session' } as const

/**
 * Whether the request comes from a page of this host, or not from a page. Ours: the cookie is SameSite=Strict, so this
 * concerns pages of other hosts of the same site, and browsers without that attribute.
 * @see Fetch Metadata Request Headers §2.4
 */
function isOfThisOrigin({ headers }: Asked): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site !== undefined) return site === 'same-origin'
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
}

/**
 * The session cookie of a request.
 * @param answered receives the `Set-Cookie` headers of its answer
 */
export function sessionCookieOf(event: Asked, answered: string[]): SessionCookie {
  // plain HTTP is for a deployment on a laptop, where browsers would drop a cookie for TLS only
  const isSecure = event.headers['x-forwarded-proto'] === 'https'
  const name = isSecure ? NAMES.https : NAMES.http
  const answer = (value: string, more = ''): void => {
    answered.push(`${name}=${value}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}${more}`)
  }
  return {
    value: () => {
      const [pair] = (event.cookies ?? []).filter((cookie) => cookie.startsWith(`${name}=`))
      if (pair !== undefined && !isOfThisOrigin(event))
        throw new Refusal('ACTION_DENIED', 'A session kept by cookie is used by pages of this host only.')
      return pair?.slice(name.length + 1)
    },
    set: (value) => answer(value),
    clear: () => answer('', '; Max-Age=0'),
  }
}
