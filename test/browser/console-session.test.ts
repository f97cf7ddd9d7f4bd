import { beforeAll, expect, test } from 'vitest'
import { createClock } from '../../infra/local/clock.ts'
import { useService } from '../support/service.ts'
import { behaved, logIn, useBrowser, watched, type Watched } from './browser.ts'
import { CONSOLE, titled } from './console.ts'

const MINUTE = 60_000
const clock = createClock()
const service = useService({ clock })
const browser = useBrowser()
let base = ''
beforeAll(() => {
  base = service().deployment.baseUrl
})

const open = async (path = ''): Promise<Watched> => {
  const view = await watched(browser(), base)
  await view.page.goto(base + CONSOLE + path)
  return view
}
const isLoggedIn = ({ page }: Watched) => page.getByRole('link', { name: 'keymgr', exact: true }).waitFor()
const isLoggedOut = ({ page }: Watched) => page.getByLabel('Password').waitFor()

test('a log-in goes on at the address where one was, and keeps no token where scripts of others could read it', async () => {
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

test('a session is shared with the guide, goes on after a reload, and ends in all tabs at once', async () => {
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
