import { beforeAll, expect, test } from 'vitest'
import { useService } from '../support/service.ts'
import { behaved, logIn, useBrowser, watched, type Watched } from './browser.ts'
import { CONSOLE, createCloudBKey, opened, openForm, REGION, titled } from './console.ts'
import { obstacles, usable } from './usable.ts'

const service = useService()
const browser = useBrowser()
let base = ''
beforeAll(() => {
  base = service().deployment.baseUrl
})

const open = async (path: string): Promise<Watched> => opened(await watched(browser(), base), base + CONSOLE + path)
const dialog = ({ page }: Watched) => page.getByRole('dialog')

test('an empty system shows its first steps, and the next one is marked', async () => {
  const view = await open('')
  const steps = view.page.locator('.first-steps')
  await steps.getByText('Connect a cloud').first().waitFor()
  expect(await steps.locator('[aria-current=step]').textContent()).toMatch(/Choose a password|Connect a cloud/)
  expect(await obstacles(view.page)).toEqual([])
  await steps.getByRole('link', { name: 'Connect a cloud' }).click()
  await titled(view.page, 'Connect a cloud').waitFor()
  await behaved(view)
})

/** Lists that are empty in a new system. */
const EMPTY = [
  ...['keys', 'keys/local', 'keys/cloud-b', 'connections', 'containers', 'containers/cloud-c', 'endpoints/ekm'],
  ...['endpoints/dke', 'jobs', 'jobs/runs', 'reports', 'administration/secrets', 'administration/alarms'],
  ...['administration/clients', 'administration/authorities', 'administration/cloud-a-unfinished'],
]

test('every empty list has a sentence, and a link to the next step', async () => {
  const view = await open('')
  for (const list of EMPTY) {
    await view.page.goto(`${base}${CONSOLE}${list}`)
    const empty = view.page.locator('.empty', { has: view.page.getByRole('link') }).first()
    expect(await empty.textContent(), list).toMatch(/[a-z]\./)
  }
  await behaved(view)
})

test('from nothing to the keys of a cloud: a wrong secret is explained, and no secret is shown again', async () => {
  const { cloudA } = service().deployment
  const [account] = cloudA.accounts
  if (account === undefined) throw new Error('There is no account')
  cloudA.seed({ account: account.id, region: REGION, count: 3, describe: (n) => ({ aliases: [`alias/old-${n}`] }) })
  const { accessKeyId, secretAccessKey } = account.credentials
  const view = await open('connections')
  const { page } = view
  await page.getByText('Nothing is connected.').waitFor()
  await openForm(page, 'Connect a cloud')
  await page.getByRole('link', { name: 'Cloud-a' }).click()
  await titled(page, 'Connect cloud-a').waitFor()
  await page.getByLabel('Name').fill('shop')
  await page.getByLabel('Access key id').fill(accessKeyId)
  await page.getByLabel('Secret access key').fill('wrong')
  expect(await page.locator('.call pre').textContent()).toContain('"secret_access_key": "$SECRET_ACCESS_KEY"')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  const lines = page.getByLabel('Result of the test')
  await lines.getByText('Cloud-a refuses these credentials.').waitFor()
  expect(await lines.textContent()).toContain('Enter the secret again')
  expect(await obstacles(page)).toEqual([])
  await page.getByLabel('Secret access key').fill(secretAccessKey)
  await lines.waitFor({ state: 'detached' }) // the lines tested another secret
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await lines.getByText('The credentials are accepted.').waitFor()
  await page.getByRole('button', { name: 'Save and go on' }).click()

  await titled(page, 'Add containers of shop').waitFor()
  await page.getByLabel(REGION).check()
  expect(await obstacles(page)).toEqual([])
  await page.getByLabel('Name of the account here').fill('main')
  await page.getByRole('button', { name: 'Add 1 region and read' }).click()
  await page.getByText('3 keys of cloud-a can be seen here now.').waitFor()
  expect(await page.content()).not.toContain(secretAccessKey)
  await page.getByRole('link', { name: 'See the keys' }).click()
  await page.getByRole('link', { name: 'old-1' }).waitFor()
  await behaved(view)
})

test('a connection is tested, changed without its secret, and deleted after its name is typed', async () => {
  await createCloudBKey(service())
  const view = await open('connections')
  const { page } = view
  await page.getByRole('link', { name: 'office' }).click()
  await titled(page, 'office').waitFor()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('Listing is allowed.').waitFor()
  await page.getByRole('button', { name: 'Change credentials' }).click()
  await dialog(view).getByLabel('Secret').fill('another-secret')
  await dialog(view).getByRole('button', { name: 'Save' }).click()
  await page.locator('.facts').getByText('Not tested').waitFor()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('Cloud-b refuses these credentials.').waitFor()

  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog(view).getByText('1 vault').waitFor()
  expect(await dialog(view).textContent()).toContain('shop-premium')
  const confirm = dialog(view).getByRole('button', { name: 'Delete' })
  expect(
    await dialog(view)
      .getByRole('button', { name: 'Cancel' })
      .evaluate((each) => each.matches(':focus')),
  ).toBe(true)
  expect(await confirm.getAttribute('aria-disabled')).toBe('true')
  await confirm.click({ force: true })
  expect(await dialog(view).isVisible()).toBe(true) // the name is not typed yet
  await dialog(view).getByLabel('Type office to go on').fill('office')
  await confirm.click()
  await titled(page, 'Connections').waitFor()
  await page.getByRole('link', { name: 'office' }).waitFor({ state: 'detached' })
  await behaved(view)
})

test('pages of connections are accessible, on a screen and on a phone', async () => {
  const view = await watched(browser(), base)
  const { page } = view
  await page.goto(base + CONSOLE)
  await logIn(view)
  await titled(page, 'Overview').waitFor()
  const kinds = ['', '/cloud-a', '/cloud-b', '/cloud-c', '/cloud-d', '/syslog'].map((kind) => `connections/new${kind}`)
  await usable(
    page,
    ['connections', ...kinds].map((path) => base + CONSOLE + path),
  )
  await behaved(view)
})
