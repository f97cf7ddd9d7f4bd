import { afterAll, beforeAll, expect, test } from 'vitest'
import { BASIC, EMAIL, ENDPOINTS, HOST, useEkm } from '../functions/ekm/ekm.ts'
import { EVIDENCE_TIME } from '../support/attestation/certificates.ts'
import { evidence, labTexts } from '../support/attestation/evidence.ts'
import { issuerKey, startIssuer, type Issuer } from '../support/issuer.ts'
import { behaved, useBrowser, watched, type Watched } from './browser.ts'
import { CONSOLE, opened, openForm, titled } from './console.ts'
import { obstacles, usable } from './usable.ts'

const ekm = useEkm()
const admin = () => ekm().vault.admin
const browser = useBrowser()
let base = ''
let issuer: Issuer
beforeAll(async () => {
  base = ekm().vault.service.deployment.baseUrl
  issuer = await startIssuer(issuerKey('own'))
})
afterAll(() => issuer.stop())

const open = async (path: string): Promise<Watched> => opened(await watched(browser(), base), base + CONSOLE + path)
const dialog = ({ page }: Watched) => page.getByRole('dialog')

test('a crypto space is added, blocked, unblocked and deleted by clicks', async () => {
  const view = await open('administration/ekm-cryptospaces')
  const { page } = view
  await openForm(page, 'Add a crypto space')
  await page.getByLabel('Name', { exact: true }).fill('warehouse')
  await page.getByLabel('Host name').fill(HOST)
  await page
    .getByLabel(/^Callers/)
    .first()
    .fill(EMAIL)
  await page.getByRole('main').locator('button[type=submit]').click()
  await titled(page, 'warehouse').waitFor()
  for (const action of ['Block', 'Unblock']) {
    await page.getByRole('button', { name: action, exact: true }).click()
    await dialog(view).getByRole('button', { name: action, exact: true }).click()
    await page.getByRole('button', { name: action === 'Block' ? 'Unblock' : 'Block', exact: true }).waitFor()
  }
  const { resources } = await admin().ok('GET', '/v1/keymgr/ekm/cryptospaces?name=warehouse')
  expect(resources).toMatchObject([{ blocked: false, policy: { basic: { clients: [EMAIL] } } }])
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog(view).getByLabel('Type warehouse to go on').fill('warehouse')
  await dialog(view).getByRole('button', { name: 'Delete', exact: true }).click()
  await titled(page, 'EKM crypto spaces').waitFor()
  await behaved(view)
})

test('an issuer is added beside the built-in one, which has no buttons', async () => {
  const view = await open('administration/ekm-issuers/add')
  const { page } = view
  await page.getByLabel('Name', { exact: true }).fill('own')
  await page.getByLabel(/^Issuer/).fill('https://own.issuer.test')
  await page.getByLabel(/^Address of its key set/).fill(issuer.keySet)
  await page.getByRole('main').locator('button[type=submit]').click()
  await titled(page, 'own').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
  await page.goto(`${base}${CONSOLE}administration/ekm-issuers`)
  await page.getByRole('link', { name: 'built-in' }).click()
  await titled(page, 'built-in').waitFor()
  expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0)
  await behaved(view)
})

test('authorities are trusted by clicks, and evidence is tested at an endpoint', async () => {
  const body = { name: 'machines', keyURIHostname: HOST, endpoint_type: 'ekm-ude', policy: BASIC }
  const { id } = await admin().ok('POST', ENDPOINTS, body)
  const view = await open('administration/ekm-attestation-trust')
  const { page } = view
  await page.getByRole('link', { name: 'Authorities of evidence' }).click()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const { machine_roots: roots, machine_intermediates: intermediates } = labTexts()
  await dialog(view).getByLabel('Roots of attestation keys').fill(roots)
  await dialog(view).getByLabel('Authorities below these').fill(intermediates)
  await dialog(view).getByRole('button', { name: 'Save', exact: true }).click()
  await expect
    .poll(async () => (await admin().ok('GET', '/v1/keymgr/ekm/attestation-trust')).authorities)
    .toHaveLength(2)
  await page.goto(`${base}${CONSOLE}endpoints/ekm/${id as string}`)
  const nonce = Buffer.alloc(48, 7)
  const tested = async (given: Buffer): Promise<string> => {
    await page.getByRole('button', { name: 'Test evidence', exact: true }).click()
    await dialog(view)
      .getByLabel(/^Evidence/)
      .fill(evidence({ nonce }).toString('base64'))
    await dialog(view).getByLabel('Nonce').fill(given.toString('base64'))
    await dialog(view).getByLabel('Day on which').fill(EVIDENCE_TIME.toISOString().slice(0, 10))
    await dialog(view).getByRole('button', { name: 'Test', exact: true }).click()
    await dialog(view).getByRole('button', { name: 'Close', exact: true }).waitFor()
    expect(await obstacles(page)).toEqual([])
    const text = (await dialog(view).textContent()) ?? ''
    await dialog(view).getByRole('button', { name: 'Close', exact: true }).click()
    return text
  }
  const accepted = await tested(nonce)
  for (const part of ['Accepted', 'AMD_SEV', 'vault-1', 'Allows the call by the rule allow'])
    expect(accepted).toContain(part)
  expect(await tested(Buffer.alloc(48))).toMatch(/Refused at the step nonce.*Refuses the call by the rule attestation/)
  await behaved(view)
})

test('the service level of an endpoint is on its page, and by caller, day and hour on a page of its own', async () => {
  const endpoint = await ekm().create({ name: 'measured' })
  const id = endpoint.id as string
  const wrap = () => ekm().ok(endpoint, 'wrap', { plaintext: 'AAAA' })
  await wrap()
  ekm().vault.advance(60_000)
  await wrap()
  const counted = async () => {
    await ekm().vault.service.deployment.logsDelivered()
    return (await admin().ok('GET', `/v1/service-levels/${id}`)).calls as number
  }
  await expect.poll(counted).toBe(2)
  const view = await open(`endpoints/ekm/${id}`)
  const { page } = view
  await page.getByText('Calls in 30 days').waitFor()
  await page.getByText('150 ms').waitFor()
  expect(await obstacles(page)).toEqual([])
  await page.getByRole('link', { name: 'By caller, hour and day' }).click()
  await titled(page, 'measured').waitFor()
  for (const by of ['By caller', 'By month', 'By day', 'By hour'])
    await page.getByRole('region', { name: by }).locator('tbody tr').first().waitFor()
  await page.getByRole('region', { name: 'By caller' }).getByText(EMAIL).waitFor()
  await page.goto(`${base}${CONSOLE}administration/service-levels`)
  await page.getByRole('link', { name: 'measured' }).waitFor()
  await behaved(view)
})

test('pages of crypto spaces, issuers and authorities are accessible', async () => {
  const view = await open('')
  const lists = ['ekm-cryptospaces', 'ekm-issuers', 'ekm-attestation-trust', 'service-levels'].map(
    (name) => `administration/${name}`,
  )
  const forms = ['administration/ekm-cryptospaces/add', 'administration/ekm-issuers/add']
  await usable(
    view.page,
    [...lists, ...forms, 'administration/ekm-attestation-trust/only'].map((path) => base + CONSOLE + path),
  )
  await behaved(view)
})
