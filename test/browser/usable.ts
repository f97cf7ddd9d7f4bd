import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Findings of axe, with these options. */
async function findings(page: Page, options: object): Promise<string[]> {
  const { violations } = await page.evaluate<Pick<axe.AxeResults, 'violations'>>(`axe.run(${JSON.stringify(options)})`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Findings of axe on the open page, light and dark: the schemes differ in colours only. */
export async function obstacles(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.evaluate(axe.source)
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

const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** A page is read without scrolling sideways, also at 200 %, where half as many pixels of CSS are on the screen. */
async function fits(page: Page, address: string): Promise<void> {
  expect(await overflow(page), `${address} is wider than the screen`).toBe(0)
  const size = page.viewportSize()
  if (size === null || size.width < DESKTOP) return
  await page.setViewportSize({ width: size.width / 2, height: size.height / 2 })
  expect(await overflow(page), `${address} is wider than the screen at 200 %`).toBe(0)
  await page.setViewportSize(size)
}

/**
 * Opens each address and checks it with axe and against the width of the screen. No page may show a refusal.
 * @param more further addresses, which an open page leads to
 */
export async function usable(
  page: Page,
  addresses: readonly string[],
  more: (address: string) => Promise<readonly string[]> = () => Promise.resolve([]),
): Promise<void> {
  const left = [...addresses]
  for (let address = left.shift(); address !== undefined; address = left.shift()) {
    await page.goto(address)
    await quiet(page)
    expect(await obstacles(page), address).toEqual([])
    expect(await page.locator('.failed').allTextContents(), address).toEqual([])
    await fits(page, address)
    left.push(...(await more(address)))
  }
}

const DESKTOP = 1280

/** Widths in which axe checks every page, light and dark. */
export const LOOKS = [
  ['on a screen', DESKTOP],
  ['on a phone', 390],
] as const
