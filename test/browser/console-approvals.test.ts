import { beforeAll, expect, test } from 'vitest'
import { decide, named, RULES, useApprovals } from '../functions/approvals/approvals.ts'
import { passwordOf } from '../support/service.ts'
import { behaved, logIn, useBrowser, watched, type Watched } from './browser.ts'
import { CONSOLE, titled } from './console.ts'
import { obstacles } from './usable.ts'

const approvals = useApprovals()
const browser = useBrowser()
const KEEPER = named('keeper-at-the-console')
let base = ''
beforeAll(async () => {
  const { vault, rule } = approvals()
  base = vault.service.deployment.baseUrl
  await vault.user(KEEPER, ['Key Admins'])
  await rule({ name: 'two for the end of keys', actions: ['RevokeKey'] })
  await rule({ name: 'two for users', actions: ['CreateUser'] })
})

const admin = () => approvals().vault.admin
const dialog = ({ page }: Watched) => page.getByRole('dialog')
const asking = ({ page }: Watched) => page.getByRole('region', { name: 'This needs the approval of others' })

async function open(path: string, name?: string): Promise<Watched> {
  const view = await watched(browser(), base)
  await view.page.goto(base + CONSOLE + path)
  await (name === undefined ? logIn(view) : logIn(view, passwordOf(name), name))
  await view.page.getByRole('link', { name: 'keymgr', exact: true }).waitFor()
  return view
}

/** Gives a reason, and asks. */
async function ask(view: Watched, reason: string): Promise<void> {
  await asking(view).getByLabel('Reason').fill(reason)
  await asking(view).getByRole('button', { name: 'Ask for approval' }).click()
  await asking(view).getByText('You have asked for approval.').waitFor()
}

/** The only request with a reason. */
async function requestFor(reason: string): Promise<any> {
  const { resources } = await admin().ok('GET', '/v1/approvals/requests?limit=1000')
  return resources.find((each: any) => each.reason === reason)
}

async function approve(reason: string): Promise<void> {
  const { id } = await requestFor(reason)
  expect((await decide(approvals().first, id, 'approve')).status).toBe(200)
}

const keptIn = ({ page }: Watched): Promise<string> =>
  page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])')

test('a ruled change is asked for in its dialog, approved by another, and made on the page of the request', async () => {
  const key = await admin().create({ name: named('ruled'), algorithm: 'aes' })
  const view = await open(`keys/local/${key.id as string}`, KEEPER)
  const { page } = view
  await page.getByRole('button', { name: 'Disable or revoke' }).click()
  await dialog(view).getByRole('button', { name: 'Disable or revoke' }).click()
  const panel = asking(view)
  await panel
    .getByText(`The rule “two for the end of keys” asks for 1 approval by members of ${approvals().group}.`)
    .waitFor()
  const reason = panel.getByLabel('Reason')
  await expect.poll(() => reason.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true)
  expect(await dialog(view).textContent()).not.toContain('X-Keymgr')
  await reason.press('Enter')
  await expect.poll(() => reason.getAttribute('aria-invalid')).toBe('true')
  expect(await obstacles(page)).toEqual([])

  await ask(view, 'the shop is closed')
  await panel.getByText('Nothing has changed yet.').waitFor()
  expect(await obstacles(page)).toEqual([])
  expect((await admin().get(key.id)).state).toBe('Active')
  await panel.getByRole('link', { name: 'Open the request' }).click()
  await titled(page, 'RevokeKey').waitFor()
  await page.getByText('When others have approved it, you make the call on this page.').waitFor()
  expect(await page.getByRole('button', { name: 'Make the call' }).count()).toBe(0)

  await approve('the shop is closed')
  await page.getByRole('button', { name: 'Make the call' }).click() // shown without a reload
  await dialog(view)
    .getByText(`/api/v1/vault/keys2/${key.id as string}/revoke`)
    .waitFor()
  expect(await obstacles(page)).toEqual([])
  await dialog(view).getByRole('button', { name: 'Make the call' }).click()
  await page.getByRole('status').getByText('The call is made.').waitFor()
  await expect.poll(async () => (await admin().get(key.id)).state).not.toBe('Active')
  expect(await requestFor('the shop is closed')).toMatchObject({ state: 'used', outcome: { status: 200 } })
  await page.getByRole('button', { name: 'Make the call' }).waitFor({ state: 'detached' })
  await behaved(view)
})

test('a form sent again with the same values offers its approval; other values do not use it', async () => {
  const username = named('olga')
  const fill = async ({ page }: Watched, name: string): Promise<void> => {
    await page.getByLabel('User name').fill(name)
    await page.getByLabel('Password', { exact: true }).fill(passwordOf(username))
    await page.getByRole('button', { name: 'Add a user' }).click()
  }
  const view = await open('users/add')
  const { page } = view
  await page.setViewportSize({ width: 390, height: 844 })
  await fill(view, username)
  await ask(view, 'a new colleague')
  expect(await keptIn(view)).not.toContain(passwordOf(username))
  expect(JSON.stringify(await requestFor('a new colleague'))).not.toContain(passwordOf(username))
  await asking(view).getByRole('link', { name: 'Open the request' }).click()
  await titled(page, 'CreateUser').waitFor()
  await approve('a new colleague')
  await page.getByRole('button', { name: 'Make the call' }).click()
  expect(await dialog(view).locator('.call').textContent()).not.toContain(passwordOf(username))
  await dialog(view).getByRole('button', { name: 'Cancel' }).click()

  await page.reload() // the tab forgets the call
  await page.getByText('send the form again with the same values').waitFor()
  expect(await page.getByRole('button', { name: 'Make the call' }).count()).toBe(0)
  expect(await obstacles(page)).toEqual([])
  await page.goto(`${base}${CONSOLE}users/add`)
  await fill(view, named('somebody-else'))
  await asking(view).getByRole('button', { name: 'Use this approval' }).click()
  await page.getByText('must be those of the call that was approved').waitFor()
  expect(await asking(view).count()).toBe(0)
  await fill(view, username)
  await asking(view).getByText('a new colleague').waitFor()
  expect(await obstacles(page)).toEqual([])
  await asking(view).getByRole('button', { name: 'Use this approval' }).click()
  await titled(page, username).waitFor()
  const { service } = approvals().vault
  const body = { ...service.domainField, name: username, password: passwordOf(username) }
  const answer = await service.call('POST', '/v1/auth/tokens', { body })
  expect(answer.body.detail).toMatch(/^The password must be changed first/) // it is the right one
  expect((await requestFor('a new colleague')).state).toBe('used')
  await behaved(view)
})

test('a rule is changed and deleted in the console, by an approval that it asks for itself', async () => {
  const name = named('weak')
  const { id } = await approvals().rule({ name, actions: ['DeleteKeyTemplate'], caller_groups: ['Key Admins'] })
  const at = `${RULES}/${id as string}`
  const view = await open(`administration/approval-rules/${id as string}`)
  const { page } = view
  const submit = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog(view).getByLabel('Asked of members of').fill('')
    await dialog(view).getByRole('button', { name: 'Save' }).click()
    await asking(view).getByText(`The rule “${name}”`).waitFor()
  }
  await submit()
  await ask(view, 'of everybody')
  await asking(view).getByRole('button', { name: 'Close' }).click()
  await submit()
  await asking(view).getByText('You have asked already: of everybody. It is not approved yet.').waitFor()
  await dialog(view).getByRole('button', { name: 'Cancel' }).click()
  await approve('of everybody')
  await submit()
  await asking(view).getByRole('button', { name: 'Use this approval' }).click()
  await dialog(view).waitFor({ state: 'detached' })
  expect((await admin().ok('GET', at)).caller_groups).toEqual([])

  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog(view).getByLabel(`Type ${name} to go on`).fill(name)
  await dialog(view).getByRole('button', { name: 'Delete' }).click()
  await ask(view, 'in the way')
  await asking(view).getByRole('link', { name: 'Open the request' }).click()
  await approve('in the way')
  await page.getByRole('button', { name: 'Make the call' }).click()
  await dialog(view).getByRole('button', { name: 'Make the call' }).click()
  await page.getByRole('status').getByText('The call is made.').waitFor()
  expect((await admin().call('GET', at)).status).toBe(404)
  await behaved(view)
})
