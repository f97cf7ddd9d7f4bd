import { createHash, createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import type { AccessToken, GetTokenOptions, TokenCredential } from '@azure/core-auth'
import { createHttpHeaders, createPipelineRequest } from '@azure/core-rest-pipeline'
import { SignJWT } from 'jose'
import * as z from 'zod'
import { defined } from '../../../base/fields.ts'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { Unreadable } from '../../../cloud/adapter/failures.ts'
import { object } from '../../../base/lazy-fields.ts'
import { failureIn } from './errors.ts'
import { addressOf } from './hosts.ts'
import { senderFor } from './transport.ts'
import type { CloudBConnection } from './types.ts'

/**
 * Ours: a token is replaced this long before its expiry, or at half its life, so that no token expires during a call.
 */
const SPARE_SECONDS = 300
/** Ours: enough for every connection that an instance serves within an hour, with a few services each. */
const TOKENS_CACHED = 300
const ASSERTION_SECONDS = 300
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

interface Kept {
  readonly token: Promise<AccessToken>
  /** milliseconds since 1970; while the request is under way, its promise is shared */
  readonly until: number
}

const tokens = new BoundedCache<Kept>(TOKENS_CACHED)

/** A cache key that covers everything a connection consists of, secrets included, without revealing it. */
export const digestOf = ({ key, cloud_name, tenant_id, client_id, credential }: CloudBConnection): string =>
  createHash('sha256')
    .update(JSON.stringify([key, cloud_name, tenant_id, client_id, credential]))
    .digest('base64')

/** The machine's time, which the cloud compares with its own. The time of a delayed job would be too early. */
const nowMs = (): number => new Date().getTime()

/** Id or domain of a tenant: it becomes part of an address, and a challenge may name it. */
const TENANT = /^[a-z0-9][a-z0-9.-]{0,250}$/i

function tokenUrl({ cloud_name }: CloudBConnection, tenant: string): string {
  if (!TENANT.test(tenant)) throw new Refusal('RULE_BROKEN', 'tenant_id must be the id or the domain of a tenant.')
  return `${addressOf(cloud_name, 'login')}/${tenant}/oauth2/v2.0/token`
}

/** @throws Refusal RULE_BROKEN, which quotes none of it, for PEM texts that cannot be parsed */
function keyPair(certificate: string, privateKey: string): { thumbprint: (hash: string) => string; key: KeyObject } {
  try {
    const { raw } = new X509Certificate(certificate)
    return {
      thumbprint: (hash) => createHash(hash).update(raw).digest('base64url'),
      key: createPrivateKey(privateKey),
    }
  } catch {
    throw ruleBroken('certificate', 'and private_key must be PEM that can be read')
  }
}

/** The proof that the caller has the private key of the application's certificate (RFC 7523 §2.2). */
function assertion(clientId: string, audience: string, certificate: string, privateKey: string): Promise<string> {
  const { thumbprint, key } = keyPair(certificate, privateKey)
  const now = Math.floor(nowMs() / 1000)
  return new SignJWT({})
    .setProtectedHeader({ alg: 'PS256', typ: 'JWT', x5t: thumbprint('sha1'), 'x5t#S256': thumbprint('sha256') })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience)
    .setJti(crypto.randomUUID())
    .setNotBefore(now)
    .setIssuedAt(now)
    .setExpirationTime(now + ASSERTION_SECONDS)
    .sign(key)
}

async function proofOf({ client_id, credential }: CloudBConnection, url: string): Promise<Record<string, string>> {
  if ('client_secret' in credential) return { client_secret: credential.client_secret }
  const { certificate, private_key } = credential
  return {
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: await assertion(client_id, url, certificate, private_key),
  }
}

const Granted = object(() => ({ access_token: z.string().min(1), expires_in: z.coerce.number().positive() }))

/** Requests one token. The budget of one caller does not abort a request that callers share. */
async function granted(
  connection: CloudBConnection,
  scope: string,
  { tenantId, claims }: GetTokenOptions,
): Promise<AccessToken> {
  const url = tokenUrl(connection, tenantId ?? connection.tenant_id)
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: connection.client_id,
    scope,
    ...(await proofOf(connection, url)),
    ...defined({ claims }),
  })
  const { status, bodyAsText: text } = await senderFor('request').sendRequest(
    createPipelineRequest({
      url,
      method: 'POST',
      headers: createHttpHeaders({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }),
      body: form.toString(),
    }),
  )
  if (status === 401) throw failureIn(status, text ?? '')
  const reply = Granted.safeParse(JSON.parse(text ?? '{}'))
  if (!reply.success) throw new Unreadable('no token in the answer')
  return { token: reply.data.access_token, expiresOnTimestamp: nowMs() + reply.data.expires_in * 1000 }
}

/** Time until which a token issued now is reused. */
function until({ expiresOnTimestamp }: AccessToken, now: number): number {
  const lifeMs = expiresOnTimestamp - now
  return expiresOnTimestamp - Math.min(SPARE_SECONDS * 1000, lifeMs / 2)
}

function keep(name: string, token: Promise<AccessToken>): Promise<AccessToken> {
  const kept = { token, until: Infinity }
  tokens.set(name, kept)
  const isOurs = () => tokens.get(name) === kept
  token.then(
    (given) => isOurs() && tokens.set(name, { token, until: until(given, nowMs()) }),
    () => isOurs() && tokens.delete(name),
  )
  return token
}

/**
 * Authenticates with the connection's secret or its certificate. Tokens are cached for each tenant and scope; a token
 * with claims replaces the one that the cloud rejected.
 */
export function credentialOf(connection: CloudBConnection): TokenCredential {
  const digest = digestOf(connection)
  return {
    getToken: (scopes, options = {}) => {
      const scope = [scopes].flat().join(' ')
      const name = [digest, options.tenantId ?? connection.tenant_id, scope].join(' ')
      const kept = tokens.get(name)
      if (options.claims === undefined && kept !== undefined && kept.until > nowMs()) return kept.token
      return keep(name, granted(connection, scope, options))
    },
  }
}

/** Makes the next calls request new tokens. */
export function forgetTokens(connection: CloudBConnection): void {
  const digest = digestOf(connection)
  for (const name of tokens.keys()) if (name.startsWith(digest)) tokens.delete(name)
}
