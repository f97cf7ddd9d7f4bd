import { defined } from '../../../base/fields.ts'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import { fieldsOf, textsOf } from '../../../base/json.ts'
import { later, reached } from '../../../base/time.ts'
import { constantTimeEqual } from '../../../crypto/constant-time.ts'
import type { Context } from '../../../http/context.ts'
import { Changes, Stale } from '../../../store/changes.ts'
import type { ExternalPerson } from '../../connections/external-user.ts'
import { isRegistered } from '../../connections/oidc/address.ts'
import type { Oidc } from '../../connections/oidc/model.ts'
import { NotVouched, Provider, type Claims } from '../../connections/oidc/provider.ts'
import { openSecret } from '../../connections/secret.ts'
import type { StoredLoginConnection } from '../../connections/store.ts'
import { Misdescribed, NotReached } from '../../connections/strategies.ts'
import { countFailure } from '../../users/login-record.ts'
import { domainNamed } from '../credentials.ts'
import type { Grant } from '../grants/grant.ts'
import type { CreateToken, Token } from '../model.ts'
import { admit } from './admit.ts'
import { notValid, openedLogin, sealedLogin, useLogin, type BegunDevice } from './begun-log-in.ts'
import type { Authorization, BeginAuthorization, BeginDevice, DeviceAuthorization } from './oidc-model.ts'
import { placeOf, type Place } from './place.ts'
import { devicePolls } from './used-log-ins.ts'
import { standingOf } from './standing.ts'

const AUTHORIZATION_SECONDS = 600
const SECOND_MS = 1_000

/**
 * The provider is not available. The caller receives its message only if the provider's administrators must act on it.
 */
const unavailable = (cause: NotReached): Refusal =>
  new Refusal(
    'UNAVAILABLE',
    cause instanceof Misdescribed
      ? cause.message
      : 'The identity provider of this connection does not answer now: try again later.',
    { cause },
  )

const noConnection = (): Refusal =>
  new Refusal('NOT_FOUND', 'There is no such connection of strategy oidc.', {
    errors: [{ pointer: '#/connection', detail: 'is no enabled connection of strategy oidc in this domain' }],
  })

const oidcOf = ({ oidc }: StoredLoginConnection): Oidc => {
  if (oidc === undefined) throw new Error('A connection of strategy oidc has its fields')
  return oidc
}

const providerOf = async ({ connection: { item }, homeDomainId }: Place, now: Date): Promise<Provider> =>
  new Provider(item, await openSecret(homeDomainId, item), now)

/** Calls the provider once per request, even if the operation runs again. @throws Refusal UNAVAILABLE; NotVouched */
async function asked<T>({ once }: Context, question: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await once(question, ask)
  } catch (error) {
    throw error instanceof NotReached ? unavailable(error) : error
  }
}

/** @throws Refusal NOT_FOUND */
async function placeToBegin({ connection, domain }: BeginDevice): Promise<Place> {
  const place = await placeOf(domain, connection, 'oidc')
  if (place === undefined) throw noConnection()
  return place
}

const begunAt = ({ domain, connection, homeDomainId }: Place, now: Date, seconds: number) => ({
  id: uuid(now),
  home: homeDomainId,
  connection: connection.item.id,
  domain: domain.id,
  until: later(now, seconds * SECOND_MS).toISOString(),
})

/** Starts a log-in by code with PKCE. Stores nothing. @throws Refusal NOT_FOUND, RULE_BROKEN, UNAVAILABLE */
export async function beginAuthorization(context: Context, body: BeginAuthorization): Promise<Authorization> {
  const { now } = context
  const place = await placeToBegin(body)
  if (!isRegistered(body.redirect_uri, oidcOf(place.connection.item).redirect_uris))
    throw ruleBroken('redirect_uri', 'must be one of the redirect_uris of the connection')
  const provider = await providerOf(place, now)
  const { url, ...begun } = await asked(context, 'begin', () => provider.begin(body.redirect_uri))
  const at = begunAt(place, now, AUTHORIZATION_SECONDS)
  return {
    authorization_url: url,
    state: begun.state,
    authorization_token: await sealedLogin({ kind: 'code', ...at, ...begun, redirectUri: body.redirect_uri }),
    expires_in: AUTHORIZATION_SECONDS,
  }
}

/**
 * Starts a log-in of a device without a browser. Stores nothing. @throws Refusal NOT_FOUND, NOT_SUPPORTED, UNAVAILABLE
 */
export async function beginDevice(context: Context, body: BeginDevice): Promise<DeviceAuthorization> {
  const { now } = context
  const place = await placeToBegin(body)
  const provider = await providerOf(place, now)
  const begun = await asked(context, 'begin', () => provider.beginDevice()).catch((error: unknown) => {
    throw error instanceof NotVouched
      ? new Refusal('NOT_SUPPORTED', 'The identity provider of this connection lets no device log in.', {
          cause: error,
        })
      : error
  })
  const { device_code: deviceCode, interval, expires_in } = begun
  const at = begunAt(place, now, expires_in)
  return {
    user_code: begun.user_code,
    verification_uri: begun.verification_uri,
    ...defined({ verification_uri_complete: begun.verification_uri_complete }),
    device_token: await sealedLogin({ kind: 'device', ...at, deviceCode, interval }),
    interval,
    expires_in,
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const personOf = (claims: Claims, { username_claim }: Oidc): ExternalPerson => ({
  externalId: textOf(claims.sub),
  username: textOf(claims[username_claim]) ?? '',
  // at a provider that does not verify addresses, anyone may enter another person's address
  isUnverified: username_claim === 'email' && claims.email_verified !== true,
  name: textOf(claims.name),
  email: textOf(claims.email),
})

/** Ours: a single group may also be a text instead of a list. */
function groupsIn(claims: Claims, { groups_claim }: Oidc): string[] {
  return [...textsOf(claims[groups_claim])]
}

/**
 * The claim of groups that are at an address, because they are too many for the token. The service does not read them:
 * it calls no address from a token.
 * @see OpenID Connect Core 1.0 §5.6.2
 */
function groupsElsewhere(claims: Claims, { groups_claim }: Oidc): string | undefined {
  const names = fieldsOf(claims._claim_names)
  return claims[groups_claim] === undefined && Object.hasOwn(names, groups_claim) ? groups_claim : undefined
}

/** The place of a started log-in, if it still exists. @throws Refusal LOGIN_FAILED */
async function placeBegun(
  context: Context,
  begun: { readonly domain: string; readonly connection: string },
): Promise<Place> {
  const [place, domain] = await Promise.all([
    placeOf(begun.domain, begun.connection, 'oidc'),
    domainNamed(begun.domain),
  ])
  if (domain) context.setActor({ sub: '', username: '', domain: { id: domain.id, name: domain.name } })
  if (place === undefined) throw notValid()
  return place
}

/** @throws Refusal LOGIN_FAILED for a person who is not a user here or may not log in */
async function admitted(context: Context, place: Place, request: CreateToken, claims: Claims): Promise<Token> {
  const { domain, connection } = place
  const oidc = oidcOf(connection.item)
  const person = personOf(claims, oidc)
  context.setActor({ sub: '', username: person.username, domain: { id: domain.id, name: domain.name } })
  const standing = await standingOf(context, place, person)
  if ('why' in standing) {
    const { uri, name } = connection.item
    context.about({ uri, name, after: { refused_because: standing.why } })
    // the provider has authenticated them, so each attempt has a separate record, unlike refusals of strangers
    countFailure(context.despiteRefusal, place.homeDomainId, { name: person.username }, context.now)
    throw notValid()
  }
  return admit(context, place, request, {
    ...standing,
    person,
    externalGroups: groupsIn(claims, oidc),
    notRead: groupsElsewhere(claims, oidc),
  })
}

const refusedBy =
  (context: Context, { connection: { item } }: Place) =>
  (error: unknown): never => {
    if (!(error instanceof NotVouched)) throw error
    context.about({ uri: item.uri, name: item.name, after: { refused_because: `the provider answers ${error.error}` } })
    throw notValid()
  }

/** A log-in with the code of a provider. @throws Refusal LOGIN_FAILED, UNAVAILABLE */
export const authorizationCodeGrant: Grant = async (context, request) => {
  const { authorization_token: token = '', code = '', state = '', iss } = request
  const begun = await openedLogin(context, 'code', token)
  const place = await placeBegun(context, begun)
  if (!constantTimeEqual(Buffer.from(state), Buffer.from(begun.state))) throw notValid()
  const provider = await providerOf(place, context.now)
  const claims = await asked(context, `redeem ${code}`, () => provider.redeem(begun, { code, iss })).catch(
    refusedBy(context, place),
  )
  useLogin(context, begun)
  return admitted(context, place, request, claims)
}

/** @see RFC 8628 §3.5 */
const SLOWER_BY_SECONDS = 5

const tooOften = (seconds: number): Refusal =>
  new Refusal('TOO_MANY_REQUESTS', `slow_down: wait ${seconds} seconds between requests from now on.`)

/**
 * Counts a poll of a device before the provider is called: a device that polls more often than at the interval of its provider
 * does not reach it.
 * @throws Refusal TOO_MANY_REQUESTS
 */
async function pacePoll({ once, now }: Context, { home, id, until, interval }: BegunDevice): Promise<void> {
  await once('poll', async () => {
    const stored = await devicePolls.get(home, id)
    if (stored !== undefined && !reached(stored.item.nextAt, now)) throw tooOften(interval)
    const nextAt = later(now, interval * SECOND_MS).toISOString()
    const changes = new Changes()
    if (stored) changes.update(devicePolls, home, stored, { ...stored.item, nextAt })
    else changes.create(devicePolls, home, { id, until, nextAt })
    await changes.commit(now).catch((error: unknown) => {
      throw error instanceof Stale ? tooOften(interval) : error
    })
  })
}

/** The refusal for a provider's error while no one has confirmed the log-in yet. @see RFC 8628 §3.5 */
function stillPending(error: unknown, interval: number): Refusal | undefined {
  if (!(error instanceof NotVouched)) return undefined
  if (error.error === 'authorization_pending')
    return new Refusal(
      'STATE_CONFLICT',
      `authorization_pending: the log-in is not confirmed yet, ask again in ${interval} seconds.`,
    )
  if (error.error === 'slow_down') return tooOften(interval + SLOWER_BY_SECONDS)
  return undefined
}

/**
 * A log-in that the user confirms on another device. @throws Refusal STATE_CONFLICT until then, TOO_MANY_REQUESTS,
 * LOGIN_FAILED, UNAVAILABLE
 */
export const deviceCodeGrant: Grant = async (context, request) => {
  const begun = await openedLogin(context, 'device', request.device_token ?? '')
  const place = await placeBegun(context, begun)
  await pacePoll(context, begun)
  const provider = await providerOf(place, context.now)
  const claims = await asked(context, 'redeem', () => provider.redeemDevice(begun.deviceCode))
    .catch((error: unknown) => {
      throw stillPending(error, begun.interval) ?? error
    })
    .catch(refusedBy(context, place))
  useLogin(context, begun)
  return admitted(context, place, request, claims)
}
