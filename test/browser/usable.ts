import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Findings of axe on the open page. */
export async function obstacles(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<Pick<axe.AxeResults, 'violations'>>('axe.run()')
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Waits until the page awaits no answer. */
export async function quiet(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.loading, [aria-busy=true]').first().waitFor({ state: 'detached', timeout: 60_000 })
}

/** Opens each address and checks it with axe and against the width of the screen. No page may show a refusal. */
export async function usable(page: Page, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    await page.goto(address)
    await quiet(page)
    expect(await obstacles(page), address).toEqual([])
    expect(await page.locator('.failed').allTextContents(), address).toEqual([])
    const overflow = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect(overflow, `${address} is wider than the screen`).toBe(0)
  }
}

/** Themes and sizes in which axe checks every page. */
export const LOOKS = [
  ['light, on a screen', 'light', 1280],
  ['dark, on a screen', 'dark', 1280],
  ['light, on a phone', 'light', 390],
  ['dark, on a phone', 'dark', 390],
] as const
