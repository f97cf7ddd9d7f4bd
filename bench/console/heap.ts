import type { Browser, CDPSession, Page } from 'playwright-core'
import { startDeployment, type Deployment } from '../../infra/local/deployment.ts'
import { spreadOf, type Figure } from '../figure.ts'
import { scaled } from '../scale.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from '../service.ts'
import { logIn, startBrowser } from './browser.ts'

const ROUNDS = scaled(3, 1)
const REGION = 'eu-west-1'
const KEYS = 2_000
/** How long the cloud takes to describe a key, so that the synchronization lasts as long as the page is measured. */
const DELAY_MS = 2_000
const SECOND_MS = 1_000
/** The longest pause between two reads of the page (`clients/console/live.ts`). */
const STEP_SECONDS = 5
const HOUR_SECONDS = scaled(3_600, 120)

/** An account with many keys at a slow cloud, and a running synchronization of it. @returns the path of its page */
async function beginWork(deployment: Deployment): Promise<string> {
  const call = async (path: string, body: object, token?: string): Promise<any> => {
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    const answer = await fetch(`${deployment.baseUrl}/api${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const { jwt } = await call('/v1/auth/tokens', { name: 'admin', password: PASSWORD })
  const { cloudA } = deployment
  const [account] = cloudA.accounts
  if (account === undefined) throw new Error('The simulated cloud has no account')
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = account.credentials
  await call('/v1/connectionmgmt/services/cloud-a/connections', { name: 'slow', access_key_id, secret_access_key }, jwt)
  const kms = { name: 'slow', account_id: account.id, connection: 'slow', regions: [REGION] }
  await call('/v1/keymgr/cloud-a/kms', kms, jwt)
  cloudA.seed({ account: account.id, region: REGION, count: KEYS })
  cloudA.inject({ fault: 'delay', operation: 'DescribeKey', delayMs: DELAY_MS })
  const { id } = await call('/v1/keymgr/cloud-a/synchronization-jobs', { kms: ['slow'] }, jwt)
  return `/console/containers/cloud-a/synchronizations/${id as string}`
}

/** Bytes in use after garbage collection. */
async function heapOf(session: CDPSession): Promise<number> {
  for (let times = 0; times < 3; times += 1) await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize
}

/** Advances the page's clock, read by read. A key is pressed now and then, because the session would end otherwise. */
async function pass(page: Page, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += STEP_SECONDS) {
    const read = page.waitForResponse((response) => response.url().includes('/synchronization-jobs/'))
    await page.clock.runFor(STEP_SECONDS * SECOND_MS)
    await read
    if (passed % 60 === 0) await page.keyboard.press('Shift')
  }
}

async function round(browser: Browser, base: string, path: string): Promise<{ minute: number; hour: number }> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.clock.install()
  await logIn(page, base)
  await page.goto(base + path)
  await page.getByText('In progress').first().waitFor()
  const session = await context.newCDPSession(page)
  await pass(page, 60)
  const minute = await heapOf(session)
  await pass(page, HOUR_SECONDS - 60)
  const hour = await heapOf(session)
  if ((await page.getByText('In progress').count()) === 0)
    throw new Error('The synchronization ended while it was looked at')
  await context.close()
  return { minute, hour }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`

/** Heap of the page of a running synchronization after an hour, against the heap after a minute. */
export async function measure(): Promise<Figure[]> {
  const deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: PASSWORD,
    environment: UNTHROTTLED,
  })
  const browser = await startBrowser()
  try {
    const path = await beginWork(deployment)
    const rounds: { minute: number; hour: number }[] = []
    for (let at = 0; at < ROUNDS; at += 1) rounds.push(await round(browser, deployment.baseUrl, path))
    const [last] = rounds.slice(-1)
    return [
      {
        name: 'console: heap after an hour of live progress / after a minute',
        measured: spreadOf(rounds.map(({ minute, hour }) => hour / minute)),
        promise: { atMost: 1.2 },
        note: `${megabytes(last?.hour ?? NaN)} against ${megabytes(last?.minute ?? NaN)}, ${HOUR_SECONDS / STEP_SECONDS} reads`,
      },
    ]
  } finally {
    await browser.close()
    await deployment.stop()
  }
}
