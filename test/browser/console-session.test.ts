import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../infra/local/clock.ts'
import { LOGIN_CLIENT, openidKey, startOpenidProvider, type OpenidProvider } from '../support/openid-provider.ts'
import { useService } from '../support/service.ts'
import { behaved, logIn, useBrowser, watched, type Watched } from './browser.ts'
import { CONSOLE, titled } from './console.ts'
import { obstacles } from './usable.ts'

const MINUTE = 60_000
const clock = createClock()
const service = useService({ clock })
const browser = useBrowser()
let base = ''
let provider: OpenidProvider
beforeAll(async () => {
  base = service().deployment.baseUrl
  provider = await startOpenidProvider(
    [{ sub: 'olivia', email: 'olivia@company.test', preferred_username: 'olivia' }],
    openidKey('first'),
  )
  const oidc = { issuer: provider.issuer, ...LOGIN_CLIENT }
  const body = { name: 'people', strategy: 'oidc', create_users: true, oidc }
  const made = await service().call('POST', '/v1/usermgmt/connections', { token: await service().logIn(), body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
})
afterAll(() => provider.stop())

const open = async (path = ''): Promise<Watched> => {
  const view = await watched(browser(), base)
  await view.page.goto(base + CONSOLE + path)
  return view
}
const isLoggedIn = ({ page }: Watched) => page.getByRole('link', { name: 'keymgr', exact: true }).waitFor()
const isLoggedOut = ({ page }: Watched) => page.getByLabel('Password').waitFor()

test('a log-in continues at the requested address, and keeps no token that other scripts could read', async () => {
  const view = await open('keys/local?state=Active')
  await logIn(view)
  await titled(view.page, 'Keys').waitFor()
  expect(await view.page.getByLabel('State', { exact: true }).inputValue()).toBe('Active')
  const kept = await view.page.evaluate<string>(
    'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])',
  )
  expect(kept).not.toMatch(/eyJ[A-Za-z0-9_-]+\./)
  expect(await view.context.cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }])
  await behaved(view)
})

test.each(['/api/guide/', CONSOLE])('at %s a wrong password is told at its field, and forgotten', async (path) => {
  const view = await watched(browser(), base)
  await view.page.goto(base + path)
  await logIn(view, 'Wrong-password-1x')
  await view.page.getByRole('alert').filter({ hasText: /./ }).waitFor()
  const field = view.page.getByLabel('Password')
  expect(await field.getAttribute('aria-invalid')).toBe('true')
  expect(await field.inputValue()).toBe('')
  await behaved(view)
})

const PASSWORD = 'Change-me-1st'
const NEW_PASSWORD = 'Changed-it-2'

/** Creates a user whose password must be changed, unless `more` changes that. @returns the id */
async function outdatedUser(username: string, more: object = { password_change_required: true }): Promise<string> {
  const body = { username, password: PASSWORD, ...more }
  const made = await service().call('POST', '/v1/usermgmt/users', { token: await service().logIn(), body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body.user_id as string
}

const newPassword = ({ page }: Watched) => page.getByLabel('New password', { exact: true })
const change = ({ page }: Watched) => page.getByRole('button', { name: 'Change the password and log in' })
const type = async ({ page }: Watched, text: string): Promise<void> => {
  await page.keyboard.type(text)
  await page.keyboard.press('Tab')
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}
const hasFocus = (field: Locator) => field.evaluate((input) => input === input.ownerDocument.activeElement)
const described = (field: Locator) =>
  field.evaluate((input) =>
    (input.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id: string) => input.ownerDocument.getElementById(id)?.textContent ?? '')
      .join(' '),
  )

test.each([
  ['/api/guide/', 'olga'],
  [CONSOLE, 'otto'],
])('at %s a password that must be changed is changed at the log-in, by the keyboard alone', async (path, name) => {
  await outdatedUser(name)
  const view = await watched(browser(), base)
  const { page } = view
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(base + path)
  await logIn(view, PASSWORD, name)
  const field = newPassword(view)
  await expect.poll(() => hasFocus(field)).toBe(true)
  expect(await described(field)).toContain('must be changed')
  expect(await field.getAttribute('autocomplete')).toBe('new-password')
  expect(await obstacles(page)).toEqual([])
  await type(view, 'short')
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
  expect(await described(field)).toContain('must have at least 8 characters')
  expect(await obstacles(page)).toEqual([])
  expect(await hasFocus(field)).toBe(true)
  await type(view, NEW_PASSWORD)
  await page.getByText(name, { exact: true }).waitFor()
  const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])')
  for (const secret of [PASSWORD, NEW_PASSWORD]) expect([kept, ...asked].join(' ')).not.toContain(secret)
  const before = await service().call('POST', '/v1/auth/tokens', { body: { name, password: PASSWORD } })
  expect(before.status).toBe(401)
  await service().logIn(name, NEW_PASSWORD)
  await behaved(view)
})

test('a password that has expired is changed at the log-in', async () => {
  const token = await service().logIn()
  const policy = { policy_name: 'short', password_lifetime: 1 }
  const made = await service().call('POST', '/v1/usermgmt/pwdpolicies', { token, body: policy })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  await outdatedUser('oscar', { password_policy: 'short' })
  clock.advance(25 * 60 * MINUTE)
  const view = await open()
  await logIn(view, PASSWORD, 'oscar')
  await newPassword(view).waitFor()
  await type(view, NEW_PASSWORD)
  await isLoggedIn(view)
  await behaved(view)
})

test('a new password that is not repeated as it was is not sent', async () => {
  await outdatedUser('olaf')
  const view = await open()
  await logIn(view, PASSWORD, 'olaf')
  await newPassword(view).fill(NEW_PASSWORD)
  const again = view.page.getByLabel('New password again')
  await again.fill(`${NEW_PASSWORD}x`)
  await change(view).click()
  expect(await view.page.locator('input:invalid').getAttribute('name')).toBe('new_password_again')
  const early = await service().call('POST', '/v1/auth/tokens', { body: { name: 'olaf', password: NEW_PASSWORD } })
  expect(early.status).toBe(401)
  await again.fill(NEW_PASSWORD)
  await change(view).click()
  await isLoggedIn(view)
  await behaved(view)
})

test('a new password is asked for only of whom the service asked it', async () => {
  await outdatedUser('orla')
  const view = await open()
  await logIn(view, PASSWORD, 'orla')
  await newPassword(view).waitFor()
  await logIn(view)
  await isLoggedIn(view)
  await behaved(view)
})

test('a user who may not log in to pages gets an explanation, and no prompt for a new password', async () => {
  await outdatedUser('program', { login_flags: { prevent_ui_login: true } })
  const view = await open()
  await logIn(view, PASSWORD, 'program')
  await view.page.getByRole('alert').filter({ hasText: 'prevent_ui_login' }).waitFor()
  expect(await newPassword(view).count()).toBe(0)
  await behaved(view)
})

test('a password that was reset without the tick need not be changed', async () => {
  const id = await outdatedUser('odette')
  const view = await open(`users/${encodeURIComponent(id)}`)
  await logIn(view)
  await view.page.getByRole('button', { name: 'Reset the password' }).click()
  const dialog = view.page.getByRole('dialog')
  await dialog.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD)
  await dialog.getByLabel('changes it at the next log-in').uncheck()
  await dialog.getByRole('button', { name: 'Reset the password' }).click()
  await view.page.getByText('The user has the new password.').waitFor()
  await service().logIn('odette', NEW_PASSWORD)
  await behaved(view)
})

test('a session is shared with the guide, survives a reload, and ends in all tabs at once', async () => {
  const view = await open()
  await logIn(view)
  await isLoggedIn(view)
  await view.page.reload()
  await isLoggedIn(view)
  const guide = await view.context.newPage()
  await guide.goto(`${base}/api/guide/`)
  await guide.getByRole('button', { name: 'Log out' }).waitFor()
  await view.page.locator('summary', { hasText: 'admin' }).click()
  await view.page.getByRole('button', { name: 'Log out' }).click()
  await view.page.getByText('You are logged out.').waitFor()
  await guide.getByText('You logged out in another tab.').waitFor()
  await view.page.reload()
  await isLoggedOut(view)
  await behaved(view)
})

test('a guest of a domain changes to it by the password alone, in all tabs, and a wrong password changes nothing', async () => {
  const id = await outdatedUser('otis', {})
  const token = await service().logIn()
  const made = await service().call('POST', '/v1/domains', { token, body: { name: 'north', admins: [id] } })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const view = await open('me')
  const { page } = view
  await logIn(view, PASSWORD, 'otis')
  await titled(page, 'You').waitFor()
  const other = await view.context.newPage()
  await other.goto(`${base}${CONSOLE}me`)
  await titled(other, 'You').waitFor()
  const menu = (name: string) => page.locator('summary', { hasText: name })
  const dialog = page.getByRole('dialog', { name: 'Change to north' })
  await menu('root').click()
  await page.getByRole('button', { name: 'Change to north' }).click()
  expect(await dialog.getByLabel('Domain').inputValue()).toBe('north')
  expect(await dialog.getByLabel('Name').inputValue()).toBe('otis')
  expect(await obstacles(page)).toEqual([])
  const password = dialog.getByLabel('Password')
  await expect.poll(() => hasFocus(password)).toBe(true)
  await password.fill('Wrong-password-1x')
  await password.press('Enter')
  await dialog.getByRole('alert').filter({ hasText: 'wrong' }).waitFor()
  await dialog.getByRole('button', { name: 'Stay in root' }).click()
  await menu('root').click()
  await page.getByRole('button', { name: 'Change to north' }).click()
  await password.fill(PASSWORD)
  await password.press('Enter')
  await titled(page, 'Overview').waitFor()
  await menu('north').waitFor()
  await other.locator('summary', { hasText: 'north' }).waitFor()
  const sessions = await service().call('GET', `/v1/auth/tokens?user_id=${encodeURIComponent(id)}`, { token })
  expect(sessions.body.resources).toMatchObject([{ revokedAt: expect.any(String) }]) // the session in the root domain
  await behaved(view)
})

test('ten minutes without activity end a session', async () => {
  const view = await watched(browser(), base)
  await view.page.clock.install()
  await view.page.goto(base + CONSOLE)
  await logIn(view)
  await isLoggedIn(view)
  await view.page.clock.runFor(9 * MINUTE)
  await view.page.keyboard.press('Shift')
  await view.page.clock.runFor(9 * MINUTE)
  await isLoggedIn(view)
  await view.page.clock.runFor(2 * MINUTE)
  await view.page.getByText('ten minutes without activity').waitFor()
  expect(await view.page.getByRole('navigation').count()).toBe(0)
  await behaved(view)
})

test('a session that is not used for 30 minutes is over, as after the browser was closed', async () => {
  const view = await open()
  await logIn(view)
  await isLoggedIn(view)
  clock.advance(31 * MINUTE)
  await view.page.reload()
  await isLoggedOut(view)
  await behaved(view)
})

test('a page of another origin gets no token by the cookie of the console', async () => {
  const view = await open()
  await logIn(view)
  await isLoggedIn(view)
  const [cookie] = await view.context.cookies()
  const forged = (origin: string) =>
    fetch(`${base}/api/v1/auth/tokens`, {
      method: 'POST',
      body: JSON.stringify({ grant_type: 'refresh_token' }),
      headers: { 'content-type': 'application/json', cookie: `${cookie?.name}=${cookie?.value}`, origin },
    })
  expect((await forged('https://evil.example')).status).toBe(403)
  expect((await forged(base)).status).toBe(200)
  const byCookie = await fetch(`${base}/api/v1/vault/keys2`, {
    method: 'POST',
    body: JSON.stringify({ name: 'forged' }),
    headers: { 'content-type': 'application/json', cookie: `${cookie?.name}=${cookie?.value}` },
  })
  expect(byCookie.status).toBe(401)
  await behaved(view)
})

/** Starts a log-in at the provider. @returns its window with a loaded page */
async function opened({ page }: Watched): Promise<Page> {
  const [window] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Log in with people' }).click(),
  ])
  await window.getByPlaceholder('Enter any login').waitFor()
  return window
}

test('a log-in whose provider window was closed can be repeated, and only the last attempt counts', async () => {
  const view = await open()
  await (await opened(view)).close()
  const left = await opened(view)
  const last = await opened(view)
  await expect.poll(() => left.isClosed()).toBe(true)
  await last.getByPlaceholder('Enter any login').fill('olivia')
  await last.getByPlaceholder('and password').fill('any')
  await last.getByRole('button', { name: 'Sign-in' }).click()
  const closed = last.waitForEvent('close')
  await last.getByRole('button', { name: 'Continue' }).click()
  await closed
  await isLoggedIn(view)
  await view.page.locator('summary', { hasText: 'olivia' }).waitFor()
  await view.context.close() // requests of the provider's pages do not count
  expect(view.errors).toEqual([])
})

test('a password logs in where the window of a provider was closed', async () => {
  const view = await open()
  await (await opened(view)).close()
  await logIn(view)
  await isLoggedIn(view)
  await view.context.close() // requests of the provider's page do not count
  expect(view.errors).toEqual([])
})

test('the colours that were chosen stay after a reload', async () => {
  const view = await open()
  await logIn(view)
  await isLoggedIn(view)
  const background = () => view.page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
  const light = await background()
  await view.page.locator('summary', { hasText: 'admin' }).click()
  await view.page.getByLabel('dark').check()
  const dark = await background()
  expect(dark).not.toBe(light)
  await view.page.reload()
  await isLoggedIn(view)
  expect(await background()).toBe(dark)
  await behaved(view)
})
