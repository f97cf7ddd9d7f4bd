import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeymgr, type Keymgr } from '../../../clients/sdk/client.ts'
import { logIn, LogInEnded, type LogIn, type LogInOptions } from '../../../clients/sdk/log-in.ts'
import { UnreachableError } from '../../../clients/sdk/problem.ts'
import { byAuthorizationCode, byDevice, byPassword, byRefreshToken, type Way } from '../../../clients/sdk/ways.ts'
import { createClock } from '../../../infra/local/clock.ts'
import { confirmDevice, signIn } from '../../support/openid-browser.ts'
import {
  json,
  LOGIN_CLIENT,
  openidKey,
  startOpenidProvider,
  type OpenidProvider,
} from '../../support/openid-provider.ts'
import { closedPort } from '../../support/ports.ts'
import { ADMIN_PASSWORD, useService } from '../../support/service.ts'

const SECOND = 1_000
const clock = createClock()
const service = useService({ clock })
let baseUrl = ''
let provider: OpenidProvider
beforeAll(async () => {
  baseUrl = `${service().deployment.baseUrl}/api`
  const people = [{ sub: 'sub-of-dora', email: 'dora@company.test', preferred_username: 'dora' }]
  provider = await startOpenidProvider(people, openidKey('first'))
  const body = {
    name: 'people',
    strategy: 'oidc',
    create_users: true,
    oidc: { issuer: provider.issuer, ...LOGIN_CLIENT },
  }
  const made = await service().call('POST', '/v1/usermgmt/connections', { token: await service().logIn(), body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
})
afterAll(() => provider.stop())

/** The deployment's time, so that both sides agree on what is over; what waits is told how long. */
const timing = (wait: (milliseconds: number) => Promise<void> = () => Promise.resolve()) => ({
  now: () => clock.now().getTime(),
  wait,
  random: () => 0,
})

interface Watched {
  readonly session: LogIn
  readonly keymgr: Keymgr
  /** bodies of the token calls so far */
  readonly asked: any[]
  readonly told: (string | undefined)[]
}

function watched(way: Way, options: Partial<LogInOptions> = {}): Watched {
  const asked: any[] = []
  const told: (string | undefined)[] = []
  const counting: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    if (request.url.endsWith('/v1/auth/tokens')) asked.push(await request.clone().json())
    return fetch(request)
  }
  const session = logIn(way, {
    baseUrl,
    fetch: counting,
    timing: timing(),
    onRefreshToken: (token) => told.push(token),
    ...options,
  })
  return { session, keymgr: createKeymgr({ baseUrl, token: session.token }), asked, told }
}

const me = async ({ keymgr }: Watched): Promise<string> => (await keymgr.get('/v1/auth/self/user')).username
const admin = byPassword({ name: 'admin', password: ADMIN_PASSWORD })
const thrownBy = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

test('a password is asked for once, and its token serves until a fifth of its time is left', async () => {
  const one = watched(admin)
  expect(one.asked).toEqual([])
  expect(await me(one)).toBe('admin')
  clock.advance(230 * SECOND)
  expect(await me(one)).toBe('admin')
  expect(one.asked).toEqual([{ name: 'admin', password: ADMIN_PASSWORD }])
  clock.advance(20 * SECOND)
  expect(await me(one)).toBe('admin')
  expect(one.asked.slice(1)).toEqual([{ grant_type: 'refresh_token', refresh_token: one.told[0] }])
})

test('calls at the same time share one log-in, and one renewal', async () => {
  const one = watched(admin)
  await Promise.all([me(one), me(one), me(one)])
  clock.advance(299 * SECOND)
  await Promise.all([me(one), me(one), me(one)])
  expect(one.asked).toHaveLength(2)
})

test('a token that the service no longer takes is renewed, and the call repeated', async () => {
  const one = watched(admin, { timing: { ...timing(), now: () => 0 } }) // a machine whose clock stood still
  await me(one)
  clock.advance(400 * SECOND)
  expect(await me(one)).toBe('admin')
  expect(one.asked).toHaveLength(2)
})

test('an ended log-in begins again by password, and its owner is told of both refresh tokens', async () => {
  const one = watched(admin)
  await me(one)
  const [first] = one.told
  await service().call('POST', '/v1/auth/revoke', { body: { refresh_token: first } })
  clock.advance(301 * SECOND)
  expect(await me(one)).toBe('admin')
  expect(one.told).toEqual([first, undefined, expect.any(String)])
  expect(one.told[2]).not.toBe(first)
})

test('a kept refresh token goes on with a log-in, until that is over', async () => {
  const first = watched(admin)
  await me(first)
  const kept = first.told[0] ?? ''
  const second = watched(byRefreshToken(kept))
  expect(await me(second)).toBe('admin')
  clock.advance(301 * SECOND)
  expect(await me(second)).toBe('admin')
  expect(second.asked).toEqual([
    { grant_type: 'refresh_token', refresh_token: kept },
    { grant_type: 'refresh_token', refresh_token: kept },
  ])
  await first.session.logOut()
  clock.advance(301 * SECOND)
  expect(await thrownBy(me(second))).toMatchObject({ kind: 'unauthenticated' })
  expect(second.told).toEqual([undefined])
})

test('log-out ends it here and at the service', async () => {
  const one = watched(admin)
  const running = me(one)
  const ended = one.session.logOut()
  await running
  await ended
  expect(await thrownBy(me(one))).toBeInstanceOf(LogInEnded)
  expect(one.told).toEqual([expect.any(String), undefined])
  const body = { grant_type: 'refresh_token', refresh_token: one.told[0] }
  expect((await service().call('POST', '/v1/auth/tokens', { body })).status).toBe(401)
  await logIn(admin, { baseUrl }).logOut() // nothing began, so nothing ends
})

test('a wrong password is refused and not sent again', async () => {
  const one = watched(byPassword({ name: 'admin', password: 'Wrong-password-1x' }))
  const error = await thrownBy(me(one))
  expect(error).toMatchObject({ kind: 'unauthenticated', attempts: 1 })
  expect(await thrownBy(me(one))).toBe(error)
  expect(one.asked).toHaveLength(1)
})

test('while the service cannot be reached, a token serves until its end', async () => {
  const nowhere = `http://127.0.0.1:${await closedPort()}/`
  let isDown = false
  const one = watched(admin, {
    fetch: (input, init) => fetch(isDown ? nowhere : input, init),
  })
  await me(one)
  isDown = true
  clock.advance(250 * SECOND)
  expect(await me(one)).toBe('admin')
  clock.advance(51 * SECOND)
  expect(await thrownBy(one.session.token())).toBeInstanceOf(UnreachableError)
})

/** Keeps cookies as a browser does for its own pages. */
function cookieKeeping(): typeof fetch {
  let cookie = ''
  return async (input, init) => {
    const request = new Request(input, init)
    if (cookie !== '') request.headers.set('cookie', cookie)
    request.headers.set('origin', service().deployment.baseUrl)
    const response = await fetch(request)
    for (const set of response.headers.getSetCookie()) cookie = set.split(';')[0] ?? ''
    return response
  }
}

test('a session kept by cookie is renewed without a refresh token or password', async () => {
  const browser = cookieKeeping()
  const one = watched(byPassword({ name: 'admin', password: ADMIN_PASSWORD, cookies: true }), { fetch: browser })
  expect(await me(one)).toBe('admin')
  clock.advance(301 * SECOND)
  expect(await me(one)).toBe('admin')
  expect(one.told).toEqual([])
  await one.session.logOut()
  const body = { grant_type: 'refresh_token' }
  const renewed = await browser(`${baseUrl}/v1/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(renewed.ok).toBe(false)
})

test('a device is confirmed in a browser elsewhere, while the log-in asks at the interval it was told', async () => {
  const waits: number[] = []
  let address = ''
  const wait = async (milliseconds: number): Promise<void> => {
    waits.push(milliseconds)
    if (waits.length === 2) provider.answer('/token', json({ error: 'slow_down' }, 400))
    else provider.answer('/token', undefined)
    if (waits.length === 3) await confirmDevice(new URL(address), 'sub-of-dora')
  }
  const show = (prompt: { verification_uri_complete?: string }) => (address = prompt.verification_uri_complete ?? '')
  const one = watched(byDevice({ connection: 'people', show }), { timing: timing(wait) })
  expect(await me(one)).toBe('dora')
  const [interval = 0] = waits
  expect(waits).toEqual([interval, interval, interval + 5_000])
  expect(one.told).toHaveLength(1)
})

test('a device that is refused logs nobody in, and its signal ends the wait', async () => {
  provider.answer('/token', json({ error: 'access_denied' }, 400))
  const refused = watched(byDevice({ connection: 'people', show: () => undefined }))
  expect(await thrownBy(me(refused))).toMatchObject({ kind: 'unauthenticated' })
  provider.answer('/token', undefined)
  const controller = new AbortController()
  const { signal } = controller
  const show = () => controller.abort(new Error('closed'))
  const real = logIn(byDevice({ connection: 'people', show, signal }), { baseUrl })
  expect(await thrownBy(real.token())).toMatchObject({ message: 'closed' })
})

test('a code of an identity provider logs in', async () => {
  const keymgr = createKeymgr({ baseUrl })
  const redirect_uri = 'http://127.0.0.1:4711/back'
  const begun = await keymgr.post('/v1/auth/oidc/authorizations', { body: { connection: 'people', redirect_uri } })
  const { searchParams } = await signIn(new URL(begun.authorization_url), 'sub-of-dora')
  const [code = '', state = '', iss = ''] = ['code', 'state', 'iss'].map((name) => searchParams.get(name) ?? '')
  const { authorization_token } = begun
  expect(await me(watched(byAuthorizationCode({ authorization_token, code, state, iss })))).toBe('dora')
})
