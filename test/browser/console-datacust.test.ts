import { beforeAll, expect, test } from 'vitest'
import { DATACUST, keysOf, useDatacustCloud } from '../functions/datacust/datacust.ts'
import { behaved, useBrowser, watched, type Watched } from './browser.ts'
import { CONSOLE, opened, titled } from './console.ts'
import { obstacles, usable } from './usable.ts'

const EKM = `${DATACUST}/ekm`

const tests = useDatacustCloud()
const browser = useBrowser()
let base = ''
beforeAll(() => {
  base = tests().service.deployment.baseUrl
})

const own = () => keysOf(tests().admin)
const open = async (path: string): Promise<Watched> => opened(await watched(browser(), base), base + CONSOLE + path)

/** Opens the form of an action, fills fields by their labels, and saves. */
async function edit({ page }: Watched, fields: Readonly<Record<string, string>>): Promise<void> {
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const form = page.getByRole('dialog')
  for (const [label, text] of Object.entries(fields)) await form.getByLabel(new RegExp(`^${label}`)).fill(text)
  await form.getByRole('button', { name: 'Save', exact: true }).click()
  await form.waitFor({ state: 'detached' })
}

/** A key store with one key over a new local key. */
async function keystore(name: string): Promise<{ readonly store: any; readonly key: any }> {
  const { admin, cloud } = tests()
  const [tenant] = cloud.tenants
  const store = await admin.ok('POST', `${EKM}/keystores`, {
    ...{ name, sap_tenant_id: tenant?.id, keystore_url_hostname: 'hyok.example.test' },
    certificate: cloud.certificateOf(tenant?.id ?? '', 'shop-1').leaf,
  })
  const source = await admin.create({ name: `${name}-source`, algorithm: 'aes', size: 256 })
  const over = { keystore_id: store.id, source_key_identifier: source.id }
  return { store, key: await admin.ok('POST', `${EKM}/keys`, { ...over, name: `${name}-key` }) }
}

test('a key is edited by clicks', async () => {
  const key = await own().create('edited', { description: 'first' })
  const view = await open(`keys/datacust/${key.id as string}`)
  await titled(view.page, 'edited').waitFor()
  await edit(view, { Description: 'second', Operations: 'ENCRYPT' })
  await view.page.getByText('second').waitFor()
  const { datacust_param } = await own().get(key.id as string)
  expect(datacust_param).toMatchObject({ description: 'second', operations: ['ENCRYPT'] })
  await behaved(view)
})

test('a key store and its key are edited by clicks', async () => {
  const { admin } = tests()
  const { store, key } = await keystore('clicked')
  const view = await open(`endpoints/datacust-keystores/${store.id as string}`)
  await titled(view.page, 'clicked').waitFor()
  await edit(view, { Description: 'of finance', 'Host name': 'other.example.test' })
  await view.page.getByText('of finance').waitFor()
  const changed = { description: 'of finance', keystore_url_hostname: 'other.example.test' }
  expect(await admin.ok('GET', `${EKM}/keystores/${store.id as string}`)).toMatchObject(changed)
  await view.page.goto(`${base}${CONSOLE}endpoints/datacust-keys/${key.id as string}`)
  await titled(view.page, 'clicked-key').waitFor()
  await edit(view, { Name: 'renamed', Description: 'of sales' })
  await titled(view.page, 'renamed').waitFor()
  expect(await admin.ok('GET', `${EKM}/keys/${key.id as string}`)).toMatchObject({ description: 'of sales' })
  expect(await obstacles(view.page)).toEqual([])
  await behaved(view)
})

test('a dynamic reference is made, renamed and deleted by clicks', async () => {
  await own().create('referred')
  const view = await open('administration/datacust-references/add')
  const { page } = view
  await page.getByRole('textbox', { name: /^Name/ }).fill('Ledger 1')
  await page.getByRole('combobox', { name: /^Key/ }).selectOption('referred, in finance')
  await page.getByLabel('Its key can be exchanged').uncheck()
  await page.getByRole('main').locator('button[type=submit]').click()
  await titled(page, 'Ledger 1').waitFor()
  await edit(view, { Name: 'Ledger 2' })
  await titled(page, 'Ledger 2').waitFor()
  await page.getByRole('button', { name: 'Delete at the cloud', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete at the cloud', exact: true }).click()
  await expect
    .poll(async () => (await tests().admin.ok('GET', `${DATACUST}/dkr?name=Ledger*`)).resources)
    .toMatchObject([{ name: 'Ledger 2', gone: true, allow_underlying_key_exchange: false }])
  await behaved(view)
})

test('pages of datacust are accessible', async () => {
  const { groups } = tests()
  const key = await own().create('shown')
  const { store, key: external } = await keystore('shown')
  const view = await open('')
  await usable(
    view.page,
    [
      ...['keys/datacust', 'keys/datacust/add/upload', `keys/datacust/${key.id as string}`, 'containers/datacust'],
      ...[`containers/datacust/${groups.finance.id as string}`, 'connections/new/datacust'],
      ...['endpoints/datacust-keystores', 'endpoints/datacust-keystores/add', 'endpoints/datacust-keys'],
      ...[`endpoints/datacust-keystores/${store.id as string}`, `endpoints/datacust-keys/${external.id as string}`],
      ...['administration/datacust-references', 'administration/datacust-references/add'],
    ].map((path) => base + CONSOLE + path),
  )
  await behaved(view)
})
