import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeymgr } from '../../../clients/sdk/client.ts'
import { logIn } from '../../../clients/sdk/log-in.ts'
import { byAuthorizationCode, byDevice } from '../../../clients/sdk/ways.ts'
import { confirmDevice, signIn } from '../../support/openid-browser.ts'
import {
  json,
  LOGIN_CLIENT,
  openidKey,
  startOpenidProvider,
  type OpenidProvider,
} from '../../support/openid-provider.ts'
import { thrownBy } from './thrown-by.ts'
import { useWatchedLogIns } from './watched-log-in.ts'

const { service, clock, baseUrl, watched, timing } = useWatchedLogIns()
let provider: OpenidProvider
beforeAll(async () => {
  const people = [{ sub: 'sub-of-dora', email: 'dora@company.test', preferred_username: 'dora' }]
  provider = await startOpenidProvider(people, openidKey('first'))
  const oidc = { issuer: provider.issuer, ...LOGIN_CLIENT }
  const body = { name: 'people', strategy: 'oidc', create_users: true, oidc }
  const made = await service().call('POST', '/v1/usermgmt/connections', { token: await service().logIn(), body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
})
afterAll(() => provider.stop())

test('a device is confirmed in another browser, while the log-in polls at the given interval', async () => {
  const waits: number[] = []
  let address = ''
  const wait = async (milliseconds: number): Promise<void> => {
    waits.push(milliseconds)
    clock.advance(milliseconds)
    if (waits.length === 2) provider.answer('/token', json({ error: 'slow_down' }, 400))
    else provider.answer('/token', undefined)
    if (waits.length === 3) await confirmDevice(new URL(address), 'sub-of-dora')
  }
  const show = (prompt: { verification_uri_complete?: string }) => (address = prompt.verification_uri_complete ?? '')
  const one = watched(byDevice({ connection: 'people', show }), { timing: timing(wait) })
  expect(await one.me()).toBe('dora')
  const [interval = 0] = waits
  expect(waits).toEqual([interval, interval, interval + 5_000])
  expect(one.told).toHaveLength(1)
})

test('a refused device is not logged in, and its signal ends the wait', async () => {
  provider.answer('/token', json({ error: 'access_denied' }, 400))
  const refused = watched(byDevice({ connection: 'people', show: () => undefined }))
  expect(await thrownBy(refused.me())).toMatchObject({ kind: 'unauthenticated' })
  provider.answer('/token', undefined)
  const controller = new AbortController()
  const { signal } = controller
  const show = () => controller.abort(new Error('closed'))
  const real = logIn(byDevice({ connection: 'people', show, signal }), { baseUrl: baseUrl() })
  expect(await thrownBy(real.token())).toMatchObject({ message: 'closed' })
})

test('a log-in of a device that was ended elsewhere asks for no other confirmation by itself', async () => {
  const shown: string[] = []
  const show = (prompt: { verification_uri_complete?: string }) => shown.push(prompt.verification_uri_complete ?? '')
  const wait = async (): Promise<void> => {
    await confirmDevice(new URL(shown[0] ?? ''), 'sub-of-dora')
  }
  const one = watched(byDevice({ connection: 'people', show }), { timing: timing(wait) })
  expect(await one.me()).toBe('dora')
  await createKeymgr({ baseUrl: baseUrl() }).post('/v1/auth/revoke', { body: { refresh_token: one.told[0] ?? '' } })
  clock.advance(301 * 1_000)
  const error = await thrownBy(one.me())
  expect(error).toMatchObject({ kind: 'unauthenticated' })
  expect(await thrownBy(one.me())).toBe(error)
  expect(shown).toHaveLength(1)
})

test('a code of an identity provider logs in', async () => {
  const keymgr = createKeymgr({ baseUrl: baseUrl() })
  const redirect_uri = 'http://127.0.0.1:4711/back'
  const begun = await keymgr.post('/v1/auth/oidc/authorizations', { body: { connection: 'people', redirect_uri } })
  const { searchParams } = await signIn(new URL(begun.authorization_url), 'sub-of-dora')
  const [code = '', state = '', iss = ''] = ['code', 'state', 'iss'].map((name) => searchParams.get(name) ?? '')
  const { authorization_token } = begun
  expect(await watched(byAuthorizationCode({ authorization_token, code, state, iss })).me()).toBe('dora')
})
