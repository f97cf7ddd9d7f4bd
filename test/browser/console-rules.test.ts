import * as fs from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { dkeOf, TENANT } from '../functions/dke/dke.ts'
import { BASIC, ENDPOINTS, EMAIL, HOST } from '../functions/ekm/ekm.ts'
import { useVault } from '../functions/vault/vault.ts'
import { behaved, useBrowser, watched, type Watched } from './browser.ts'
import { CONSOLE, createKeys, opened, openForm, titled } from './console.ts'

/** For events that the page shows without a click; on a busy machine they take time. */
const SOON = { timeout: 30_000 } as const

const vault = useVault()
const browser = useBrowser()
let base = ''
beforeAll(() => {
  base = vault().service.deployment.baseUrl
})

const open = async (path: string): Promise<Watched> => opened(await watched(browser(), base), base + CONSOLE + path)
const dialog = ({ page }: Watched) => page.getByRole('dialog')
const PASSWORD = 'Pass-word-77x'

test('a policy is written: its errors appear at their lines, and a trial names the rule that decided', async () => {
  const { id } = await vault().admin.ok('POST', ENDPOINTS, { name: 'orders', keyURIHostname: HOST, policy: BASIC })
  const view = await open(`endpoints/ekm/${id as string}`)
  const { page } = view
  const text = page.getByLabel('Policy in Rego')
  await expect.poll(() => text.inputValue(), SOON).toContain('client_listed')

  await page.getByLabel('Caller').fill('else@else.test')
  await page.getByRole('button', { name: 'Try' }).click()
  const decision = page.locator('.decision')
  expect(await decision.textContent()).toMatch(/Refused by the rule client_listed/)
  await decision.getByRole('button', { name: 'Show the rule' }).click()
  expect(await text.evaluate((area) => area.ownerDocument.getSelection()?.toString())).toMatch(/^client_listed if/)
  await page.getByLabel('JSON').check()
  await page.getByLabel('Input', { exact: true }).fill(JSON.stringify({ clients: EMAIL, operation: 'wrap' }))
  await page.getByRole('button', { name: 'Try' }).click()
  await decision.getByText('Allowed').waitFor()
  expect(await decision.textContent()).toMatch(/by the rule allow/)

  await text.fill('package p\n\nallow if {\n\tno.such("x")\n\tnor.such("y")\n}\n')
  await page.getByRole('button', { name: 'Save the policy' }).click()
  await page.getByRole('button', { name: 'Line 4, column 2' }).waitFor()
  await page.getByText('undefined function nor.such').waitFor()
  expect(await page.locator('.numbers .faulty').allTextContents()).toEqual(['4', '5'])
  expect(await text.getAttribute('aria-invalid')).toBe('true')
  await page.getByRole('button', { name: 'Line 5, column 2' }).click()
  expect(await text.evaluate((area) => area.ownerDocument.getSelection()?.toString())).toBe('nor.such("y")')

  await text.fill('package p\n\nallow if input.operation == "unwrap"\n')
  await page.getByRole('button', { name: 'Try' }).click()
  await decision.getByText('Refused').waitFor()
  expect(await page.locator('.numbers .faulty').count()).toBe(0)
  await page.getByRole('button', { name: 'Save the policy' }).click()
  await page.getByText('The policy is saved').waitFor()
  const { raw_policy } = await vault().admin.ok('GET', `${ENDPOINTS}/${id as string}/policies`)
  expect(raw_policy).toContain('"unwrap"')
  await behaved(view)
})

test('an endpoint is disabled and enabled, with the call that does it', async () => {
  const { id } = await vault().admin.ok('POST', ENDPOINTS, { name: 'states', keyURIHostname: HOST, policy: BASIC })
  const view = await open(`endpoints/ekm/${id as string}`)
  const { page } = view
  await page.getByRole('button', { name: 'Disable' }).click()
  await dialog(view)
    .getByText(`/api/v1/keymgr/ekm/endpoints/${id as string}/disable`)
    .waitFor()
  await dialog(view).getByRole('button', { name: 'Disable' }).click()
  await page.locator('.facts').getByText('Disabled').waitFor()
  expect(await page.getByRole('button', { name: 'Destroy' }).count()).toBe(0) // not offered for any existing endpoint
  await page.getByRole('button', { name: 'Enable' }).click()
  await dialog(view).getByRole('button', { name: 'Enable' }).click()
  await page.locator('.facts').getByText('Enabled').waitFor()
  await behaved(view)
})

test('a change of a basic policy widens no rule that it does not name', async () => {
  const reason = 'CUSTOMER_INITIATED_ACCESS'
  const attested = { attestation_zones: ['europe-west3-a'], attestation_project_ids: ['shop'] }
  const { id } = await vault().admin.ok('POST', ENDPOINTS, {
    ...{ name: 'attested', keyURIHostname: HOST, endpoint_type: 'ekm-ude' },
    policy: { basic: { clients: [EMAIL], justification_reason: [reason], ...attested } },
  })
  const view = await open(`endpoints/ekm/${id as string}`)
  const { page } = view
  const save = async (): Promise<any> => {
    await dialog(view).getByRole('button', { name: 'Save' }).click()
    await dialog(view).waitFor({ state: 'detached' })
    return (await vault().admin.ok('GET', `${ENDPOINTS}/${id as string}`)).policy.basic
  }
  const change = page.getByRole('button', { name: 'Change the basic policy' })
  await change.click()
  await dialog(view).getByLabel('Callers', { exact: true }).fill(`${EMAIL}\nother@example.test`)
  expect(await save()).toEqual({
    ...{ clients: [EMAIL, 'other@example.test'], justification_required: false, justification_reason: [reason] },
    ...attested,
  })

  await change.click()
  await dialog(view).getByLabel('Callers must give a reason').check()
  expect(await save()).toMatchObject({ justification_required: true, justification_reason: [reason] })
  await change.click()
  await dialog(view).getByLabel('Callers must give a reason').uncheck()
  await dialog(view).getByLabel('Reasons').fill('')
  expect(await save()).toMatchObject({ justification_required: false, justification_reason: [], ...attested })
  await behaved(view)
})

test('the readers of a DKE endpoint are changed under the same issuer, and removed', async () => {
  const dke = dkeOf(vault())
  const issuers = { valid_issuers: [`https://sts.windows.net/${TENANT}/`] }
  const authorization = (...authorized_email_addresses: string[]) => ({
    ...{ authorization_type: 'email', ...issuers, email_authz_params: { authorized_email_addresses } },
  })
  const endpoint = await dke.create({ authorization_params: authorization('*@example.test') })
  const view = await open(`endpoints/dke/${endpoint.id as string}`)
  const { page } = view
  const change = page.getByRole('button', { name: 'Change who is let in' })
  const save = async (): Promise<void> => {
    await dialog(view).getByRole('button', { name: 'Save' }).click()
    await dialog(view).waitFor({ state: 'detached' })
  }
  await change.click()
  await dialog(view).getByLabel('Addresses').fill('ann@example.test')
  await save()
  expect(await dke.get(endpoint)).toMatchObject({
    auth_tenants: [TENANT],
    authorization_params: authorization('ann@example.test'),
  })

  await change.click()
  await dialog(view).getByLabel('Tenants').fill('')
  await dialog(view).getByLabel('Lets in by').selectOption('Not set')
  await save()
  const after = await dke.get(endpoint)
  expect(after.auth_tenants).toEqual([])
  expect(after).not.toHaveProperty('authorization_params')
  await behaved(view)
})

test('audit records are searched, read, led from to their resource, and proved', async () => {
  await createKeys(vault().service, ['searched'])
  await vault().service.deployment.fire('drain-outbox')
  await vault().service.deployment.fire('sign-heads')
  const view = await open('audit')
  const { page } = view
  const message = page.getByLabel('Message')
  await expect
    .poll(async () => {
      await message.fill('Create Key')
      await message.press('Enter')
      await page.getByText(/^[\d,]+ records?$/).waitFor()
      return page.getByRole('row').filter({ hasText: 'searched' }).count()
    }, SOON)
    .toBe(1)
  expect(page.url()).toContain('message=Create+Key')
  await page.getByRole('row').filter({ hasText: 'searched' }).getByRole('link').click()
  await dialog(view).getByText('POST /v1/vault/keys2').waitFor()
  await dialog(view).getByRole('button', { name: 'Prove' }).click()
  await dialog(view).getByText('Proved', { exact: true }).waitFor()
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    dialog(view).getByRole('button', { name: 'Save the proof' }).click(),
  ])
  expect(saved.suggestedFilename()).toMatch(/\.proof\.json$/)
  expect(JSON.parse(fs.readFileSync(await saved.path(), 'utf8'))).toMatchObject({ record_bytes: expect.any(String) })
  await dialog(view).getByRole('link', { name: 'searched' }).click()
  await titled(page, 'searched').waitFor()
  await page.goBack()
  await titled(page, 'Audit').waitFor()
  expect(await message.inputValue()).toBe('Create Key')
  await behaved(view)
})

test('a user is created; bad input is reported at its field, and the password is never shown', async () => {
  const view = await open('users/add')
  const { page } = view
  await page.getByLabel('User name').fill('olga')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByLabel('E-mail').fill('nobody')
  expect(await page.locator('.call pre').textContent()).toContain('"password": "$PASSWORD"')
  await page.getByRole('button', { name: 'Add a user' }).click()
  const email = page.getByLabel('E-mail')
  await expect.poll(() => email.getAttribute('aria-invalid'), SOON).toBe('true')
  await email.fill('olga@example.test')
  await page.getByRole('button', { name: 'Add a user' }).click()
  const password = page.getByLabel('Password', { exact: true })
  await expect.poll(() => password.getAttribute('aria-invalid'), SOON).toBe('true')
  expect(await page.getByText('short', { exact: false }).count()).toBe(0)
  await password.fill(PASSWORD)
  expect(await page.content()).not.toContain(PASSWORD)
  await page.getByRole('button', { name: 'Add a user' }).click()
  await titled(page, 'olga').waitFor()

  await page.getByRole('button', { name: 'Add a group' }).click()
  await dialog(view).getByLabel('Group to add olga to').selectOption('keymgr Users')
  await dialog(view).getByRole('button', { name: 'Add' }).click()
  await page.getByRole('link', { name: 'keymgr Users' }).click()
  await titled(page, 'keymgr Users').waitFor()
  await page.getByRole('link', { name: 'olga' }).click()
  await page.getByRole('button', { name: 'Remove keymgr Users' }).click()
  await dialog(view).getByRole('button', { name: 'Remove' }).click()
  await page.getByText('The user is in no group').waitFor()
  await page.getByRole('button', { name: 'Disable' }).click()
  await dialog(view).getByRole('button', { name: 'Disable' }).click()
  await page.locator('.facts').getByText('Disabled').waitFor()
  await page.getByRole('button', { name: 'Reset the password' }).click()
  await dialog(view).getByLabel('Password', { exact: true }).fill(`${PASSWORD}y`)
  expect(await dialog(view).locator('.call').textContent()).not.toContain(PASSWORD)
  await dialog(view).getByRole('button', { name: 'Reset the password' }).click()
  await page.getByText('The user has the new password.').waitFor()
  await behaved(view)
})

test('a group is made and deleted', async () => {
  const view = await open('users/groups')
  const { page } = view
  await openForm(page, 'Add a group')
  await page.getByLabel('Name').fill('Shop & Co')
  await page.getByRole('button', { name: 'Add a group' }).click()
  await titled(page, 'Shop & Co').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog(view).getByLabel('Type Shop & Co to go on').fill('Shop & Co')
  await dialog(view).getByRole('button', { name: 'Delete' }).click()
  await titled(page, 'Users').waitFor()
  await page.getByRole('link', { name: 'keymgr Users' }).waitFor()
  await page.getByRole('link', { name: 'Shop & Co' }).waitFor({ state: 'detached' })
  await behaved(view)
})
