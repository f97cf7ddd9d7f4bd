import { beforeAll, expect, test } from 'vitest'
import { useService } from '../support/service.ts'
import { behaved, logIn, useBrowser, watched } from './browser.ts'
import {
  CONSOLE,
  createCloudBKey,
  createCloudCKey,
  createKeys,
  enterCloudA,
  holdScripts,
  opened,
  REGION,
  titled,
} from './console.ts'
import { looks, usable } from './usable.ts'

/** With TLS, which a cloud requires for calls to a store, and with long limits for a busy machine. */
const service = useService({ tlsPort: 'any', proxyTimeoutMs: 15_000, flowPauseMs: () => 1 })
const browser = useBrowser()
let base = ''
/** addresses of every page, below the console */
const pages = [
  '',
  'keys',
  'keys?view=expiring',
  'keys/local',
  'keys/cloud-a',
  'keys/local/add/create',
  'keys/cloud-a/add/upload',
  'keys/none',
  'nowhere/at/all',
]
const DAY = 86_400_000

beforeAll(async () => {
  base = service().deployment.baseUrl
  await enterCloudA(service())
  const deactivationDate = new Date(Date.now() + 20 * DAY).toISOString()
  const [id = ''] = await createKeys(service(), ['soon-over', 'soon-over-too'], { deactivationDate })
  await createKeys(service(), ['waiting'], { state: 'Pre-Active' })
  const token = await service().logIn()
  const uploaded = await service().call('POST', '/v1/keymgr/cloud-a/upload-key', {
    token,
    body: { kms: 'shop', region: REGION, source_key_identifier: id, cloud_a_param: { Alias: 'orders' } },
  })
  const [b, c] = [await createCloudBKey(service()), await createCloudCKey(service())]
  pages.push('keys/cloud-b', 'keys/cloud-c', `keys/local/${id}`, `keys/cloud-b/${b}`, `keys/cloud-c/${c}`)
  pages.push(
    `keys/local/${id}/attributes`,
    `keys/cloud-a/${uploaded.body.id as string}/policy`,
    `keys/cloud-c/${c}/history`,
  )
  pages.push(`keys/cloud-a/${uploaded.body.id as string}`) // the last one: a dialog of this page is checked too
})

test('every page is accessible, on a screen and on a phone', async () => {
  const view = await watched(browser(), base)
  const { page } = view
  await page.goto(base + CONSOLE)
  await page.getByLabel('Password').waitFor()
  await looks(page, 'the log-in')
  await logIn(view)
  await titled(page, 'Overview').waitFor()
  await usable(
    page,
    pages.map((path) => base + CONSOLE + path),
  )
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByRole('dialog').waitFor()
  await looks(page, 'a dialog')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('summary', { hasText: 'admin' }).click()
  await looks(page, 'the menu')
  await behaved(view)
})

/** Creates a store to which no cloud is connected, and a job that failed because the cloud refused it. */
async function makeTrouble(): Promise<void> {
  const token = await service().logIn()
  const ok = async (method: string, path: string, body?: object): Promise<any> => {
    const answer = await service().call(method, path, { token, body })
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer.body
  }
  await ok('POST', '/v1/keymgr/cloud-a/custom-key-stores', {
    ...{ name: 'aside', kms: 'shop', region: REGION, linked_state: true },
    local_hosted_params: { health_check_key_id: 'soon-over', max_credentials: 2 },
    cloud_a_param: { xks_proxy_uri_endpoint: 'https://xks.keymgr.test' },
  })
  const { id } = await ok('POST', '/v1/scheduler/job-configs', {
    ...{ name: 'nightly', operation: 'keymgr_synchronization', run_at: '30 4 * * *' },
    keymgr_synchronization_params: { cloud_name: 'cloud-a', kms: ['shop'] },
  })
  const restore = service().deployment.cloudA.inject({ fault: 'access-denied', operation: 'ListKeys' })
  await ok('POST', `/v1/scheduler/job-configs/${id as string}/run-now`)
  const failed = async (): Promise<number> => (await ok('GET', '/v1/scheduler/jobs?status=failed')).total
  await expect.poll(failed, { timeout: 60_000 }).toBe(1)
  restore()
}

test('the overview counts keys by cloud, state and age, and shows on which day they expire', async () => {
  const view = await watched(browser(), base)
  const { page } = view
  await page.goto(base + CONSOLE)
  await logIn(view)
  await titled(page, 'Overview').waitFor()
  const tile = (name: string) => page.locator('.tile', { hasText: name })
  await tile('Local').getByText('3 keys').waitFor()
  await tile('Cloud-a').getByText('1 key', { exact: true }).waitFor()
  for (const title of ['Keys by cloud and state', 'Keys by age']) {
    const chart = page.getByRole('figure', { name: title })
    await chart.getByText('Figures as a table').click()
    await chart
      .getByRole('cell', { name: '3', exact: true })
      .or(chart.getByRole('cell', { name: '2', exact: true }))
      .first()
      .waitFor()
  }
  expect(await page.locator('.calendar td.due').textContent()).toMatch(/2 keys$/)
  const needs = page.getByRole('region', { name: 'Needs you' })
  await needs.getByText('The key soon-over ends').waitFor()
  await makeTrouble()
  await page.reload()
  await needs.getByText('DISCONNECTED').waitFor()
  await needs.getByRole('link', { name: 'Open: aside is not connected' }).waitFor()
  await needs.getByRole('link', { name: 'See the run: The job nightly failed' }).waitFor()
  expect(await needs.getByRole('listitem').first().textContent()).toMatch(/^Critical/)
  await tile('Local')
    .getByRole('link', { name: /Not yet in use/ })
    .click()
  await page.locator('.above-list').getByText('1 key', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'waiting' }).waitFor()
  await behaved(view)
})

test('no figure is shown before all its sources have answered, and one that fails is named', async () => {
  const view = await opened(await watched(browser(), base), base + CONSOLE)
  const { page } = view
  await titled(page, 'Overview').waitFor()
  const held = Promise.withResolvers<undefined>()
  const figures = page.locator('main section, main .tile, main figure')
  await page.route('**/api/v1/keymgr/key-totals*', async (route) => {
    await held.promise
    await route.fallback()
  })
  await page.route('**/api/v1/scheduler/jobs?*', (route) => route.abort())
  await page.reload()
  const tiles = page.locator('.tile .figure')
  await tiles.first().waitFor()
  for (const text of await tiles.allTextContents()) expect(text).not.toMatch(/\d/)
  expect(await page.locator('figure', { hasText: 'Keys by cloud and state' }).count()).toBe(0)
  await page.getByRole('region', { name: 'Needs you' }).getByText('Without jobs').waitFor()
  held.resolve(undefined)
  await page
    .locator('.tile', { hasText: 'Local' })
    .getByText(/\d+ keys/)
    .waitFor()
  expect(await figures.count()).toBeGreaterThan(3)
})

test('a page takes no text while the next one is loaded', async () => {
  const view = await opened(await watched(browser(), base), `${base}${CONSOLE}keys/local`)
  const { page } = view
  const isInert = () => page.locator('.page').evaluate((each) => each.hasAttribute('inert'))
  await page.getByLabel('Name', { exact: true }).waitFor()
  const release = await holdScripts(page)
  await page.getByRole('link', { name: 'Create a local key' }).click()
  await expect.poll(isInert).toBe(true)
  release()
  await titled(page, 'Create a local key').waitFor()
  expect(await isInert()).toBe(false)
  await behaved(view)
})

test('a page that cannot be loaded is replaced by the reason, and opens when it can', async () => {
  const view = await opened(await watched(browser(), base), `${base}${CONSOLE}keys/local`)
  const { page, context } = view
  await page.getByRole('row').nth(1).getByRole('link').waitFor()
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Create a local key' }).click()
  await titled(page, 'This page could not be loaded').waitFor()
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await titled(page, 'Create a local key').waitFor()
  await behaved(view)
})

test.each([
  ['local', '/v1/vault/keys2', ['fields']],
  ['cloud-a', '/v1/keymgr/cloud-a/keys', []],
  ['cloud-b', '/v1/keymgr/cloud-b/keys', []],
  ['cloud-c', '/v1/keymgr/cloud-c/keys', []],
  ['cloud-d', '/v1/keymgr/cloud-d/keys', []],
])('the list of %s keys has every filter of the interface', async (cloud, path, without) => {
  const { body: api } = await service().call('GET', '/v1/openapi.json')
  const named = (parameter: any): string =>
    parameter.$ref === undefined ? parameter.name : api.components.parameters[parameter.$ref.split('/').at(-1)].name
  const offered: string[] = api.paths[path].get.parameters.map(named)
  const view = await watched(browser(), base)
  await view.page.goto(`${base}${CONSOLE}keys/${cloud}`)
  await logIn(view)
  await view.page.getByRole('button', { name: 'More filters' }).click()
  const shown = await view.page
    .locator('.filters')
    .locator('input, select')
    .evaluateAll((fields) => fields.map((each) => each.getAttribute('name')))
  const ofLists = ['skip', 'limit', 'sort', ...without]
  expect(shown.toSorted()).toEqual(offered.filter((name) => !ofLists.includes(name)).toSorted())
  await behaved(view)
})

test('a long list loads rows while it is scrolled, and drops distant ones', async () => {
  const names = Array.from({ length: 1_300 }, (_, at) => `many-${at}`)
  const sixth = Math.ceil(names.length / 6)
  await Promise.all([0, 1, 2, 3, 4, 5].map((at) => createKeys(service(), names.slice(at * sixth, (at + 1) * sixth))))
  const view = await watched(browser(), base)
  const { page } = view
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith('/vault/keys2') && searchParams.get('limit') === '100')
      asked.push(searchParams.get('skip') ?? '')
  })
  await page.goto(`${base}${CONSOLE}keys/local?name=many-*`)
  await logIn(view)
  await page.getByText('1,300 keys').waitFor()
  const grid = page.getByRole('grid')
  expect(await grid.getAttribute('aria-rowcount')).toBe('1301')
  expect(await grid.getByRole('row').count()).toBeLessThan(60)
  await grid.getByRole('row').nth(1).focus()
  await page.keyboard.press('End')
  const last = grid.locator('[aria-rowindex="1301"]')
  await last.getByRole('link').waitFor()
  expect(await last.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
  expect(asked.length).toBeLessThan(5) // not the pages in between
  for (let at = 0; at < 13; at += 1) {
    await grid.evaluate((element, top) => (element.scrollTop = top), at * 4_000)
    await grid
      .locator(`[aria-rowindex="${at * 100 + 4}"]`)
      .getByRole('link')
      .waitFor()
  }
  expect(await grid.getByRole('row').count()).toBeLessThan(60)
  const before = asked.length
  await grid.evaluate((element) => (element.scrollTop = 0))
  await grid.locator('[aria-rowindex="2"]').getByRole('link').waitFor()
  expect(asked.length).toBeGreaterThan(before) // the first page was removed
  await behaved(view)
})
