import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type axe from 'axe-core'
import type { Page, Request } from 'playwright-core'
import { expect, vi } from 'vitest'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Findings of axe, with these options. */
async function findings(page: Page, options: object): Promise<string[]> {
  const asked = JSON.stringify({ resultTypes: ['violations'], ...options })
  const { violations } = await page.evaluate<Pick<axe.AxeResults, 'violations'>>(`axe.run(${asked})`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Findings of axe on the open page, light and dark: the schemes differ in colours only. */
export async function obstacles(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE)
  const light = await findings(page, {})
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await findings(page, { runOnly: ['color-contrast'] })
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark.map((each) => `dark, ${each}`)]
}

/** Waits until the page awaits no answer. */
export async function quiet(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.loading, [aria-busy=true]').first().waitFor({ state: 'detached', timeout: 60_000 })
}

/** Waits until the page is drawn, which takes a frame for its effects and one for what these change. */
const drawn = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')

/** Follows the requests of a page. @returns a function that waits until all are answered and drawn */
function following(page: Page): () => Promise<void> {
  const underWay = new Set<Request>()
  page.on('request', (request) => underWay.add(request))
  page.on('requestfinished', (request) => underWay.delete(request))
  page.on('requestfailed', (request) => underWay.delete(request))
  return async () => {
    await quiet(page)
    await vi.waitUntil(() => underWay.size === 0, { timeout: 60_000, interval: 20 })
    await drawn(page)
    await quiet(page)
  }
}

const DESKTOP = 1280
const HEIGHT = 844

/** Widths in which axe checks every page, light and dark. */
export const LOOKS = [
  ['on a screen', DESKTOP],
  ['on a phone', 390],
] as const

const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** A page is read without scrolling sideways, also at 200 %, where half as many pixels of CSS are on the screen. */
async function fits(page: Page, width: number, what: string): Promise<void> {
  expect(await overflow(page), `${what} is wider than the screen`).toBe(0)
  if (width < DESKTOP) return
  await page.setViewportSize({ width: width / 2, height: HEIGHT / 2 })
  expect(await overflow(page), `${what} is wider than the screen at 200 %`).toBe(0)
}

/**
 * Checks the open page with axe, and against the width of a screen and of a phone.
 * @param isPhoneFirst the page is already as wide as a phone
 */
export async function looks(page: Page, what: string, isPhoneFirst = false): Promise<void> {
  for (const [look, width] of isPhoneFirst ? LOOKS.toReversed() : LOOKS) {
    await page.setViewportSize({ width, height: HEIGHT })
    await drawn(page)
    await quiet(page)
    expect(await obstacles(page), `${what}, ${look}`).toEqual([])
    await fits(page, width, what)
  }
}

/**
 * Opens each address once, and checks it in both widths: every other one is opened on a phone, which then becomes a
 * screen. No page may show a refusal.
 * @param more further addresses, which an open page leads to
 */
export async function usable(
  page: Page,
  addresses: readonly string[],
  more: (address: string) => Promise<readonly string[]> = () => Promise.resolve([]),
): Promise<void> {
  const settled = following(page)
  await page.addInitScript(AXE) // faster than in an open page
  const left = [...addresses]
  let isPhoneFirst = false
  for (let address = left.shift(); address !== undefined; address = left.shift()) {
    await page.setViewportSize({ width: LOOKS[isPhoneFirst ? 1 : 0][1], height: HEIGHT })
    await page.goto(address)
    await settled()
    await looks(page, address, isPhoneFirst)
    expect(await page.locator('.failed').allTextContents(), address).toEqual([])
    left.push(...(await more(address)))
    isPhoneFirst = !isPhoneFirst
  }
}
