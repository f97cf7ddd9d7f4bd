import { beforeAll, expect, test } from 'vitest'
import { CRM, endpointOf, localKey, secretsOf, useCrm } from '../functions/crm/crm.ts'
import { behaved, useBrowser, watched, type Watched } from './browser.ts'
import { CONSOLE, opened, openForm, titled } from './console.ts'
import { obstacles, usable } from './usable.ts'

const tests = useCrm({ flowPauseMs: () => 1 })
const browser = useBrowser()
let base = ''
beforeAll(() => {
  base = tests().service.deployment.baseUrl
})

const open = async (path: string): Promise<Watched> => opened(await watched(browser(), base), base + CONSOLE + path)
const dialog = ({ page }: Watched) => page.getByRole('dialog')

/** Confirms an action that ends a key, by its name. */
async function end({ page }: Watched, action: string, name: string): Promise<void> {
  await page.getByRole('button', { name: action, exact: true }).click()
  const asked = page.getByRole('dialog')
  await asked.getByLabel(`Type ${name} to go on`).fill(name)
  await asked.getByRole('button', { name: action, exact: true }).click()
}

test('a tenant secret is made, archived by the next one, destroyed, and imported again by clicks', async () => {
  const view = await open('keys/crm')
  const { page } = view
  for (const name of ['first', 'second']) {
    await page.goto(`${base}${CONSOLE}keys/crm`)
    await openForm(page, 'Create in crm')
    await page.getByLabel('Organization').selectOption('Shop')
    await page.getByLabel('Type').selectOption('Analytics')
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Create in crm' }).click()
    await titled(page, name).waitFor()
    await page.locator('.facts').getByText('ACTIVE').waitFor()
  }
  await page.goto(`${base}${CONSOLE}keys/crm?status=ARCHIVED&type=Analytics`)
  await page.getByRole('link', { name: 'first' }).click()
  await titled(page, 'first').waitFor()
  await end(view, 'Destroy', 'first')
  await page.locator('.facts').getByText('DESTROYED').waitFor()
  await page.getByRole('button', { name: 'Import again', exact: true }).click()
  await dialog(view).getByRole('button', { name: 'Import again', exact: true }).click()
  await page.locator('.facts').getByText('ARCHIVED').waitFor()
  expect(await obstacles(page)).toEqual([])
  await behaved(view)
})

test('a cache-only key is registered at a key endpoint, destroyed, and activated by clicks', async () => {
  await localKey(tests().admin, 'kept-here')
  await endpointOf(tests(), 'browser')
  const view = await open('keys/crm')
  const { page } = view
  await openForm(page, 'Keep it here')
  await page.getByLabel('Organization').selectOption('Shop')
  await page.getByRole('textbox', { name: /^Name/ }).fill('cached')
  await page.getByLabel('Local key').fill('kept-here')
  await page.getByLabel('Certificate').selectOption('keymgr_wrapping')
  await page.getByLabel('Key endpoint').selectOption('browser')
  await page.getByLabel('Named credential').selectOption('browser')
  await page.getByRole('button', { name: 'Keep it here' }).click()
  await titled(page, 'cached').waitFor()
  await page.locator('.facts').getByText('ACTIVE').waitFor()
  await end(view, 'Destroy', 'cached')
  await page.locator('.facts').getByText('DESTROYED').waitFor()
  await page.getByRole('button', { name: 'Activate', exact: true }).click()
  await dialog(view).getByRole('button', { name: 'Activate', exact: true }).click()
  await page.locator('.facts').getByText('ACTIVE').waitFor()
  await behaved(view)
})

test('a rotation job for types of an organization is made by clicks, and its page warns of runs that come too soon', async () => {
  const view = await open('jobs/add')
  const { page } = view
  await page.getByLabel('Name').fill('events')
  await page.getByLabel('Does').selectOption('keymgr_key_rotation')
  await page.getByLabel('Cloud', { exact: true }).selectOption('crm')
  await page.getByLabel('Organization').selectOption('Shop')
  await page.getByLabel('Types').fill('EventBus')
  await page.getByRole('main').locator('button[type=submit]').click()
  await titled(page, 'events').waitFor()
  await page.getByText('The cloud accepts one secret of EventBus in 7 days.').waitFor()
  await behaved(view)
})

test('pages of crm are accessible', async () => {
  const { admin, organization, certificate } = tests()
  const secret = await secretsOf(admin, organization.id as string).create('EventBus')
  const { endpoint } = await endpointOf(tests(), 'shown')
  const { id } = await admin.ok('POST', `${CRM}/reports`, {
    ...{ name: 'ages', report_type: 'key-aging', crm_params: [{ organization_id: organization.id }] },
  })
  const view = await open('')
  const { page } = view
  await usable(
    page,
    [
      ...['keys/crm', 'keys/crm/add/upload', `keys/crm/${secret.id as string}`, 'containers/crm', 'containers/crm/add'],
      ...[`containers/crm/${organization.id as string}`, 'endpoints/crm-keys', 'endpoints/crm-keys/add'],
      ...[`endpoints/crm-keys/${endpoint.id as string}`, 'connections/new/crm', `reports/crm/${id as string}`],
      ...['administration/crm-certificates', 'administration/crm-certificates/add', 'administration/crm-issuers'],
      ...[`administration/crm-certificates/${certificate.id as string}`, 'administration/crm-issuers/add'],
    ].map((path) => base + CONSOLE + path),
  )
  await behaved(view)
})
