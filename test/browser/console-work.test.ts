import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { REGION, useCloudA } from '../functions/cloud-a/cloud-a.ts'
import { prepareStores, SERVED, storesOf } from '../functions/cloud-a/key-stores.ts'
import { dkeOf } from '../functions/dke/dke.ts'
import { onMain, REPORTS, seedTrail } from '../functions/reports/reports.ts'
import { rotation, schedulerOf } from '../functions/scheduler/scheduler.ts'
import { ADMIN_PASSWORD } from '../support/service.ts'
import { behaved, logIn, useBrowser, watched, type Watched } from './browser.ts'
import { CONSOLE, openForm, titled } from './console.ts'

/** For events that the page shows without a click; on a busy machine they take time. */
const SOON = { timeout: 30_000 } as const

/** Age at which an answer is loaded again. */
const AGED_MS = 20_000

const KEYS = 40
const tests = useCloudA(SERVED)
const browser = useBrowser()
let base = ''
let keyIds: readonly string[] = []

beforeAll(() => {
  const { service, cloud, account } = tests()
  base = service.deployment.baseUrl
  keyIds = cloud.seed({
    account: account.id,
    region: REGION,
    count: KEYS,
    describe: (n) => ({ aliases: [`alias/seeded-${n}`] }),
  })
})

const MINUTE = 60_000

const openAt = async (path: string): Promise<Watched> => {
  const view = await watched(browser(), base)
  await view.page.clock.install()
  await view.page.goto(base + CONSOLE + path)
  return view
}

const open = async (path: string): Promise<Watched> => {
  const view = await openAt(path)
  await logIn(view)
  await view.page.getByRole('link', { name: 'keymgr', exact: true }).waitFor()
  return view
}

const dialog = ({ page }: Watched) => page.getByRole('dialog')
const progress = ({ page }: Watched) => page.locator('.progress')
const figure = ({ page }: Watched, name: string) =>
  page.locator('.figures > div', { has: page.getByText(name, { exact: true }) }).locator('dd')

/** Whether no synchronization runs. Another one is refused until then. */
async function isQuiet(): Promise<boolean> {
  const { total } = await tests().admin.ok('GET', '/v1/keymgr/cloud-a/synchronization-jobs?overall_status=in_progress')
  return total === 0
}

/**
 * Holds every call that lists keys of the cloud, at most until the test ends. @returns a function that releases them
 */
function holdCloud(): () => void {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const remove = tests().cloud.inject({ fault: 'observe', operation: 'ListKeys', after: () => promise })
  const release = (): void => {
    remove()
    resolve(undefined)
  }
  onTestFinished(async () => {
    release()
    await vi.waitUntil(isQuiet, SOON)
  })
  return release
}

test('a synchronization is watched from its start to its end', async () => {
  const view = await open('containers')
  const { page } = view
  await page.getByRole('link', { name: 'main', exact: true }).first().waitFor() // its connection has the same name
  const release = holdCloud()
  await page.getByRole('button', { name: 'Synchronize all' }).click()
  await dialog(view).getByText('/api/v1/keymgr/cloud-a/synchronization-jobs').waitFor()
  expect(await dialog(view).locator('pre').textContent()).toContain('"synchronize_all": true')
  await dialog(view).getByRole('button', { name: 'Synchronize', exact: true }).click()

  await titled(page, 'Synchronization of all').waitFor()
  await progress(view).getByText('In progress').waitFor()
  await page.getByText('of 2 places read').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).waitFor()
  release()
  await progress(view).getByText('Completed').waitFor()
  await expect.poll(() => figure(view, 'Added').textContent(), SOON).toBe(String(KEYS))
  expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
  await expect.poll(() => page.getByText('synchronized successfully').count(), SOON).toBe(2)

  await page.getByRole('link', { name: 'Cloud-a containers' }).click()
  await page.getByText(`${KEYS} added, 0 updated, 0 gone`).waitFor()
  await behaved(view)
})

test('polling of a synchronization pauses while its page is hidden, and resumes when it is shown', async () => {
  const view = await open('containers/cloud-a')
  const { page } = view
  const release = holdCloud()
  await page.getByRole('button', { name: 'Synchronize all' }).click()
  await dialog(view).getByRole('button', { name: 'Synchronize', exact: true }).click()
  await progress(view).getByText('In progress').waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const turn = (state: 'hidden' | 'visible') =>
    page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); window.dispatchEvent(new Event('visibilitychange'))`,
    )
  await turn('hidden')
  const before = asked.length
  release()
  await expect
    .poll(async () => {
      const { admin } = tests()
      const { resources } = await admin.ok('GET', '/v1/keymgr/cloud-a/synchronization-jobs?limit=1&sort=-createdAt')
      return resources[0].overall_status as string
    }, SOON)
    .toBe('completed')
  expect(await progress(view).getByText('In progress').isVisible()).toBe(true)
  expect(asked.length - before).toBeLessThanOrEqual(1)
  await turn('visible')
  await progress(view).getByText('Completed').waitFor()
  await behaved(view)
})

/** Starts a synchronization that cannot end before the cloud continues. */
async function beginSynchronization({ page }: Watched): Promise<void> {
  await page.getByRole('button', { name: 'Synchronize all' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Synchronize', exact: true }).click()
  await page.locator('.progress').getByText('In progress').waitFor()
}

test('ten minutes without activity end a session, although its page follows work under way', async () => {
  holdCloud()
  const view = await open('containers/cloud-a')
  const { page } = view
  await beginSynchronization(view)
  const renewed = page.waitForResponse((response) => response.url().endsWith('/v1/auth/tokens'))
  await page.clock.runFor(5 * MINUTE)
  await renewed
  await page.clock.runFor(6 * MINUTE)
  await page.getByText('ten minutes without activity').waitFor()
  await behaved(view)
})

test('polling of a synchronization resumes when the service can be reached again', async () => {
  const release = holdCloud()
  const view = await open('containers/cloud-a')
  const { page } = view
  await beginSynchronization(view)
  await view.context.setOffline(true)
  await page.locator('.failed').waitFor()
  await view.context.setOffline(false)
  release()
  await progress(view).getByText('Completed').waitFor()
  expect(await page.locator('.failed').count()).toBe(0)
  await behaved(view)
})

test.each([
  ['gone', 'admin', ADMIN_PASSWORD],
  ['denied', 'nobody', 'Pass-word-6x'],
])('a run that is %s is no longer polled', async (_why, name, password) => {
  const { admin, service } = tests()
  if (name !== 'admin') await service.userIn(await admin.token(), name, [])
  const run = randomUUID()
  const view = await openAt(`jobs/runs/${run}`)
  const { page } = view
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith(`/v1/scheduler/jobs/${run}`)) asked.push(request.url())
  })
  await logIn(view, password, name)
  await page.locator('.failed').waitFor()
  await page.clock.runFor(MINUTE)
  expect(await page.locator('.failed').isVisible()).toBe(true)
  expect(asked.length).toBe(1)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => asked.length, SOON).toBe(2)
  await behaved(view)
})

test('a job configuration is previewed while it is written, run, and its run is shown', async () => {
  const view = await open('jobs')
  const { page } = view
  await openForm(page, 'Add a configuration')
  await page.getByLabel('Name').fill('weekly read')
  await page.getByLabel('All containers of the cloud').check()
  const next = page.getByRole('list', { name: 'Next runs' }).getByRole('listitem')
  await page.getByLabel('Runs at').fill('30 4 * * mon')
  await expect.poll(() => next.first().textContent(), SOON).toMatch(/4:30:00 AM UTC.*1 container: main/)
  expect(await next.count()).toBe(5)
  await page.getByLabel('Runs at').fill('61 4 * * mon')
  await page.getByText('They are shown when the form is right').waitFor()
  await page.getByRole('button', { name: 'Add a configuration' }).click()
  const at = page.locator('input[aria-invalid=true]')
  await at.waitFor()
  expect(await at.getAttribute('name')).toBe('run_at')
  await at.fill('30 4 * * mon')
  await page.getByRole('button', { name: 'Add a configuration' }).click()

  await titled(page, 'weekly read').waitFor()
  await expect.poll(() => next.count(), SOON).toBe(5)
  await page.getByText('It has not run yet.').waitFor()
  await page.locator('.attributes div', { hasText: 'All containers of the cloud' }).getByText('Yes').waitFor()
  expect(await page.locator('.attributes').innerText()).not.toMatch(/[a-z]_[a-z]/)
  await page.getByRole('button', { name: 'Run now' }).click()
  await dialog(view).getByRole('button', { name: 'Run now' }).click()
  await titled(page, 'Run of weekly read').waitFor()
  await progress(view).getByText('Completed').waitFor()
  await expect.poll(() => figure(view, 'Done').textContent(), SOON).toBe('1')
  await page.getByRole('row').filter({ hasText: 'main' }).getByText('Completed').waitFor()

  await page.getByRole('link', { name: 'Configuration', exact: true }).click()
  await page.getByRole('list', { name: 'Past runs' }).getByText('1 of 1 done').waitFor()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Runs at').fill('0 5 * * mon')
  await expect.poll(() => next.first().textContent(), SOON).toContain('5:00:00 AM UTC')
  expect(await page.locator('.call pre').textContent()).toBe('{\n  "run_at": "0 5 * * mon"\n}')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.facts').getByTitle('0 5 * * mon').waitFor()
  await behaved(view)
})

test('an edit of a configuration keeps all fields that it does not change', async () => {
  const scheduler = schedulerOf(tests())
  const both = { retain_alias: true, rotate_material: true }
  const ofCloud = await scheduler.create(rotation('of the cloud', { expiration: '90d', cloud_a_param: both }))
  const byExpiry = { cloud_name: 'docsuite-dke', expire_in: '30d' }
  const ofEndpoints = await scheduler.create(rotation('of endpoints', byExpiry))
  const view = await open(`jobs/${ofCloud.id as string}/edit`)
  const { page } = view
  const save = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Save' }).click()
    await titled(page, new RegExp(`^${name}$`)).waitFor() // the title of the form has a word before the name
  }
  await page.getByLabel('The former key keeps its alias').uncheck()
  await save('of the cloud')
  expect((await scheduler.get(ofCloud.id)).job_config_params).toEqual({
    ...{ cloud_name: 'cloud-a', expiration: '90d', cloud_a_param: { ...both, retain_alias: false } },
  })

  await page.goto(`${base}${CONSOLE}jobs/${ofEndpoints.id as string}/edit`)
  await page.getByLabel('Name').fill('of all endpoints')
  await save('of all endpoints')
  expect((await scheduler.get(ofEndpoints.id)).job_config_params).toEqual(byExpiry)
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Rotate when the key expires within').fill('')
  await save('of all endpoints')
  expect((await scheduler.get(ofEndpoints.id)).job_config_params).toEqual({ cloud_name: 'docsuite-dke' })
  await behaved(view)
})

test('an edit sends only its own changes, not those that others made since the page was loaded', async () => {
  const scheduler = schedulerOf(tests())
  const { id } = await scheduler.create(rotation('of two'))
  const view = await open(`jobs/${id as string}`)
  const { page } = view
  await titled(page, 'of two').waitFor()
  await scheduler.update(id, { run_at: '0 6 * * *' })
  await page.clock.setSystemTime(Date.now() + AGED_MS)
  const read = page.waitForResponse((answer) => answer.url().endsWith(`/job-configs/${id as string}`))
  await page.getByRole('link', { name: 'Edit' }).click()
  await read
  await page.getByLabel('Description').fill('of both')
  await expect.poll(() => page.locator('.call pre').textContent()).toBe('{\n  "description": "of both"\n}')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.facts').getByTitle('0 6 * * *').waitFor()
  await behaved(view)
})

test('a configuration is not deleted while keys belong to it, and its dialog explains that', async () => {
  const { id } = await schedulerOf(tests()).create(rotation('joined', { cloud_name: 'docsuite-dke' }))
  const dke = dkeOf(tests())
  await dke.act(await dke.create(), 'enable-key-rotation-job', { job_config_id: id })
  const view = await open(`jobs/${id as string}`)
  await view.page.getByRole('button', { name: 'Delete' }).click()
  await dialog(view).getByText('must leave it first').waitFor()
  await dialog(view).getByLabel('Type joined to go on').fill('joined')
  await dialog(view).getByRole('button', { name: 'Delete' }).click()
  await dialog(view)
    .getByRole('alert')
    .getByText(/are attached to the configuration/)
    .waitFor()
  await behaved(view)
})

test('a blocked key store is not offered to be connected', async () => {
  const { admin } = tests()
  await prepareStores(tests())
  const { id } = await storesOf(admin).create('offered', { linked_state: true })
  const view = await open(`endpoints/xks/${id as string}`)
  const button = (name: string) => view.page.getByRole('button', { name, exact: true })
  await button('Connect').waitFor()
  expect([await button('Delete').count(), await button('Disconnect').count()]).toEqual([1, 0])
  await button('Block').click()
  await dialog(view).getByRole('button', { name: 'Block' }).click()
  await button('Unblock').waitFor()
  for (const name of ['Connect', 'Link', 'Rotate the credential']) expect(await button(name).count(), name).toBe(0)
  expect((await storesOf(admin).tryAct(id, 'connect', {})).status).toBe(409)
  await behaved(view)
})

test('a report is opened: its charts with their figures, its lines by filter, and its text', async () => {
  const { cloud, account, admin, service } = tests()
  const from = new Date(service.deployment.clock.now().getTime() - 3_600_000)
  seedTrail(cloud, account.id, REGION, { count: 300, from, keyIds })
  const { id } = await admin.ok('POST', REPORTS, onMain(tests(), 'last day'))
  const view = await open('reports')
  const { page } = view
  await page.getByRole('link', { name: 'last day' }).click()
  await titled(page, 'last day').waitFor()
  expect(page.url()).toContain(id)
  const chart = page.getByRole('figure', { name: /Calls by operation/ })
  await chart.getByText('Figures as a table').click()
  for (const name of ['Decrypt', 'Encrypt', 'GenerateDataKey'])
    await chart.getByRole('row').filter({ hasText: name }).getByText('100').first().waitFor()
  await page.getByRole('figure', { name: /Calls over time/ }).waitFor()

  const operation = page.getByLabel('Operation', { exact: true })
  await operation.fill('Decrypt')
  await operation.press('Enter')
  await page.getByText('100 lines').waitFor()
  expect(page.url()).toContain('key_activity=Decrypt')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('last day.csv')
  const text = await readFile(await file.path(), 'utf8')
  expect(text.split('\r\n').length).toBeGreaterThan(300)
  await behaved(view)
})
