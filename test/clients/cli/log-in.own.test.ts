import * as fs from 'node:fs'
import * as path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useCommandLine } from '../../support/command-line.ts'
import { confirmDevice } from '../../support/openid-browser.ts'
import { LOGIN_CLIENT, openidKey, startOpenidProvider, type OpenidProvider } from '../../support/openid-provider.ts'
import { ADMIN_PASSWORD, useService } from '../../support/service.ts'

/** Every way to log in with the command line, and the files that it stores. */
const service = useService({ tlsPort: 'any' })
const keymgr = useCommandLine()
let provider: OpenidProvider
let url = ''

const withPassword = { environment: { KEYMGR_PASSWORD: ADMIN_PASSWORD } }
const logIn = (...more: string[]) => keymgr.run(['login', '--url', url, '--name', 'admin', ...more], withPassword)
const file = (name: string, content: string): string => {
  fs.writeFileSync(path.join(keymgr.folder, name), content)
  return path.join(keymgr.folder, name)
}
const sessions = () => path.join(keymgr.home, '.local/state/keymgr/sessions')
const session = (profile: string) => JSON.parse(fs.readFileSync(path.join(sessions(), `${profile}.json`), 'utf8'))

/** Number of tokens that the service has issued to the command line. */
const logIns = async (): Promise<number> =>
  keymgr.json('audit', 'records', 'list', '--message', 'Generate Token', '--query', 'total')

beforeAll(async () => {
  url = `${service().deployment.baseUrl}/api`
  const people = [{ sub: 'sub-of-dora', email: 'dora@company.test', preferred_username: 'dora' }]
  provider = await startOpenidProvider(people, openidKey('first'))
  const { redirect_uris: _, ...client } = LOGIN_CLIENT
  const body = { name: 'people', strategy: 'oidc', create_users: true, oidc: { issuer: provider.issuer, ...client } }
  const made = await service().call('POST', '/v1/usermgmt/connections', { token: await service().logIn(), body })
  expect(made.status).toBe(201)
})
afterAll(() => provider.stop())

test('a password logs in from a file, from the standard input and from the environment; it is kept nowhere', async () => {
  const args = ['login', '--url', url, '--name', 'admin']
  for (const result of [
    await keymgr.run([...args, '--password-file', file('password', `${ADMIN_PASSWORD}\n`)]),
    await keymgr.run([...args, '--password-file', '-'], { input: ADMIN_PASSWORD }),
    await keymgr.run([...args, '--password-env', 'MY_WORD'], { environment: { MY_WORD: ADMIN_PASSWORD } }),
    await logIn(),
  ])
    expect(result.code, result.error).toBe(0)
  const user = await keymgr.json('whoami')
  expect(user).toMatchObject({ profile: 'default', url, user: { username: 'admin' } })
  for (const each of keymgr.files()) expect(fs.readFileSync(each, 'utf8'), each).not.toContain(ADMIN_PASSWORD)
})

test('a wrong password is refused, and so is a missing terminal for the prompt', async () => {
  const wrong = await keymgr.run(['login', '--url', url, '--name', 'admin', '--password-file', '-'], { input: 'wrong' })
  expect(wrong).toMatchObject({ code: 3, out: '' })
  const asked = await keymgr.run(['login', '--url', url, '--name', 'admin'])
  expect(asked).toMatchObject({ code: 2, error: expect.stringContaining('--password-file') })
})

test('files are readable by their owner only, and tokens are not in the configuration', async () => {
  await logIn()
  const kept = keymgr.files().filter((each) => !each.includes('/.cache/'))
  expect(kept.map((each) => path.relative(keymgr.home, each)).sort()).toEqual([
    '.config/keymgr/config.json',
    '.local/state/keymgr/sessions/default.json',
  ])
  for (const each of kept) {
    expect(fs.statSync(each).mode & 0o777, each).toBe(0o600)
    expect(fs.statSync(path.dirname(each)).mode & 0o777, each).toBe(0o700)
  }
  expect(fs.readFileSync(path.join(keymgr.home, '.config/keymgr/config.json'), 'utf8')).not.toMatch(/token/)
})

test('a token is used until shortly before its end, and then renewed once for all processes', async () => {
  await logIn()
  const first = session('default')
  await keymgr.done('vault', 'keys', 'list')
  expect(session('default')).toEqual(first)
  const before = await logIns()
  fs.writeFileSync(path.join(sessions(), 'default.json'), JSON.stringify({ ...first, renew_at: 0 }))
  const runs = await Promise.all(Array.from({ length: 6 }, () => keymgr.run(['vault', 'keys', 'list'])))
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0])
  const second = session('default')
  expect(second.refresh_token).toBe(first.refresh_token)
  expect(second.token).not.toBe(first.token)
  expect(await logIns()).toBe(before + 1)
  expect(fs.readdirSync(sessions())).toEqual(['default.json'])
})

test('a log-in beside renewals is not lost', async () => {
  await logIn()
  fs.writeFileSync(path.join(sessions(), 'default.json'), JSON.stringify({ ...session('default'), renew_at: 0 }))
  const [, , again] = await Promise.all([
    keymgr.run(['vault', 'keys', 'list']),
    keymgr.run(['vault', 'keys', 'list']),
    logIn(),
  ])
  expect(again.code).toBe(0)
  const { refresh_token } = session('default')
  await keymgr.done('logout')
  const renewed = await service().call('POST', '/v1/auth/tokens', {
    body: { grant_type: 'refresh_token', refresh_token },
  })
  expect(renewed.status).toBe(401)
})

test('profiles are independent, and logging out ends one of them here and at the service', async () => {
  await logIn('--profile', 'here')
  await logIn('--profile', 'there')
  expect(await keymgr.json('profiles')).toEqual(
    expect.arrayContaining([
      { name: 'here', current: false, url, user: 'admin', method: 'password', logged_in: true },
      { name: 'there', current: true, url, user: 'admin', method: 'password', logged_in: true },
    ]),
  )
  await keymgr.done('profiles', 'use', 'here')
  expect((await keymgr.json('whoami')).profile).toBe('here')
  const { refresh_token } = session('there')
  await keymgr.done('logout', '--profile', 'there')
  const renewed = await service().call('POST', '/v1/auth/tokens', {
    body: { grant_type: 'refresh_token', refresh_token },
  })
  expect(renewed.status).toBe(401)
  expect(await keymgr.run(['whoami', '--profile', 'there'])).toMatchObject({ code: 3 })
  await keymgr.done('whoami')
})

test('a profile names files that are found in any folder', async () => {
  const { tlsBaseUrl = '', caCertificate = '' } = service().deployment
  file('ca.pem', caCertificate)
  const options = ['--url', tlsBaseUrl, '--ca', 'ca.pem', '--name', 'admin', '--profile', 'tls']
  const { code, error } = await keymgr.run(['login', ...options], { ...withPassword, cwd: keymgr.folder })
  expect(code, error).toBe(0)
  await keymgr.done('vault', 'keys', 'list', '--profile', 'tls')
})

test('a profile keeps its permission to work without TLS after other log-ins', async () => {
  const environment = { KEYMGR_NAME: 'admin', KEYMGR_PASSWORD: ADMIN_PASSWORD }
  const elsewhere = ['--url', url.replace('127.0.0.1', '0.0.0.0'), '--insecure-http'] // not loopback by its name
  for (const more of [elsewhere, ['--name', 'admin']]) {
    const { code, error } = await keymgr.run(['login', '--profile', 'plain', ...more], { environment })
    expect(code, error).toBe(0)
    await keymgr.done('vault', 'keys', 'list', '--profile', 'plain')
  }
})

test('--no-device is no log-in by device', async () => {
  const { code, error } = await logIn('--no-device')
  expect(code, error).toBe(0)
})

test('name and password of the environment serve one call', async () => {
  const environment = { KEYMGR_NAME: 'admin', KEYMGR_PASSWORD: ADMIN_PASSWORD, KEYMGR_URL: url, HOME: keymgr.folder }
  const { code, error } = await keymgr.run(['vault', 'keys', 'list'], { environment })
  expect({ code, error }).toEqual({ code: 0, error: '' })
  expect(fs.existsSync(path.join(keymgr.folder, '.config'))).toBe(false)
  expect(fs.existsSync(path.join(keymgr.folder, '.local'))).toBe(false)
})

test('name and password of the environment log in once for all calls of a command, and then log out', async () => {
  await logIn()
  const environment = { KEYMGR_NAME: 'admin', KEYMGR_PASSWORD: ADMIN_PASSWORD, KEYMGR_URL: url, HOME: keymgr.folder }
  const openTokens = (): Promise<number> => keymgr.json('auth', 'tokens', 'list', '--no-revoked', '--query', 'total')
  const [before, open] = [await logIns(), await openTokens()]
  const { code, out } = await keymgr.run(['groups', 'list', '--all', '--limit', '2', '--query', 'total'], {
    environment,
  })
  expect({ code, isSeveralPages: Number(out) > 2 }).toEqual({ code: 0, isSeveralPages: true })
  expect(await logIns()).toBe(before + 1)
  expect(await openTokens()).toBe(open)
})

test('the token of a profile goes to no other address, and never without TLS', async () => {
  await logIn()
  const elsewhere = await keymgr.run(['vault', 'keys', 'list', '--url', 'http://127.0.0.1:1/api'])
  expect(elsewhere).toMatchObject({ code: 3, error: expect.stringContaining('not logged in') })
  const plain = await keymgr.run(['login', '--url', 'http://keymgr.example.com', '--name', 'a'], withPassword)
  expect(plain).toMatchObject({ code: 2, error: expect.stringContaining('no TLS') })
})

test('a device code is confirmed in a browser', async () => {
  const child = keymgr.start(['login', '--url', url, '--device', '--connection', 'people', '--profile', 'dora'])
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let said = ''
  for await (const chunk of child.stderr.setEncoding('utf8')) {
    said += chunk as string
    const complete = /Or open (\S+)\.\n/.exec(said)?.[1]
    if (complete === undefined) continue
    expect(said).toMatch(/^Open \S+ in a browser, and type in the code \S+\.$/m)
    await confirmDevice(new URL(complete), 'sub-of-dora')
    break
  }
  child.stderr.resume()
  void text(child.stdout)
  expect(await ended).toBe(0)
  expect((await keymgr.json('whoami', '--profile', 'dora')).user).toMatchObject({
    username: 'dora',
    connection: 'people',
  })
})
