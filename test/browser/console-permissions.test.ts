import { beforeAll, expect, test } from 'vitest'
import { useVault, type Holder } from '../functions/vault/vault.ts'
import { behaved, useBrowser, watched, type Watched } from './browser.ts'
import { CONSOLE, createCloudCKey, enterCloudA, opened, titled } from './console.ts'
import { obstacles } from './usable.ts'

const KMS = '/v1/keymgr/cloud-a/kms'
const KEY_RINGS = '/v1/keymgr/cloud-c/key-rings'
const NAME = 'nina'
const vault = useVault()
const browser = useBrowser()
let nina: { readonly holder: Holder; readonly sub: string }
let id = ''
beforeAll(async () => {
  await enterCloudA(vault().service)
  const { resources } = await vault().admin.ok('GET', KMS)
  id = resources[0].id as string
  nina = await vault().user(NAME, ['keymgr Users'])
})

const dialog = ({ page }: Watched) => page.getByRole('dialog')
const acls = async (): Promise<any> => (await vault().admin.ok('GET', `${KMS}/${id}`)).acls
const open = async (): Promise<Watched> => {
  const { baseUrl } = vault().service.deployment
  return opened(await watched(browser(), baseUrl), `${baseUrl}${CONSOLE}containers/cloud-a/${id}`)
}

test('actions in a container are permitted to a group and to a user, changed, and taken back', async () => {
  const view = await open()
  const { page } = view
  await titled(page, 'shop').waitFor()
  await page.getByText('Nothing is permitted to anybody else.').waitFor()
  await page.getByRole('button', { name: 'Permit' }).click()
  expect(await obstacles(page)).toEqual([])
  await dialog(view).getByLabel('Group', { exact: true }).selectOption('Key Users')
  await dialog(view).getByLabel('keycreate', { exact: true }).check()
  expect(await dialog(view).locator('.call').textContent()).toContain(`/api${KMS}/${id}/update-acls`)
  await dialog(view).getByRole('button', { name: 'Permit' }).click()
  await dialog(view).waitFor({ state: 'detached' })
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  await row('Key Users').getByText('keycreate').waitFor()
  expect([403, 404]).toContain((await nina.holder.call('GET', `${KMS}/${id}`)).status)

  await page.getByRole('button', { name: 'Permit' }).click()
  await dialog(view).getByLabel('To', { exact: true }).selectOption('A user')
  await dialog(view).getByLabel('User', { exact: true }).selectOption(NAME)
  await dialog(view).getByLabel('viewnative', { exact: true }).check()
  await dialog(view).getByRole('button', { name: 'Permit' }).click()
  await dialog(view).waitFor({ state: 'detached' })
  await row(NAME).getByRole('link', { name: NAME }).waitFor()
  expect((await nina.holder.call('GET', `${KMS}/${id}`)).status).toBe(200)
  expect(await obstacles(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await obstacles(page)).toEqual([])

  await row('Key Users').getByRole('button', { name: 'Change Key Users' }).click()
  await dialog(view).getByLabel('keycreate', { exact: true }).uncheck()
  await dialog(view).getByLabel('reportview', { exact: true }).check()
  await dialog(view).getByRole('button', { name: 'Save' }).click()
  await dialog(view).waitFor({ state: 'detached' })
  await row('Key Users').getByText('reportview').waitFor()
  const [group, user] = await acls()
  expect(group).toMatchObject({ group: 'Key Users' })
  expect(group.actions).toContain('reportview')
  expect(group.actions).not.toContain('keycreate')
  expect(user).toMatchObject({ user_id: nina.sub, actions: expect.arrayContaining(['viewnative']) })

  for (const name of ['Key Users', NAME]) {
    await row(name)
      .getByRole('button', { name: /^Change/ })
      .click()
    const checked = dialog(view).getByRole('checkbox', { checked: true })
    await checked.first().waitFor() // `count` does not wait for the dialog
    while ((await checked.count()) > 0) await checked.first().uncheck()
    await dialog(view).getByRole('button', { name: 'Save' }).click()
    await dialog(view).waitFor({ state: 'detached' })
    await row(name).waitFor({ state: 'detached' })
  }
  await page.getByText('Nothing is permitted to anybody else.').waitFor()
  expect(await acls()).toEqual([])
  await behaved(view)
})

test('an empty change is refused with a reason', async () => {
  const before = await acls()
  const view = await open()
  const { page } = view
  await page.getByRole('button', { name: 'Permit' }).click()
  await dialog(view).getByLabel('Group', { exact: true }).selectOption('Key Users')
  await dialog(view).getByRole('button', { name: 'Permit' }).click()
  await dialog(view).getByRole('alert').filter({ hasText: 'acls' }).waitFor()
  expect(await acls()).toEqual(before)
  await behaved(view)
})

test('containers of two clouds, seen one after the other, have their own actions', async () => {
  await createCloudCKey(vault().service)
  const [ring] = (await vault().admin.ok('GET', KEY_RINGS)).resources
  const view = await open()
  const { page } = view
  await page.getByRole('button', { name: 'Permit' }).waitFor()
  const address = JSON.stringify(`${CONSOLE}containers/cloud-c/${ring.id as string}`)
  await page.evaluate(`history.pushState({}, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`)
  await titled(page, 'orders').waitFor()
  await page.getByRole('button', { name: 'Permit' }).click()
  await dialog(view).getByLabel('Group', { exact: true }).selectOption('Key Users')
  await dialog(view).getByLabel('keydestroy', { exact: true }).check()
  expect(await dialog(view).locator('.call').textContent()).toContain(`${KEY_RINGS}/${ring.id as string}/update-acls`)
  await dialog(view).getByRole('button', { name: 'Permit' }).click()
  await dialog(view).waitFor({ state: 'detached' })
  await page.getByRole('row').filter({ hasText: 'Key Users' }).getByText('keydestroy').waitFor()
  await behaved(view)
})
