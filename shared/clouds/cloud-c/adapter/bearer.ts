import { createHash } from 'node:crypto'
import { SignJWT } from 'jose'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import { serviceAccountOf } from './service-account.ts'
import type { CloudCConnection } from './types.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const LIFE_SECONDS = 3_600
/** Ours: a token is replaced this long before its expiry, so that no token expires during a call. */
const SPARE_SECONDS = 300
/** Ours: enough for every connection that an instance serves within an hour. */
const BEARERS_CACHED = 100

interface Bearer {
  readonly token: Promise<string>
  /** Unix seconds */
  readonly endsAt: number
}

const bearers = new BoundedCache<Bearer>(BEARERS_CACHED)

/** A cache key that covers everything a connection consists of, secrets included, without revealing it. */
const digestOf = ({ key, key_file }: CloudCConnection): string =>
  createHash('sha256')
    .update(JSON.stringify([key, key_file]))
    .digest('base64')

/** The machine's time, which the cloud compares with its own. The time of a delayed job would be too early. */
const nowSeconds = (): number => Math.floor(new Date().getTime() / 1000)

async function signed({ key_file }: CloudCConnection, iat: number): Promise<string> {
  const { client_email, private_key_id, privateKey } = serviceAccountOf(key_file)
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: private_key_id })
    .setIssuer(client_email)
    .setSubject(client_email)
    .setIssuedAt(iat)
    .setExpirationTime(iat + LIFE_SECONDS)
    .sign(privateKey)
}

/**
 * The bearer token for a connection's calls. It is signed with the service account's own key; every service of the
 * cloud accepts it, so no token is requested (its documentation, "self-signed JWTs"). Created once an hour for each
 * connection.
 * @throws Refusal RULE_BROKEN for an invalid key file
 */
export function bearerOf(connection: CloudCConnection): Promise<string> {
  const name = digestOf(connection)
  const now = nowSeconds()
  const known = bearers.get(name)
  const bearer =
    known !== undefined && known.endsAt - SPARE_SECONDS > now
      ? known
      : { token: signed(connection, now), endsAt: now + LIFE_SECONDS }
  bearers.set(name, bearer)
  return bearer.token
}

/** Makes the next call create another token. */
export const forgetBearer = (connection: CloudCConnection): boolean => bearers.delete(digestOf(connection))
