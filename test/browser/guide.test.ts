import { beforeAll, expect, test } from 'vitest'
import { createClock } from '../../infra/local/clock.ts'
import { useService } from '../support/service.ts'
import { behaved, logIn, useBrowser, watched, type Watched } from './browser.ts'

const MINUTE = 60_000
const clock = createClock()
const service = useService({ clock })
const browser = useBrowser()
let base = ''
beforeAll(() => {
  base = service().deployment.baseUrl
})

const GUIDE = '/api/guide/'
const open = async (): Promise<Watched> => {
  const view = await watched(browser(), base)
  await view.page.goto(base + GUIDE)
  return view
}

const operations = ({ page }: Watched) => page.locator('.opblock-tag-section')
const loggedIn = ({ page }: Watched) => page.getByRole('button', { name: 'Log out' })

test('the guide shows the description after log-in, and tries a call with the token of the session', async () => {
  const view = await open()
  const { page } = view
  await logIn(view)
  await loggedIn(view).waitFor()
  await operations(view).first().waitFor()
  await page.locator('.opblock-tag', { hasText: /^auth/ }).click()
  const block = page.locator('.opblock', { hasText: '/v1/auth/self/user' }).first()
  await block.locator('.opblock-summary-control').first().click()
  await block.getByRole('button', { name: 'Execute' }).click()
  await block.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
  const kept = await page.evaluate<string>(
    'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])',
  )
  expect(kept).not.toMatch(/eyJ[A-Za-z0-9_-]+\./)
  const cookies = await view.context.cookies()
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }])
  await behaved(view)
})

test('a session goes on after a reload and in another tab, and ends in both at once', async () => {
  const view = await open()
  await logIn(view)
  await loggedIn(view).waitFor()
  await view.page.reload()
  await loggedIn(view).waitFor()
  const second = await view.context.newPage()
  await second.goto(base + GUIDE)
  await second.getByRole('button', { name: 'Log out' }).click()
  await second.getByText('You are logged out.').waitFor()
  await view.page.getByText('You logged out in another tab.').waitFor()
  await view.page.reload()
  await view.page.getByLabel('Password').waitFor()
  await behaved(view)
})

test('ten minutes without activity end a session, here and at the service', async () => {
  const view = await watched(browser(), base)
  await view.page.clock.install()
  await view.page.goto(base + GUIDE)
  await logIn(view)
  await loggedIn(view).waitFor()
  await view.page.clock.runFor(9 * MINUTE)
  expect(await loggedIn(view).isVisible()).toBe(true)
  await view.page.keyboard.press('Shift')
  await view.page.clock.runFor(9 * MINUTE)
  expect(await loggedIn(view).isVisible()).toBe(true)
  await view.page.clock.runFor(2 * MINUTE)
  await view.page.getByText('ten minutes without activity').waitFor()
  await view.page.reload()
  await view.page.getByLabel('Password').waitFor()
  await behaved(view)
})

test('a session that is not used for 30 minutes is over, as after the browser was closed', async () => {
  const view = await open()
  await logIn(view)
  await loggedIn(view).waitFor()
  clock.advance(31 * MINUTE)
  await view.page.reload()
  await view.page.getByLabel('Password').waitFor()
  await behaved(view)
})

test('the banner is shown before log-in, and the ways to log in to a domain are offered', async () => {
  const token = await service().logIn()
  await service().call('PATCH', '/v1/auth/banners/pre-auth', { token, body: { message: 'For <b>staff</b> only' } })
  const ldap = { url: 'ldap://127.0.0.1:1', start_tls: true, base_dn: 'ou=people,o=company' }
  const connection = { name: 'company', strategy: 'ldap', ldap }
  const made = await service().call('POST', '/v1/usermgmt/connections', { token, body: connection })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const view = await open()
  await view.page.getByText('For <b>staff</b> only').waitFor()
  await view.page.getByLabel('Account').selectOption('company')
  await behaved(view)
})

test('a page of another origin gets no token by the cookie', async () => {
  const view = await open()
  await logIn(view)
  await loggedIn(view).waitFor()
  const [cookie] = await view.context.cookies()
  const forged = await fetch(`${base}/api/v1/auth/tokens`, {
    method: 'POST',
    body: JSON.stringify({ grant_type: 'refresh_token' }),
    headers: {
      'content-type': 'application/json',
      cookie: `${cookie?.name}=${cookie?.value}`,
      origin: 'https://evil.example',
    },
  })
  expect(forged.status).toBe(403)
  await behaved(view)
})
