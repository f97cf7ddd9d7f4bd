import { createHash } from 'node:crypto'
import { SignJWT } from 'jose'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import { serviceAccountOf } from './service-account.ts'
import type { CloudCConnection } from './types.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const LIFE_SECONDS = 3_600
/** Ours: replaced so long before it ends, so that none runs out on its way. */
const SPARE_SECONDS = 300
/** Ours: enough for every connection an instance serves within an hour. */
const BEARERS_CACHED = 100

interface Bearer {
  readonly token: Promise<string>
  /** Unix seconds */
  readonly endsAt: number
}

const bearers = new BoundedCache<Bearer>(BEARERS_CACHED)

/** Tells connections apart, secrets and all, without showing them. */
const digestOf = ({ key, key_file }: CloudCConnection): string =>
  createHash('sha256')
    .update(JSON.stringify([key, key_file]))
    .digest('base64')

/** By the machine's time, as the cloud judges it: the request's own may be that of a job which is caught up with. */
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
 * The bearer token for a connection's calls. It is signed with the service account's own key; every service of the cloud
 * accepts it, so no token is requested (its documentation, "self-signed JWTs"). Made once an hour for each connection.
 * @throws Refusal RULE_BROKEN for a key file that is none
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

/** The next call makes another token. */
export const forgetBearer = (connection: CloudCConnection): boolean => bearers.delete(digestOf(connection))
