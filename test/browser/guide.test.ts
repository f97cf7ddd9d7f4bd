import { beforeAll, expect, test } from 'vitest'
import { createClock } from '../../infra/local/clock.ts'
import { useService } from '../support/service.ts'
import { behaved, logIn, useBrowser, watched, type Watched } from './browser.ts'
import { obstacles } from './usable.ts'

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

const tag = ({ page }: Watched, name: string) => page.locator(`#tag-${name}`)
const heading = (view: Watched, name: string) => tag(view, name).locator('summary')
const loggedIn = ({ page }: Watched) => page.getByRole('button', { name: 'Log out' })

test('the guide shows the description after log-in, and tries a call with the token of the session', async () => {
  const view = await open()
  const { page } = view
  await logIn(view)
  await loggedIn(view).waitFor()
  await heading(view, 'auth').click()
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

test('a tag loads when it is opened, and the filter opens its results', async () => {
  const view = await open()
  const { page } = view
  await logIn(view)
  await heading(view, 'vault').waitFor()
  expect(await page.locator('.opblock').count()).toBe(0)
  expect(await obstacles(page)).toEqual([])
  await page.getByLabel('Filter operations').fill('post keys2 destroy')
  await tag(view, 'vault').locator('.opblock').first().waitFor()
  expect(await tag(view, 'users').isVisible()).toBe(false)
  for (const path of await page.locator('.opblock-summary-path').allInnerTexts()) expect(path).toContain('keys2')
  await page.getByLabel('Filter operations').fill('no such thing')
  await page.getByText(/^0 of \d+ operations$/).waitFor()
  await page.getByLabel('Filter operations').fill('')
  await tag(view, 'users').waitFor()
  await tag(view, 'vault').locator('.opblock').nth(20).waitFor()
  await behaved(view)
})

test('an address that names a tag opens it', async () => {
  const view = await watched(browser(), base)
  await view.page.goto(`${base}${GUIDE}#/reports`)
  await logIn(view)
  await tag(view, 'reports').locator('.opblock').first().waitFor()
  await behaved(view)
})

test('the guide has the colours that the browser asks for, also when that changes', async () => {
  const view = await open()
  const { page } = view
  await logIn(view)
  await heading(view, 'dke').click()
  await tag(view, 'dke').locator('.opblock').first().waitFor()
  const colours = () =>
    page.evaluate<string[]>(
      "[document.body, document.querySelector('.opblock-summary-path')].map((each) => getComputedStyle(each)).flatMap(({ color, backgroundColor }) => [color, backgroundColor])",
    )
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await colours()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(async () => (await colours())[2]).not.toBe(light[2])
  expect((await colours())[1]).not.toBe(light[1])
  await behaved(view)
})

test('a session survives a reload, reaches another tab, and ends in both at once', async () => {
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
