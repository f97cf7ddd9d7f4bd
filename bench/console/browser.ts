import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { PASSWORD } from '../service.ts'

const CHROMIUM = process.env.KEYMGR_CHROMIUM ?? '/usr/bin/chromium'

/** @throws Error when there is no browser */
export async function startBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    throw new Error(`There is no browser at ${CHROMIUM}: apt-get install chromium, or name another in KEYMGR_CHROMIUM.`)
  // the sandbox needs rights that containers do not have; the pages are keymgr's own
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
}

/** Logs in at the console. */
export async function logIn(page: Page, base: string): Promise<void> {
  await page.goto(`${base}/console/keys/none`)
  await page.getByLabel('Name').fill('admin')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByText('No such page').waitFor()
}

/** A session's cookie and the browser's stored data for it, for contexts that have nothing else. */
export async function sessionOf(
  browser: Browser,
  base: string,
): Promise<Awaited<ReturnType<BrowserContext['storageState']>>> {
  const context = await browser.newContext()
  await logIn(await context.newPage(), base)
  const state = await context.storageState()
  await context.close()
  return state
}
