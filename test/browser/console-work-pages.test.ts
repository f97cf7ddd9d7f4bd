import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { clientsOf } from '../functions/clients/clients.ts'
import { REGION, useCloudA } from '../functions/cloud-a/cloud-a.ts'
import { TENANT } from '../functions/dke/dke.ts'
import { BASIC, HOST } from '../functions/ekm/ekm.ts'
import { behaved, logIn, useBrowser, watched } from './browser.ts'
import { CONSOLE, holdScripts, titled } from './console.ts'
import { looks, obstacles, usable } from './usable.ts'

const tests = useCloudA({ flowPauseMs: () => 1 })
const browser = useBrowser()
let base = ''

/** Lists and forms, whose addresses contain no ids. */
const pages = [
  ...['containers', 'containers/cloud-b', 'containers/cloud-c', 'containers/cloud-a/add', 'containers/cloud-b/add'],
  ...['endpoints', 'endpoints/ekm', 'endpoints/kacls', 'endpoints/dke', 'endpoints/xks/add', 'endpoints/ekm/add'],
  ...[
    'jobs',
    'jobs/add',
    'jobs/runs',
    'reports',
    'reports/cloud-b',
    'reports/cloud-a/add',
    'audit?success=true',
    'audit/programs',
    'audit/proofs',
    'audit/inventory',
    'audit/exports',
    'ciphertexts',
  ],
  ...[
    'calendar',
    'calendar?month=2030-01',
    'me',
    'administration',
    'users',
    'users/add',
    'users/groups',
    'users/groups/add',
    'users/groups/keymgr%20Admins',
  ],
]

/** Creates one resource of each kind, and adds its page. */
beforeAll(async () => {
  const { admin, service, cloud, account, kms } = tests()
  base = service.deployment.baseUrl
  cloud.seed({ account: account.id, region: REGION, count: 30, describe: (n) => ({ aliases: [`alias/seeded-${n}`] }) })
  const made = async (folder: string, path: string, body: object): Promise<any> => {
    const resource = await admin.ok('POST', path, body)
    pages.push(`${folder}/${encodeURIComponent((resource.id ?? resource.user_id) as string)}`)
    return resource
  }
  pages.push(`containers/cloud-a/${kms.id as string}`)
  await admin.create({ name: 'health', algorithm: 'aes', size: 256 })
  await made('containers/cloud-a/synchronizations', '/v1/keymgr/cloud-a/synchronization-jobs', { kms: ['main'] })
  await service.deployment.flows.idle()
  await made('reports/cloud-a', '/v1/keymgr/cloud-a/reports', {
    ...{ name: 'ages', report_type: 'key-aging', cloud_a_params: [{ kms: 'main' }] },
  })
  await made('endpoints/ekm', '/v1/keymgr/ekm/endpoints', { name: 'ekm', keyURIHostname: HOST, policy: BASIC })
  const dke = { name: 'dke', key_uri_hostname: 'dke.example.test', auth_tenants: [TENANT] }
  await made('endpoints/dke', '/v1/keymgr/docsuite/dke/endpoints', dke)
  await made('endpoints/xks', '/v1/keymgr/cloud-a/custom-key-stores', {
    ...{ name: 'xks', kms: 'main', region: REGION },
    local_hosted_params: { health_check_key_id: 'health', max_credentials: 2 },
    cloud_a_param: { xks_proxy_uri_endpoint: 'https://xks.keymgr.test' },
  })
  await made('users', '/v1/usermgmt/users', { username: 'olga', password: 'Pass-word-77x', email: 'olga@example.test' })
  const config = await made('jobs', '/v1/scheduler/job-configs', {
    ...{ name: 'weekly', operation: 'keymgr_synchronization', run_at: '30 4 * * mon' },
    keymgr_synchronization_params: { cloud_name: 'cloud-a', synchronize_all: true },
  })
  pages.push(`jobs/${config.id as string}/edit`)
  const { job_id } = await admin.ok('POST', `/v1/scheduler/job-configs/${config.id as string}/run-now`)
  pages.push(`jobs/runs/${job_id as string}`)
  await service.deployment.flows.idle()
})

test.each([1, 2])('pages of work, endpoints and users are accessible: part %i of 2', async (part) => {
  const view = await watched(browser(), base)
  const { page } = view
  await page.goto(base + CONSOLE)
  await logIn(view)
  await titled(page, 'Overview').waitFor()
  await usable(
    page,
    pages.filter((_, at) => at % 2 === part - 1).map((path) => base + CONSOLE + path),
  )
  await behaved(view)
})

test('an audit record is accessible, on a screen and on a phone', async () => {
  const view = await watched(browser(), base)
  const { page } = view
  await tests().service.deployment.fire('drain-outbox')
  await page.goto(`${base}${CONSOLE}audit`)
  await logIn(view)
  await page.getByRole('grid').getByRole('link').first().click()
  await page.getByRole('dialog').waitFor()
  await looks(page, 'a record')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await behaved(view)
})

test.each([1, 2, 3])(
  'pages of administration are accessible, on a screen and on a phone: part %i of 3',
  async (part) => {
    const view = await watched(browser(), base)
    const { page } = view
    await page.goto(`${base}${CONSOLE}administration`)
    await logIn(view)
    await titled(page, 'Administration').waitFor()
    await page.locator('.choices a').first().waitFor()
    const hrefs: (string | null)[] = await page
      .locator('.choices a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    expect(hrefs.length).toBeGreaterThan(20)
    const lists = hrefs.filter((_, at) => at % 3 === part - 1).map((href) => `${base}${href ?? ''}`)
    await usable(page, lists, async (list) => {
      expect(await titled(page, 'No such page').count(), list).toBe(0)
      const [add = ''] = await page
        .locator('.title .actions a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
      return add.startsWith(new URL(list).pathname) ? [`${base}${add}`] : []
    })
    await behaved(view)
  },
)

test('an authority signs itself, and issues a certificate for a key that the browser makes', async () => {
  const view = await watched(browser(), base)
  const { page } = view
  await page.goto(`${base}${CONSOLE}administration/authorities/add`)
  await logIn(view)
  await page.getByLabel('Common name').fill('Shop Root')
  await page.getByRole('button', { name: 'Create an authority' }).click()
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Sign it by itself' }).click()
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await page.getByRole('button', { name: 'Revocation list' }).waitFor()
  await page.getByRole('button', { name: 'Issue a certificate' }).click()
  await dialog.getByLabel('Name', { exact: false }).first().fill('till-8')
  await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Make a key and its request here' }).click(),
  ])
  await dialog.getByRole('button', { name: 'Issue a certificate' }).click()
  const certificates = page.getByRole('region', { name: 'Certificates' })
  await certificates.getByRole('cell', { name: 'active' }).waitFor()
  expect(await obstacles(page)).toEqual([])
  await certificates.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByLabel('Reason').selectOption('superseded')
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await certificates.getByRole('cell', { name: 'revoked' }).waitFor()
  await behaved(view)
})

test('the secret of a platform credential is shown once', async () => {
  const view = await watched(browser(), base)
  const { page } = view
  await page.goto(`${base}${CONSOLE}administration/platform-credentials/add`)
  await logIn(view)
  await titled(page, 'Make a platform credential').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('archive')
  await page.getByRole('button', { name: 'Make a platform credential' }).click()
  const dialog = page.getByRole('dialog', { name: 'Shown once' })
  await dialog.getByText('Client secret').waitFor()
  const secret = (await dialog.locator('code').last().textContent()) ?? ''
  expect(secret.length).toBeGreaterThan(20)
  await dialog.getByRole('button', { name: 'I have kept it' }).click()
  await titled(page, 'archive').waitFor()
  expect(await page.content()).not.toContain(secret)
  await behaved(view)
})

test('the credential of a key store is shown once, and Escape does not lose it', async () => {
  const view = await watched(browser(), base)
  const { page } = view
  await page.goto(`${base}${CONSOLE}endpoints/xks/add`)
  await logIn(view)
  await titled(page, 'Add a key store').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('orders')
  await page.getByLabel('KMS').selectOption('main')
  await page.getByLabel('Region').fill(REGION)
  await page.getByLabel('Address of this service').fill('https://xks.keymgr.test')
  await page.getByLabel('Health check key').fill('health')
  await page.getByRole('button', { name: 'Add a key store' }).click()
  const dialog = page.getByRole('dialog', { name: 'Shown once' })
  await dialog.getByText('Secret access key').waitFor()
  const secret = (await dialog.locator('code').last().textContent()) ?? ''
  expect(secret.length).toBeGreaterThan(40)
  await page.keyboard.press('Escape')
  expect(await dialog.isVisible()).toBe(true)
  expect(await obstacles(page)).toEqual([])
  await dialog.getByRole('button', { name: 'I have kept it' }).click()
  await titled(page, 'orders').waitFor()
  expect(await page.content()).not.toContain(secret)
  await behaved(view)
})

test('a client is registered with a key that the browser makes, and its certificate is saved', async () => {
  const clients = clientsOf(tests())
  const { token } = await clients.token({ ca_id: (await clients.authority()).id })
  const view = await watched(browser(), base)
  const { page } = view
  await page.goto(`${base}${CONSOLE}administration/clients/add`)
  await logIn(view)
  await page.getByLabel('Registration token').waitFor() // the log-in has a name too
  await page.getByLabel('Name').fill('till-7')
  const release = await holdScripts(page)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Make a key and its request here' }).click()
  await page.getByLabel('Registration token').fill(token as string) // the request does not replace it
  release()
  const key = await saved
  const made = createPrivateKey(readFileSync(await key.path(), 'utf8'))
  await page.getByRole('button', { name: 'Register a client' }).click()
  await titled(page, 'till-7').waitFor()
  await page.getByRole('button', { name: 'Certificate' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Save' }).click(),
  ])
  expect(new X509Certificate(readFileSync(await file.path())).checkPrivateKey(made)).toBe(true)
  await behaved(view)
})
