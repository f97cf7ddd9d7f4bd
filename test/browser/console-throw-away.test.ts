import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { Plugin } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildPages } from '../../infra/build-pages.ts'
import { workOfClouds } from '../../infra/openapi/work.ts'
import { fillRooms } from '../../shared/base/room.ts'
import { CLOUDS } from '../../shared/clouds/all.ts'
import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import { roomsWith } from '../../shared/rooms.ts'
import { useVault } from '../functions/vault/vault.ts'
import { throwAway } from '../shared/clouds/throw-away/cloud.ts'
import { startThrowAway } from '../shared/clouds/throw-away/simulator.ts'
import { pointProcessAt } from '../support/own-process.ts'
import { serveHere } from '../support/serve-here.ts'
import { call } from '../support/service.ts'
import { behaved, logIn, useBrowser, watched } from './browser.ts'
import { CONSOLE, titled } from './console.ts'
import { obstacles } from './usable.ts'

/** A cloud that is added to the console as described in the guide for a new cloud: by a row and a line. */
const CLOUD_TOKEN = 'token-of-the-cloud'
const clouds = [...CLOUDS, throwAway]
const vault = useVault()
const browser = useBrowser()
let cloud: Awaited<ReturnType<typeof startThrowAway>>
let here: Awaited<ReturnType<typeof serveHere>>
let files: Awaited<ReturnType<typeof buildPages>>['files']

const ROW = fileURLToPath(new URL('../shared/clouds/throw-away/console/row.ts', import.meta.url))
const replaced = (text: string, part: string, by: string): string => {
  expect(text).toContain(part)
  return text.replace(part, by)
}

/** Adds the line to the list of clouds, and the cloud's work to the description. */
const withRow = (work: object): Plugin => ({
  name: 'throw-away',
  setup: (build) => {
    build.onLoad({ filter: /clients\/console\/clouds\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: [
        `import { rowFrom } from '${ROW}'`,
        `import { callTo } from './calls.ts'`,
        `import { recordsAt } from './service.ts'`,
        replaced(await readFile(path, 'utf8'), ', datacust]', ', datacust, rowFrom({ callTo, recordsAt })]'),
      ].join('\n'),
    }))
    build.onLoad({ filter: /clients\/console\/described\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: replaced(
        await readFile(path, 'utf8'),
        'export const WORK = {',
        `export const WORK = ${JSON.stringify(work)} as const\nexport const FORMER = {`,
      ),
    }))
  },
})

const ok = async (path: string, body: object): Promise<any> => {
  const { status, body: answer } = await call(here.base, 'POST', path, { token: await vault().admin.token(), body })
  expect(status, JSON.stringify(answer)).toBeLessThan(300)
  return answer
}

beforeAll(async () => {
  cloud = await startThrowAway(['red', 'blue'], CLOUD_TOKEN)
  const { environmentOf } = vault().service.deployment
  pointProcessAt({
    ...environmentOf('connections'),
    ...environmentOf('scheduler'),
    ...environmentOf('cloud-a'),
    KEYMGR_THROW_AWAY_ENDPOINT: cloud.endpoint,
  })
  fillRooms(roomsWith(clouds, PROTOCOLS))
  const [{ serve }, { routes }, connections, scheduler] = await Promise.all([
    import('../../shared/identity/serve.ts'),
    import('../shared/clouds/throw-away/operations.ts'),
    import('../../shared/cloud/connections/operations.ts'),
    import('../../shared/work/schedule/operations.ts'),
  ])
  here = await serveHere(serve([...routes, ...connections.routes, ...scheduler.routes]))
  files = (await buildPages([withRow(workOfClouds())])).files
  await ok('/v1/connectionmgmt/services/throw-away/connections', { name: 'main', token: CLOUD_TOKEN })
  await ok('/v1/keymgr/throw-away/boxes', { name: 'red', connection: 'main' })
  await ok('/v1/keymgr/throw-away/keys', { box: 'red', label: 'made there' })
})
afterAll(async () => {
  here.stop()
  await cloud.stop()
})

/**
 * Serves the pages with the row, and forwards calls that the deployment does not know to the process of the throw-away
 * cloud.
 */
async function withThrowAway(page: Page, base: string): Promise<void> {
  await page.route(`${base}/console/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    const file = files[pathname] ?? files['/console/*']
    if (file === undefined) throw new Error(`${pathname} is not built`)
    await route.fulfill({ contentType: file.type, body: gunzipSync(Buffer.from(file.gzip, 'base64')) })
  })
  await page.route(/\/api\/v1\/(keymgr\/throw-away|connectionmgmt|scheduler)\//, async (route) => {
    const url = route.request().url().replace(`${base}/api`, here.base)
    const response = await route.fetch({ url, maxRetries: 3 }) // a server may end an idle connection at any moment
    await route.fulfill({ response })
  })
}

test('a cloud of one row is in the lists, the search, the wizard, the reports and the jobs of the console', async () => {
  const { baseUrl: base } = vault().service.deployment
  const view = await watched(browser(), base)
  const { page } = view
  await withThrowAway(page, base)
  await page.goto(`${base}${CONSOLE}keys?name=made*`)
  await logIn(view)
  const key = page.getByRole('grid').getByRole('link', { name: 'made there' })
  await key.waitFor()
  await page.getByRole('row').filter({ hasText: 'made there' }).getByText('Throw-away').waitFor()
  await key.click()
  await titled(page, 'made there').waitFor()
  await page.getByText('Made by the cloud').first().waitFor()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('status').getByText('The key is read again.').waitFor()
  expect(await obstacles(page)).toEqual([])

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('red')
  await page.getByRole('option', { name: /red.*Throw-away/ }).click()
  await titled(page, 'red').waitFor()
  await page.getByRole('link', { name: 'main' }).waitFor()
  await page.goto(`${base}${CONSOLE}containers/throw-away`)
  await page.getByRole('grid').getByRole('link', { name: 'red' }).waitFor()
  await page.goto(`${base}${CONSOLE}connections/new/throw-away`)
  await page.getByLabel('Token').waitFor()
  await page.goto(`${base}${CONSOLE}reports`)
  await page.getByRole('link', { name: 'Throw-away', exact: true }).waitFor()
  await page.goto(`${base}${CONSOLE}jobs/add`)
  await page.getByLabel('Cloud', { exact: true }).selectOption('throw-away')
  await page.getByLabel('All containers of the cloud').uncheck()
  await page.getByLabel(/^Box/).waitFor()
  await behaved(view)
})
