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
    const overflow = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect(overflow, `${address} is wider than the screen`).toBe(0)
    left.push(...(await more(address)))
  }
}

/** Widths in which axe checks every page, light and dark. */
export const LOOKS = [
  ['on a screen', 1280],
  ['on a phone', 390],
] as const
