import { createPublicKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { useService } from '../support/service.ts'
import { behaved, useBrowser, watched, type Watched } from './browser.ts'
import {
  CONSOLE,
  createCloudBKey,
  createCloudCKey,
  createCloudDPair,
  createKeys,
  enterCloudA,
  opened,
  openForm,
  REGION,
  RING,
  titled,
} from './console.ts'

const service = useService()
const browser = useBrowser()
let base = ''
beforeAll(async () => {
  base = service().deployment.baseUrl
  await enterCloudA(service())
})

/** A page of the console, logged in. */
const open = async (path: string): Promise<Watched> => {
  const view = await watched(browser(), base)
  await view.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  return opened(view, base + CONSOLE + path)
}

const dialog = ({ page }: Watched) => page.getByRole('dialog')
const done = ({ page }: Watched, text: string) => page.getByRole('status').getByText(text).waitFor()

/** Selects an action on a key's page and confirms it. */
async function act(view: Watched, name: string): Promise<void> {
  await view.page.getByRole('button', { name, exact: true }).click()
  await dialog(view).getByRole('button', { name, exact: true }).click()
}

test('a key is created, uploaded to cloud-a, rotated and scheduled for deletion by clicks', async () => {
  const view = await open('keys')
  const { page } = view
  await openForm(page, 'Create a local key')
  await page.getByLabel('Name').fill('clicked')
  await page.getByRole('button', { name: 'Create a local key' }).click()
  await titled(page, 'clicked').waitFor()
  await page.getByText('Create Key').waitFor()

  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await page.getByRole('link', { name: 'Cloud-a' }).click()
  await openForm(page, 'Upload to cloud-a')
  await page.getByLabel('KMS').selectOption('shop')
  await page.getByLabel('Region', { exact: true }).selectOption(REGION)
  await page.getByLabel('Local key').fill('clicked')
  await page.getByLabel('Alias').fill('orders')
  await page.getByRole('button', { name: 'Upload to cloud-a' }).click()
  await titled(page, 'orders').waitFor()
  const first = page.url()

  await act(view, 'Rotate')
  await done(view, 'The key is rotated')
  await page.getByText('Version 1, latest').waitFor()
  await page.getByRole('link', { name: 'Version 0' }).waitFor()
  expect(page.url()).not.toBe(first)
  await titled(page, 'orders').waitFor()

  await act(view, 'Disable')
  await page.locator('.facts').getByText('Disabled').waitFor()
  await page.getByRole('button', { name: 'Schedule deletion' }).click()
  await dialog(view).getByLabel('Type orders to go on').fill('orders')
  await dialog(view).getByRole('button', { name: 'Schedule deletion' }).click()
  await page.locator('.facts').getByText('PendingDeletion').waitFor()
  const band = page.locator('.band', { hasText: 'Cloud-a deletes it in' })
  await band.waitFor()
  await act(view, 'Cancel deletion')
  await band.waitFor({ state: 'detached' })
  await page.getByText('Cancel Cloud-a Key Deletion').waitFor()
  await behaved(view)
})

test('a refusal of the service appears at its field, and the first such field has the focus', async () => {
  const view = await open('keys/local/add/create')
  const { page } = view
  await page.getByLabel('Name').fill('odd')
  await page.getByLabel('Size').fill('100')
  await page.getByRole('button', { name: 'Create a local key' }).click()
  const size = page.getByLabel('Size')
  await page.locator('input[aria-invalid=true]').waitFor()
  expect(await size.getAttribute('aria-invalid')).toBe('true')
  await expect.poll(() => size.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
  const described = (await size.getAttribute('aria-describedby'))?.split(' ').at(-1) ?? ''
  expect(await page.locator(`[id="${described}"]`).textContent()).toMatch(/size/)
  expect(await page.getByLabel('Name').getAttribute('aria-invalid')).toBe('false')
  await size.fill('256')
  await page.getByRole('button', { name: 'Create a local key' }).click()
  await titled(page, 'odd').waitFor()
  await behaved(view)
})

test('a missing value is reported before anything is sent', async () => {
  const view = await open('keys/cloud-a/add/upload')
  const { page } = view
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/upload-key')) sent.push(request.url())
  })
  await page.getByRole('button', { name: 'Upload to cloud-a' }).click()
  await expect.poll(() => page.locator('[aria-invalid=true]').count()).toBe(3)
  expect(sent).toEqual([])
  await behaved(view)
})

test('a change shows the call it makes, and copies it without a token', async () => {
  const [id = ''] = await createKeys(service(), ['shown'])
  const view = await open(`keys/local/${id}`)
  const { page } = view
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog(view).getByLabel('Description').fill("the shop's")
  await dialog(view).getByText(`/api/v1/vault/keys2/${id}`).waitFor()
  await dialog(view).getByRole('button', { name: 'Copy as curl' }).click()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toContain(`curl -X PATCH '${base}/api/v1/vault/keys2/${id}'`)
  expect(copied).toContain('Bearer $TOKEN')
  expect(copied).not.toMatch(/eyJ[A-Za-z0-9_-]+\./)
  await dialog(view).getByRole('button', { name: 'Edit' }).click()
  await page.getByText("the shop's").waitFor()
  await behaved(view)
})

test('text typed into a filter stays when an answer arrives', async () => {
  const view = await open('keys/local')
  const { page } = view
  let answer: () => void = () => undefined
  const held = new Promise<void>((resolve) => (answer = resolve))
  await page.route(/keys2\?.*state=Active/, async (route) => {
    await held
    await route.fallback()
  })
  await page.getByLabel('State', { exact: true }).selectOption('Active')
  await page.getByLabel('Name', { exact: true }).pressSequentially('nobody-')
  const answered = page.waitForResponse(/keys2\?.*state=Active/)
  answer()
  await answered
  await page.getByRole('row').nth(1).getByRole('link').waitFor()
  await page.getByLabel('Name', { exact: true }).pressSequentially('has-this')
  await page.keyboard.press('Enter')
  await page.getByText('No key has all of this').waitFor()
  expect(new URL(page.url()).searchParams.get('name')).toBe('nobody-has-this')
  await behaved(view)
})

test('many keys are disabled at once, and one refusal does not stop the others', async () => {
  await createKeys(service(), ['bulk-1', 'bulk-2'])
  await createKeys(service(), ['bulk-3'], { state: 'Pre-Active' })
  const view = await open('keys/local')
  const { page } = view
  await titled(page, 'Keys').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('bulk-*')
  await page.getByLabel('Name', { exact: true }).press('Enter')
  await page.getByText('3 keys').waitFor()
  expect(page.url()).toContain('name=bulk-')
  await page.getByRole('button', { name: 'Select all' }).click()
  await page.getByText('3 keys selected').waitFor()
  await page.getByRole('button', { name: 'Disable' }).click()
  await dialog(view).getByText('2 more').waitFor()
  await dialog(view).getByRole('button', { name: 'Disable' }).click()
  await expect.poll(() => page.getByRole('row').getByText('Deactivated').count()).toBe(3)
  await page.getByRole('button', { name: 'Select all' }).click()
  await page.getByText('3 keys selected').waitFor()
  await page.getByRole('checkbox', { name: 'Select row 1' }).uncheck()
  await page.getByRole('button', { name: 'Enable' }).click()
  await dialog(view).getByRole('button', { name: 'Enable' }).click()
  await expect.poll(() => page.getByRole('row').getByText('Active', { exact: true }).count()).toBe(2)
  await page.getByRole('button', { name: 'Select all' }).click()
  await page.getByText('3 keys selected').waitFor()
  await page.getByRole('button', { name: 'Enable' }).click()
  await dialog(view).getByRole('button', { name: 'Enable' }).click()
  await dialog(view).getByText('2 of 3 calls were refused').waitFor()
  await dialog(view).getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => page.getByRole('row').getByText('Active', { exact: true }).count()).toBe(3)
  await behaved(view)
})

/** Creates keys of cloud-a with these aliases. */
async function createCloudAKeys(aliases: readonly string[]): Promise<void> {
  const token = await service().logIn()
  const create = async (Alias: string): Promise<void> => {
    const body = { kms: 'shop', region: REGION, cloud_a_param: { Alias } }
    expect((await service().call('POST', '/v1/keymgr/cloud-a/keys', { token, body })).status).toBe(201)
  }
  await Promise.all(aliases.map(create))
}

test('a job for many keys shows its progress, and the list follows it', async () => {
  await createCloudAKeys(['job-1', 'job-2'])
  const view = await open('keys/cloud-a?alias=job-*')
  const { page } = view
  await page.getByText('2 keys').waitFor()
  await page.getByRole('button', { name: 'Select all' }).click()
  await page.getByRole('button', { name: 'Disable' }).click()
  await dialog(view).getByText('/api/v1/keymgr/cloud-a/bulkjob').waitFor()
  await dialog(view).getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('region', { name: 'Disable' }).getByText('2 of 2 keys Completed').waitFor()
  await expect.poll(() => page.getByRole('row').getByText('Disabled').count()).toBe(2)
  await page.getByRole('button', { name: 'Select all' }).click()
  await page.getByRole('button', { name: 'Cancel deletion' }).click()
  await dialog(view).getByRole('button', { name: 'Cancel deletion' }).click()
  const refused = page.getByRole('region', { name: 'Cancel deletion' })
  await refused.getByText('2 of 2 keys Failed').waitFor()
  expect(await refused.getByRole('listitem').count()).toBe(2)
  await behaved(view)
})

test('keys of all places are in one list, with shared filters, and are changed together', async () => {
  await createCloudAKeys(['one-list-a'])
  const [, rotated = ''] = await createKeys(service(), ['one-list-b', 'one-list-c'])
  const token = await service().logIn()
  await service().call('POST', `/v1/vault/keys2/${rotated}/versions`, { token, body: {} })
  const view = await open('keys?name=one-list-*')
  const { page } = view
  await page.getByText('3 keys', { exact: true }).waitFor()
  await page.getByRole('row').nth(1).focus()
  for (const key of [' ', 'ArrowDown', 'ArrowDown', 'x']) await page.keyboard.press(key)
  await page.getByText('3 keys selected').waitFor()
  await page.getByRole('button', { name: 'Select none' }).click()
  await page.getByRole('button', { name: 'Select all' }).click()
  await page.getByText('3 keys selected').waitFor()
  expect(await page.getByRole('button', { name: 'Cancel deletion' }).count()).toBe(0) // local keys do not have it
  await page.getByRole('button', { name: 'Disable', exact: true }).click()
  await dialog(view).getByText('2 more').waitFor()
  await dialog(view).getByRole('button', { name: 'Disable' }).click()
  await expect.poll(() => page.getByRole('row').getByText('Disabled').count()).toBe(3)
  await page.getByLabel('Place').selectOption('Cloud-a')
  await page.getByText('1 key', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'one-list-a' }).waitFor()
  await page.goto(`${base}${CONSOLE}keys?view=never-rotated&name=one-list-*&life=quiet`)
  await page.getByText('1 key', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'one-list-b' }).waitFor()
  await page.getByText('Left out: Cloud-a (no filter by known rotations)').waitFor()
  await behaved(view)
})

test('a former version of a local key is disabled, enabled and deleted, and the latest stays', async () => {
  const token = await service().logIn()
  const [former = ''] = await createKeys(service(), ['versioned'])
  await service().call('POST', '/v1/vault/keys2/versioned/versions', { token, body: {} })
  const view = await open(`keys/local/${former}`)
  const { page } = view
  const isShownAs = (state: string) => page.locator('.facts').getByText(state, { exact: true }).waitFor()
  await act(view, 'Disable or revoke')
  await isShownAs('Deactivated')
  await act(view, 'Enable')
  await done(view, 'The key is active')
  await isShownAs('Active')
  await act(view, 'Disable or revoke')
  await isShownAs('Deactivated')
  await page.getByRole('button', { name: 'Disable or revoke' }).click()
  const reasons = dialog(view).getByLabel('Reason').locator('option')
  await expect.poll(() => reasons.allTextContents()).toEqual(['Choose', 'KeyCompromise', 'CACompromise'])
  await dialog(view).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog(view).getByLabel('Type versioned to go on').fill('versioned')
  await dialog(view).getByRole('button', { name: 'Delete' }).click()
  await titled(page, 'Keys').waitFor()
  const { body: left } = await service().call('GET', '/v1/vault/keys2/versioned/versions', { token })
  expect(left.resources).toMatchObject([{ version: 1, state: 'Active' }])
  await behaved(view)
})

test('a pair is uploaded to cloud-a with its spec', async () => {
  await createKeys(service(), ['signer'], { algorithm: 'ec', curveid: 'prime256v1' })
  const view = await open('keys/cloud-a/add/upload')
  const { page } = view
  await page.getByLabel('KMS').selectOption('shop')
  await page.getByLabel('Region', { exact: true }).selectOption(REGION)
  await page.getByLabel('Local key').fill('signer')
  await page.getByLabel('Spec').selectOption('ECC_NIST_P256')
  await page.getByLabel('Alias').fill('signatures')
  await page.getByLabel('Usage').selectOption('SIGN_VERIFY')
  await page.getByRole('button', { name: 'Upload to cloud-a' }).click()
  await titled(page, 'signatures').waitFor()
  await page.getByRole('button', { name: 'Public key' }).waitFor()
  await behaved(view)
})

test('keys of other clouds are changed by clicks as well, each in the way of its cloud', async () => {
  const [b, c] = [await createCloudBKey(service()), await createCloudCKey(service())]
  const view = await open(`keys/cloud-b/${b}`)
  const { page } = view
  const versions = page.getByRole('list', { name: 'Versions' }).getByRole('listitem')
  await expect.poll(() => versions.count()).toBe(1)
  await act(view, 'Rotate')
  await done(view, 'The key has a new version')
  await expect.poll(() => versions.count()).toBe(2)
  expect(page.url()).not.toContain(b)
  await versions.getByRole('link').click()
  await titled(page, /^stamps ./).waitFor()
  await expect.poll(() => versions.count()).toBe(2)
  await page.goto(`${base}${CONSOLE}keys/cloud-c/${c}`)
  await expect.poll(() => versions.count()).toBe(1)
  await act(view, 'Rotate')
  await page.getByText('Version 2, primary').waitFor()
  await page.getByRole('group', { name: 'Version 1', exact: true }).getByRole('button', { name: 'Disable' }).click()
  await dialog(view).getByRole('button', { name: 'Disable' }).click()
  await done(view, 'The version is disabled')
  await expect.poll(() => versions.getByText('DISABLED').count()).toBe(1)
  await act(view, 'Disable all versions')
  await page.getByRole('region', { name: 'Disable all versions' }).getByText('2 of 2 versions Completed').waitFor()
  await expect.poll(() => versions.getByText('DISABLED').count()).toBe(2)

  const key = { key_ring: RING, cloud_c_params: { key_name: 'invoices-2', purpose: 'ENCRYPT_DECRYPT' } }
  await service().call('POST', '/v1/keymgr/cloud-c/keys', { token: await service().logIn(), body: key })
  await page.goto(`${base}${CONSOLE}keys/cloud-c?key_name=invoices*`)
  await page.getByText('2 keys').waitFor()
  await page.getByRole('button', { name: 'Select all' }).click()
  await page.getByRole('button', { name: 'Disable' }).click()
  await dialog(view).getByText('1 more').waitFor()
  await dialog(view).getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('region', { name: 'Disable' }).getByText('3 of 3 versions Completed').waitFor()
  await expect.poll(() => page.getByRole('row').getByText('DISABLED').count()).toBe(2)
  await behaved(view)
})

/** The file that an action saves. */
async function saved(view: Watched, name: string): Promise<readonly [name: string, text: string]> {
  await view.page.getByRole('button', { name }).click()
  const download = view.page.waitForEvent('download')
  await dialog(view).getByRole('button', { name: 'Save' }).click()
  const file = await download
  return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')]
}

test('a passport and a public key are saved as files', async () => {
  await createKeys(service(), ['pair'], { algorithm: 'rsa', size: 2048 })
  const view = await open('keys/local/pair_public')
  const [passport, json] = await saved(view, 'Passport')
  expect(passport).toBe('pair_public.passport.json')
  expect(JSON.parse(json)).toEqual({ passport: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) })
  const [pem, text] = await saved(view, 'Public key')
  expect(pem).toBe('pair_public.pem')
  expect(createPublicKey(text).asymmetricKeyDetails?.modulusLength).toBe(2048)
  await behaved(view)
})

test('the tabs of a key show all its versions, who may use it, its history and every attribute', async () => {
  const permissions = { UseKey: ['Key Users'] }
  const [id = ''] = await createKeys(service(), ['tabbed'], { meta: { permissions } })
  const token = await service().logIn()
  for (let made = 1; made < 5; made += 1)
    await service().call('POST', '/v1/vault/keys2/tabbed/versions', { token, body: {} })
  const view = await open(`keys/local/${id}`)
  const { page } = view
  const versions = page.getByRole('list', { name: 'Versions' }).getByRole('listitem')
  const records = page.getByRole('list', { name: 'History' }).getByRole('listitem')
  await expect.poll(() => versions.count()).toBe(3)
  await page.getByRole('link', { name: 'All 5 versions' }).click()
  await expect.poll(() => versions.count()).toBe(5)
  const tab = (name: string) => page.getByRole('navigation', { name: 'Parts of the key' }).getByRole('link', { name })
  await tab('Policy').click()
  await page.getByRole('row', { name: 'Key Users UseKey' }).waitFor()
  await tab('History').click()
  await expect.poll(() => records.count()).toBe(5)
  await tab('All attributes').click()
  await page.getByRole('heading', { name: 'Meta' }).waitFor()
  await page.getByText('Never exported', { exact: true }).waitFor()
  const own = page.locator('.with-copy', { hasText: id }).first()
  await own.hover()
  await own.getByRole('button', { name: 'Copy', exact: true }).click()
  await own.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain(id)
  await tab('Summary').click()
  await page.getByRole('heading', { name: 'Where it is used' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`${CONSOLE}keys/local/${id}`)
  const { body: key } = await service().call('GET', `/v1/vault/keys2/${id}`, { token })
  await page.goto(`${base}${CONSOLE}go?${new URLSearchParams({ uri: key.uri as string }).toString()}`)
  await titled(page, /^tabbed/).waitFor()
  await page.goto(`${base}${CONSOLE}keys/local/${id}/nothing`)
  await titled(page, 'No such page').waitFor()
  await behaved(view)
})

test('a version of cloud-d states where it is from, and its public key is saved', async () => {
  const { clock } = service().deployment
  const id = await createCloudDPair(service())
  clock.advance(60_000) // past the creation
  expect(
    (await service().call('POST', `/v1/keymgr/cloud-d/keys/${id}/refresh`, { token: await service().logIn() })).status,
  ).toBe(200)
  const view = await open(`keys/cloud-d/${id}`)
  await view.page.getByText("The cloud's own, current").waitFor()
  const [pem, text] = await saved(view, 'Public key')
  expect(pem).toBe('ships.pem')
  expect(createPublicKey(text).asymmetricKeyDetails?.modulusLength).toBe(2048)
  await behaved(view)
})

test('a key is found, opened and rotated by the keyboard alone', async () => {
  await createKeys(service(), ['keyboard-1', 'keyboard-2', 'keyboard-3'])
  const view = await watched(browser(), base)
  const { page } = view
  const { keyboard } = page
  await page.goto(`${base}${CONSOLE}keys/local?name=keyboard-*`)
  await page.getByLabel('Password').waitFor()
  await keyboard.type('admin')
  await keyboard.press('Tab')
  await keyboard.type('Correct-Horse-7')
  await keyboard.press('Enter')
  await page.getByRole('row').nth(3).waitFor()
  const focused = () => page.evaluate<string>('document.activeElement.textContent + "|" + document.activeElement.role')
  const tabTo = async (text: RegExp): Promise<void> => {
    for (let tries = 0; tries < 40 && !text.test(await focused()); tries += 1) await keyboard.press('Tab')
    expect(await focused()).toMatch(text)
  }
  await tabTo(/keyboard-3.*\|row/)
  await keyboard.press('ArrowDown')
  expect(await focused()).toMatch(/keyboard-2.*\|row/)
  await keyboard.press('End')
  expect(await focused()).toMatch(/keyboard-1.*\|row/)
  await keyboard.press('Enter')
  await titled(page, 'keyboard-1').waitFor()
  expect(await focused()).toMatch(/^keyboard-1/)
  await tabTo(/^Rotate/)
  await keyboard.press('Enter')
  await dialog(view).waitFor()
  await keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  expect(await focused()).toMatch(/^Rotate/)
  await keyboard.press('Enter')
  await dialog(view).waitFor()
  await tabTo(/^Rotate/)
  await keyboard.press('Enter')
  await titled(page, 'keyboard-1 v1').waitFor()
  await behaved(view)
})

test('deletion of a used local key is refused, and its dialog lists the uses and offers milder actions', async () => {
  const [id = ''] = await createKeys(service(), ['linked'])
  const token = await service().logIn()
  const upload = { kms: 'shop', region: REGION, source_key_identifier: 'linked', cloud_a_param: { Alias: 'linked' } }
  expect((await service().call('POST', '/v1/keymgr/cloud-a/upload-key', { token, body: upload })).status).toBe(201)
  const view = await open(`keys/local/${id}`)
  const { page } = view
  await page.getByRole('button', { name: 'Disable or revoke', exact: true }).click()
  await dialog(view).getByRole('button', { name: 'What would change?' }).click()
  await dialog(view).getByText('Nothing has changed.').waitFor()
  expect(await dialog(view).getByRole('group', { name: 'Dry run' }).textContent()).toMatch(
    /Changed linked.*1 cloud-a key/,
  )
  await dialog(view).getByRole('button', { name: 'Disable or revoke', exact: true }).click()
  await page.locator('.facts').getByText('Deactivated').waitFor()
  await page.getByRole('link', { name: '1 cloud-a key' }).click()
  await page.getByRole('grid').getByRole('link', { name: 'linked' }).click()
  await page.locator('svg.graph').waitFor()
  await page.getByRole('definition').getByRole('link', { name: 'linked' }).first().click() // the local key, by its name
  await page.locator('.facts').getByText('Deactivated').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog(view).getByText('1 cloud-a key').waitFor()
  expect(await dialog(view).textContent()).toContain('cannot be made again')
  expect(await dialog(view).getByRole('button', { name: 'Delete' }).count()).toBe(0)
  expect(await dialog(view).getByRole('button', { name: 'Destroy' }).count()).toBe(0) // it is refused as well
  await dialog(view).getByRole('button', { name: 'Disable or revoke' }).waitFor()
  await behaved(view)
})

test('a search finds keys, records and forms by name, and letters open pages', async () => {
  await createKeys(service(), ['sought-key'])
  const token = await service().logIn()
  const body = { name: 'sought-secret', dataType: 'password', material: 'Pass-word-1' }
  expect((await service().call('POST', '/v1/vault/secrets', { token, body })).status).toBe(201)
  const view = await open('users')
  const { page } = view
  await titled(page, 'Users').waitFor()
  await page.keyboard.press('Control+k')
  const hit = (name: RegExp) => dialog(view).getByRole('option', { name })
  await page.keyboard.type('SOUGHT')
  await hit(/sought-key/).waitFor()
  await hit(/sought-secret/).waitFor()
  await page.keyboard.press('Escape') // once, although a text is typed
  await dialog(view).waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await dialog(view).getByRole('combobox').fill('store a sec')
  await hit(/Store a secret/).click()
  await titled(page, 'Store a secret').waitFor()
  await titled(page, 'Store a secret').press('g')
  await page.keyboard.press('k')
  await titled(page, 'Keys').waitFor()
  await page.keyboard.press('/')
  await hit(/Store a secret/).waitFor() // it was opened last
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await dialog(view).getByText('g, then k').waitFor()
  await behaved(view)
})

test('the memory of the console does not grow as pages are opened again', async () => {
  const view = await open('')
  const { page, context } = view
  const session = await context.newCDPSession(page)
  const bytes = async (): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage')
    return (await session.send('Runtime.getHeapUsage')).usedSize
  }
  const round = async (times: number): Promise<void> => {
    for (let at = 0; at < times; at += 1)
      for (const name of ['Keys', 'Containers', 'Calendar', 'Audit', 'Administration', 'Overview']) {
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
        await titled(page, new RegExp(`^${name}`)).waitFor()
      }
  }
  await round(2)
  const before = await bytes()
  await round(8)
  expect(await bytes()).toBeLessThan(1.2 * before)
  await behaved(view)
})
