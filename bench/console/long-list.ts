import type { Browser } from 'playwright-core'
import { exactly, type Figure } from '../figure.ts'
import { milliseconds } from '../rounds.ts'
import { sessionOf } from './browser.ts'

/** Pages of rows that are shown on the way to the last one. */
const STOPS = 20
const PAGE_ROWS = 100
const ROW_PIXELS = 40

/** Scrolls through all keys: the loaded and drawn data stays small, however many keys there are. */
export async function longList(browser: Browser, base: string, keys: number): Promise<Figure[]> {
  const context = await browser.newContext({ storageState: await sessionOf(browser, base) })
  const page = await context.newPage()
  let loaded = 0
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith('/vault/keys2')) loaded += Number(searchParams.get('limit') ?? 0)
  })
  await page.goto(`${base}/console/keys/local`)
  const grid = page.getByRole('grid')
  await grid.locator('[aria-rowindex="2"] a').waitFor()
  const drawn: number[] = []
  const from = performance.now()
  for (let stop = 1; stop <= STOPS; stop += 1) {
    const row = Math.floor(((keys - PAGE_ROWS) * stop) / STOPS)
    await grid.evaluate((element, top) => (element.scrollTop = top), row * ROW_PIXELS)
    await grid.locator(`[aria-rowindex="${row + 6}"] a`).waitFor()
    drawn.push(await grid.getByRole('row').count())
  }
  const ms = (performance.now() - from) / STOPS
  await context.close()
  return [
    {
      name: `console: rows loaded while ${keys.toLocaleString('en')} are scrolled through, in pages of ${PAGE_ROWS}`,
      measured: exactly(loaded / PAGE_ROWS),
      promise: { atMost: 3 * (STOPS + 1) },
      note: `${STOPS} stops, ${milliseconds(ms)} each until its rows are there`,
    },
    {
      name: 'console: rows drawn at once',
      measured: exactly(Math.max(...drawn)),
      promise: { atMost: 100 },
      note: `of ${keys.toLocaleString('en')}`,
    },
  ]
}
