import { existsSync } from 'node:fs'
import { setTimeout as pass } from 'node:timers/promises'
import { chromium, type Browser, type BrowserContext, type Page, type Route } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { ADMIN_PASSWORD } from '../support/service.ts'

const CHROMIUM = process.env.KEYMGR_CHROMIUM ?? '/usr/bin/chromium'

/** One browser for all tests of a file; each test has its own cookies. */
export function useBrowser(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (!existsSync(CHROMIUM))
      throw new Error(
        `There is no browser at ${CHROMIUM}: apt-get install chromium, or name another in KEYMGR_CHROMIUM.`,
      )
    // the sandbox needs rights that containers do not have; the pages are keymgr's own
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  })
  afterAll(async () => browser?.close())
  return () => {
    if (browser === undefined) throw new Error('The browser is not started')
    return browser
  }
}

/** What `KEYMGR_TEST_SLOW` slows: see docs/contributing/tests.md. */
const SLOW = new Set((process.env.KEYMGR_TEST_SLOW ?? '').split(','))
const DELAYS_MS = { least: 200, most: 900 }
const CPU_SLOWDOWN = 4

async function delay(route: Route): Promise<void> {
  await pass(DELAYS_MS.least + Math.random() * (DELAYS_MS.most - DELAYS_MS.least))
  await route.continue().catch(() => undefined) // its page is closed
}

/** Slows pages of a context, such that a test that does not wait for what it uses fails. */
async function slow(context: BrowserContext): Promise<void> {
  if (SLOW.has('scripts')) await context.route(/\.js$/, delay)
  if (SLOW.has('calls')) await context.route('**/api/v1/**', delay)
  if (SLOW.has('cpu'))
    context.on('page', (page) => {
      void context
        .newCDPSession(page)
        .then((session) => session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN }))
        .catch(() => undefined) // the page is closed
    })
}

/** Forbidden events on pages of a context. */
export interface Watched {
  readonly context: BrowserContext
  readonly page: Page
  /**
   * errors on the console of keymgr's pages, including uncaught ones, except for calls that were refused or made
   * without a network
   */
  readonly errors: readonly string[]
  /** requested addresses of other hosts */
  readonly elsewhere: readonly string[]
}

/** Opens a page and records its errors and foreign requests. */
export async function watched(browser: Browser, base: string): Promise<Watched> {
  const context = await browser.newContext()
  context.setDefaultTimeout(90_000) // on a busy machine the guide is slow
  await slow(context)
  const page = await context.newPage()
  const [errors, elsewhere]: [string[], string[]] = [[], []]
  const refused = /Failed to load resource: (the server responded with a status of 4|net::ERR_INTERNET_DISCONNECTED)/
  const isOurs = (url: string): boolean =>
    url.startsWith(`${base}/`) || url.startsWith('data:') || url === 'about:blank'
  context.on('console', (message) => {
    const isOfOurs = isOurs(message.page()?.url() ?? base)
    if (isOfOurs && message.type() === 'error' && !refused.test(message.text())) errors.push(message.text())
  })
  context.on('weberror', (error) => errors.push(error.error().message))
  context.on('request', (request) => {
    if (!isOurs(request.url())) elsewhere.push(request.url())
  })
  return { context, page, errors, elsewhere }
}

/** Closes a watched page, and asserts that it had no errors and called no other host. */
export async function behaved({ context, errors, elsewhere }: Watched): Promise<void> {
  // A page may still ask for something that a test answers.
  for (const each of [context, ...context.pages()]) await each.unrouteAll({ behavior: 'ignoreErrors' })
  await context.close()
  expect(errors).toEqual([])
  expect(elsewhere).toEqual([])
}

/** Logs in at the open page, by default as the administrator. */
export async function logIn({ page }: Pick<Watched, 'page'>, password = ADMIN_PASSWORD, name = 'admin'): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}
