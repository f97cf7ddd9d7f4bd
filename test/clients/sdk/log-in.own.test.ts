import { expect, test } from 'vitest'
import { createKeymgr } from '../../../clients/sdk/client.ts'
import { logIn, LogInEnded } from '../../../clients/sdk/log-in.ts'
import { UnreachableError } from '../../../clients/sdk/problem.ts'
import { byPassword, byRefreshToken } from '../../../clients/sdk/ways.ts'
import { closedPort } from '../../support/ports.ts'
import { ADMIN_PASSWORD } from '../../support/service.ts'
import { thrownBy } from './thrown-by.ts'
import { useWatchedLogIns } from './watched-log-in.ts'

const SECOND = 1_000
const { service, clock, baseUrl, watched, timing } = useWatchedLogIns()
const admin = byPassword({ name: 'admin', password: ADMIN_PASSWORD })

test('a password is asked for once, and its token serves until a fifth of its time is left', async () => {
  const one = watched(admin)
  expect(one.asked).toEqual([])
  expect(await one.me()).toBe('admin')
  clock.advance(230 * SECOND)
  expect(await one.me()).toBe('admin')
  expect(one.asked).toEqual([{ name: 'admin', password: ADMIN_PASSWORD }])
  clock.advance(20 * SECOND)
  expect(await one.me()).toBe('admin')
  expect(one.asked.slice(1)).toEqual([{ grant_type: 'refresh_token', refresh_token: one.told[0] }])
})

test('calls at the same time share one log-in, and one renewal', async () => {
  const one = watched(admin)
  await Promise.all([one.me(), one.me(), one.me()])
  clock.advance(299 * SECOND)
  await Promise.all([one.me(), one.me(), one.me()])
  expect(one.asked).toHaveLength(2)
})

test('a token that the service no longer takes is renewed, and the call repeated', async () => {
  const one = watched(admin, { timing: { ...timing(), now: () => 0 } }) // a machine whose clock has stopped
  await one.me()
  clock.advance(400 * SECOND)
  expect(await one.me()).toBe('admin')
  expect(one.asked).toHaveLength(2)
})

test('an ended log-in begins again by password, and reports both refresh tokens', async () => {
  const one = watched(admin)
  await one.me()
  const [first] = one.told
  await service().call('POST', '/v1/auth/revoke', { body: { refresh_token: first } })
  clock.advance(301 * SECOND)
  expect(await one.me()).toBe('admin')
  expect(one.told).toEqual([first, undefined, expect.any(String)])
  expect(one.told[2]).not.toBe(first)
})

test('a stored refresh token continues a log-in until that ends', async () => {
  const first = watched(admin)
  await first.me()
  const kept = first.told[0] ?? ''
  const second = watched(byRefreshToken(kept))
  expect(await second.me()).toBe('admin')
  clock.advance(301 * SECOND)
  expect(await second.me()).toBe('admin')
  expect(second.asked).toEqual([
    { grant_type: 'refresh_token', refresh_token: kept },
    { grant_type: 'refresh_token', refresh_token: kept },
  ])
  await first.session.logOut()
  clock.advance(301 * SECOND)
  expect(await thrownBy(second.me())).toMatchObject({ kind: 'unauthenticated' })
  expect(second.told).toEqual([undefined])
})

test('log-out ends it here and at the service', async () => {
  const one = watched(admin)
  const running = one.me()
  const ended = one.session.logOut()
  await running
  await ended
  expect(await thrownBy(one.me())).toBeInstanceOf(LogInEnded)
  expect(one.told).toEqual([expect.any(String), undefined])
  const body = { grant_type: 'refresh_token', refresh_token: one.told[0] }
  expect((await service().call('POST', '/v1/auth/tokens', { body })).status).toBe(401)
  await logIn(admin, { baseUrl: baseUrl() }).logOut() // no log-in has started, so there is none to end
})

test('a wrong password is refused and not sent again', async () => {
  const one = watched(byPassword({ name: 'admin', password: 'Wrong-password-1x' }))
  const error = await thrownBy(one.me())
  expect(error).toMatchObject({ kind: 'unauthenticated', attempts: 1 })
  expect(await thrownBy(one.me())).toBe(error)
  expect(one.asked).toHaveLength(1)
})

test('a token serves until its end while the service cannot be reached', async () => {
  const nowhere = `http://127.0.0.1:${await closedPort()}/`
  let isDown = false
  const one = watched(admin, {
    fetch: (input, init) => fetch(isDown ? nowhere : input, init),
  })
  await one.me()
  isDown = true
  clock.advance(250 * SECOND)
  expect(await one.me()).toBe('admin')
  clock.advance(51 * SECOND)
  expect(await thrownBy(one.session.token())).toBeInstanceOf(UnreachableError)
})

/** A `fetch` that stores cookies as a browser does for its own pages. */
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
  expect(await one.me()).toBe('admin')
  clock.advance(301 * SECOND)
  expect(await one.me()).toBe('admin')
  expect(one.told).toEqual([])
  await one.session.logOut()
  const body = { grant_type: 'refresh_token' }
  const renewed = await browser(`${baseUrl()}/v1/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(renewed.ok).toBe(false)
})

test('a session kept by cookie that was ended elsewhere does not begin again by itself', async () => {
  const browser = cookieKeeping()
  const one = watched(byPassword({ name: 'admin', password: ADMIN_PASSWORD, cookies: true }), { fetch: browser })
  await one.me()
  await createKeymgr({ baseUrl: baseUrl(), fetch: browser }).post('/v1/auth/revoke', { body: {} })
  clock.advance(301 * SECOND)
  const error = await thrownBy(one.me())
  expect(error).toMatchObject({ kind: 'unauthenticated' })
  expect(await thrownBy(one.me())).toBe(error)
})
