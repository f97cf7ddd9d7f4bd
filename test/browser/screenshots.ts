/**
 * Takes the screenshots of the console in `docs/console/`, from a service in memory with example keys: `node
 * test/browser/screenshots.ts`.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { startDeployment } from '../../infra/local/deployment.ts'
import build, { BUNDLES } from '../support/build.ts'
import { ADMIN_PASSWORD, Service } from '../support/service.ts'
import { logIn } from './browser.ts'
import { CONSOLE, createCloudBKey, createCloudCKey, createKeys, enterCloudA, REGION, titled } from './console.ts'
import { quiet } from './usable.ts'

const FOLDER = fileURLToPath(new URL('../../docs/console/', import.meta.url))
const CHROMIUM = process.env.KEYMGR_CHROMIUM ?? '/usr/bin/chromium'
const DAY_MS = 86_400_000
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()

/** Creates keys such as a small company has. @returns the path of a key's page */
async function furnish(service: Service): Promise<string> {
  await createKeys(service, ['orders', 'invoices', 'payroll', 'customers'])
  await createKeys(service, ['archive-2025', 'signing'], { deactivationDate: inDays(12) })
  await createKeys(service, ['backups', 'letters'], { deactivationDate: inDays(47) })
  await createKeys(service, ['next-year'], { state: 'Pre-Active' })
  await createKeys(service, ['website'], { algorithm: 'rsa', deactivationDate: inDays(80) })
  await enterCloudA(service)
  await createCloudBKey(service)
  await createCloudCKey(service)
  const token = await service.logIn()
  const upload = async (Alias: string, days?: number): Promise<string> => {
    const expiry = days === undefined ? {} : { ValidTo: inDays(days) }
    const body = { kms: 'shop', region: REGION, source_key_identifier: Alias, cloud_a_param: { Alias, ...expiry } }
    const { body: key } = await service.call('POST', '/v1/keymgr/cloud-a/upload-key', {
      token,
      body: { ...body, ...(days !== undefined && { key_expiration: true }) },
    })
    return key.id as string
  }
  await upload('invoices', 33)
  const id = await upload('orders')
  const rotated = await service.call('POST', `/v1/keymgr/cloud-a/keys/${id}/rotate`, {
    token,
    body: { retain_alias: true, disable_encrypt: true },
  })
  return `keys/cloud-a/${rotated.body.id as string}`
}

async function take(page: Page, base: string, at: string, name: string): Promise<void> {
  await page.goto(base + CONSOLE + at)
  await quiet(page)
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: path.join(FOLDER, `${name}.png`) })
}

await build()
const deployment = await startDeployment({ bundles: BUNDLES, inMemory: true, adminPassword: ADMIN_PASSWORD })
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
try {
  fs.mkdirSync(FOLDER, { recursive: true })
  const { baseUrl } = deployment
  const key = await furnish(new Service(deployment))
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.goto(baseUrl + CONSOLE)
  await logIn({ page })
  await titled(page, 'Overview').waitFor()
  await take(page, baseUrl, '', 'overview')
  await take(page, baseUrl, 'keys/local', 'keys')
  await take(page, baseUrl, key, 'key')
  await page.emulateMedia({ colorScheme: 'dark' })
  await take(page, baseUrl, '', 'overview-dark')
  await take(page, baseUrl, key, 'key-dark')
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('dialog').waitFor()
  await page.screenshot({ path: path.join(FOLDER, 'change-dark.png') })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 390, height: 780 })
  await take(page, baseUrl, 'keys/local', 'keys-phone')
} finally {
  await browser.close()
  await deployment.stop()
}
