import type { Browser } from 'playwright-core'
import { medianOf, spreadOf, type Figure } from '../figure.ts'
import { milliseconds } from '../rounds.ts'
import { scaled } from '../scale.ts'
import { sessionOf } from './browser.ts'

type Session = Awaited<ReturnType<typeof sessionOf>>

const ROUNDS = scaled(25, 3)
const WARM_UP = scaled(3, 1)

/** Reports when a row was painted: it exists, a frame is drawn with it, and the next one begins. */
const WATCH = (selector: string): string => `
  globalThis.painted = new Promise((resolve) => {
    const look = () => {
      if (document.querySelector(${JSON.stringify(selector)}) === null) return requestAnimationFrame(look)
      requestAnimationFrame(() => resolve(performance.now()))
    }
    requestAnimationFrame(look)
  })`

/** Milliseconds from the navigation to the first painted row, in a browser that has only a session. */
async function timeOf(browser: Browser, session: Session, address: string, selector: string): Promise<number> {
  const context = await browser.newContext({ storageState: session })
  const page = await context.newPage()
  await page.addInitScript(WATCH(selector))
  await page.goto(address, { waitUntil: 'commit' })
  const ms = await page.evaluate<number>('painted')
  await context.close()
  return ms
}

/** How long the list of keys takes to be painted on a first visit, against a page that only shows the list. */
export async function firstList(browser: Browser, base: string): Promise<Figure> {
  const session = await sessionOf(browser, base)
  const ours = () => timeOf(browser, session, `${base}/console/keys/local`, '.list .all a')
  const bare = () => timeOf(browser, session, `${base}/bare`, 'td')
  const rounds: { ours: number; bare: number }[] = []
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const measured =
      round % 2 === 0
        ? { ours: await ours(), bare: await bare() }
        : await bare().then(async (first) => ({ bare: first, ours: await ours() }))
    if (round >= 0) rounds.push(measured)
  }
  const ms = (which: 'ours' | 'bare'): string => milliseconds(medianOf(rounds.map((round) => round[which])))
  return {
    name: 'console: first list painted / a bare page with the same answer',
    measured: spreadOf(rounds.map(({ ours: a, bare: b }) => a / b)),
    promise: { atMost: 4 },
    note: `${ms('ours')} against ${ms('bare')}, nothing cached`,
  }
}
