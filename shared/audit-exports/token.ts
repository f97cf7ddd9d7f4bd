import * as z from 'zod'
import { constantTimeEqual } from '../crypto/constant-time.ts'
import { environment } from '../base/environment.ts'
import { Refusal } from '../base/errors.ts'
import { ROOT_DOMAIN_ID, uuid } from '../base/ids.ts'
import { RecentCache } from '../base/recent-cache.ts'
import { toSeconds } from '../base/time.ts'
import { json, type Answer, type HttpEvent } from '../http/request/call.ts'
import type { Caller, Context } from '../http/context.ts'
import { domains } from '../identity/domains/store.ts'
import { signToken, verifyToken } from '../keyring/token-key.ts'
import { object } from '../base/lazy-fields.ts'
import type { PlatformToken, TokenRequest } from './credentials/model.ts'
import { clientIdOf, partsOf, secretHash } from './credentials/credentials.ts'
import { platformCredentials } from './credentials/store.ts'

/** Lifetime of a platform token (interface, Limits). */
const PLATFORM_TOKEN_SECONDS = 3_600
/** How long an instance may accept a token of a revoked credential. */
const STANDING_MS = 5_000
const STANDINGS_CACHED = 1_000

/** Audience of platform tokens: no other API accepts them, and this API accepts no others. */
const audienceOf = (issuer: string): string => `${issuer}/platform/api`

const Claims = object(() => ({ sub: z.string() }))

/** A refused request for a token, with its error name in the standard. @see RFC 6749 §5.2 */
class TokenRefusal extends Refusal {
  readonly error: string

  constructor(reason: 'LOGIN_FAILED' | 'RULE_BROKEN', error: string, message: string) {
    super(reason, message)
    this.error = error
  }
}

const noSuchClient = (): TokenRefusal =>
  new TokenRefusal('LOGIN_FAILED', 'invalid_client', 'client_id and client_secret are not those of a credential.')

/** The error body of the token endpoint. @see RFC 6749 §5.2 */
export function tokenError(refusal: Refusal): Answer {
  const error = refusal instanceof TokenRefusal ? refusal.error : 'invalid_request'
  // Ours: the description allows fewer characters than JSON, and no quotes.
  const error_description = refusal.message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'")
  const isUnknown = error === 'invalid_client'
  return json(isUnknown ? 401 : 400, { error, error_description }, isUnknown ? { 'www-authenticate': 'Basic' } : {})
}

/** A caller with a credential that exists, of a domain that exists; `undefined` otherwise. Two reads. */
async function holderOf(id: string, domain: string): Promise<{ caller: Caller; secret_hash: string } | undefined> {
  const [credential, place] = await Promise.all([
    platformCredentials.get(domain, id),
    domains.get(ROOT_DOMAIN_ID, domain),
  ])
  if (credential === undefined || place === undefined) return undefined
  const { name, secret_hash } = credential.item
  const client = { id: clientIdOf(domain, id), name }
  const caller = {
    sub: id,
    username: name,
    domain: { id: domain, name: place.item.name },
    homeDomainId: domain,
    client,
  }
  return { caller: { ...caller, groups: [], sessionId: undefined }, secret_hash }
}

/**
 * POST of the form: issues a token for an hour.
 * @throws Refusal LOGIN_FAILED, RULE_BROKEN, with error names of RFC 6749
 */
export async function issuePlatformToken(
  { now, setActor }: Context,
  { grant_type, client_id, client_secret }: TokenRequest,
): Promise<PlatformToken> {
  if (grant_type !== 'client_credentials')
    throw new TokenRefusal('RULE_BROKEN', 'unsupported_grant_type', 'grant_type must be client_credentials.')
  const parts = partsOf(client_id)
  const holder = parts && (await holderOf(parts.id, parts.domain))
  if (holder === undefined) throw noSuchClient()
  setActor(holder.caller)
  if (!constantTimeEqual(Buffer.from(secretHash(client_secret)), Buffer.from(holder.secret_hash))) throw noSuchClient()
  const iss = environment().KEYMGR_BASE_URL
  const claims = { iss, aud: audienceOf(iss), sub: client_id, jwtid: uuid(now) }
  const access_token = await signToken(claims, toSeconds(now), PLATFORM_TOKEN_SECONDS)
  return { access_token, token_type: 'Bearer', expires_in: PLATFORM_TOKEN_SECONDS }
}

const standings = new RecentCache<Caller | undefined>(STANDINGS_CACHED, STANDING_MS)

const refused = (message: string, cause?: unknown): Refusal =>
  new Refusal('TOKEN_INVALID', `${message}: POST /platform/auth/oauth/v1/token gives one.`, { cause })

const BEARER = /^bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i
const TOKEN_CHARACTERS = 8_192

/** The owner of the credential for which a platform token was issued. @throws Refusal TOKEN_INVALID */
export async function authenticatePlatform({ headers, call: { now } }: HttpEvent): Promise<Caller> {
  const given = headers.authorization ?? ''
  const token = given.length > TOKEN_CHARACTERS ? undefined : BEARER.exec(given)?.[1]
  if (token === undefined)
    throw refused('This call needs a platform token, in the header Authorization: Bearer <token>')
  const issuer = environment().KEYMGR_BASE_URL
  const payload = await verifyToken(token, issuer, audienceOf(issuer), now).catch((error: unknown) => {
    if (error instanceof Refusal && error.reason === 'TOKEN_INVALID')
      throw refused('The token is not a valid one of the platform', error)
    throw error
  })
  const { sub } = Claims.parse(payload)
  const parts = partsOf(sub)
  const caller = parts && (await standings.get(sub, now, async () => (await holderOf(parts.id, parts.domain))?.caller))
  if (caller === undefined) throw refused('The credential of this token was revoked')
  return caller
}
