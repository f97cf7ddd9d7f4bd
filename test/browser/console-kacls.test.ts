import { beforeAll, expect, test } from 'vitest'
import { ADA, BOB, ENDPOINTS, useKacls } from '../functions/kacls/kacls.ts'
import { behaved, useBrowser, watched } from './browser.ts'
import { CONSOLE, opened, titled } from './console.ts'
import { looks } from './usable.ts'

const kacls = useKacls()
const browser = useBrowser()
let endpoint: any

/** An endpoint with three calls on record: one of Bob's, and one that was refused. */
beforeAll(async () => {
  endpoint = await kacls().create({ name: 'drive' })
  const blob = await kacls().wrapped(endpoint)
  expect((await kacls().unwrap(endpoint, blob)).status).toBe(200)
  expect((await kacls().unwrap(endpoint, blob, { email: BOB })).status).toBe(200)
  await kacls().lines(3, { endpoint: endpoint.id })
  await kacls().vault.service.deployment.logsDelivered()
})

const WITHOUT_BOB = `package shop
default allow := false
allow if lower(input.authentication.email) != "${BOB}"`

test('a perimeter is applied to past calls and saved', async () => {
  const { baseUrl } = kacls().vault.service.deployment
  const view = await watched(browser(), baseUrl)
  const { page } = view
  await opened(view, `${baseUrl}${CONSOLE}endpoints/kacls/${endpoint.id as string}`)
  await titled(page, 'drive').waitFor()
  const replay = page.locator('section', { has: page.getByRole('heading', { name: 'Replay past calls' }) })
  const replayed = replay.getByRole('status')
  const answers = async (text: RegExp): Promise<void> => {
    await replay.getByRole('button', { name: 'Replay', exact: true }).click()
    await replayed.getByText(text).waitFor()
  }
  await answers(/^Of \d calls, 0 would be allowed that were refused, and 0 refused that were allowed\.$/)
  const text = page.getByLabel('Perimeter in Rego')
  await text.fill('package shop\nallow if {')
  await replay.getByRole('button', { name: 'Replay', exact: true }).click()
  await replay.getByText('Each is listed with its line').waitFor()
  await text.fill(WITHOUT_BOB)
  await answers(/and 1 refused that were allowed\.$/)
  expect(await replayed.getByRole('listitem').allTextContents()).toEqual([
    expect.stringContaining(`unwrap by ${BOB}, allowed then, refused now`),
  ])
  expect(await replayed.textContent()).not.toContain(ADA)
  await looks(page, 'an endpoint with changed decisions')
  await page.getByRole('button', { name: 'Save the perimeter' }).click()
  await page.getByText('The perimeter is saved').waitFor()
  const saved = await kacls().vault.admin.ok('GET', `${ENDPOINTS}/${endpoint.id as string}/perimeters`)
  expect(saved).toBe(WITHOUT_BOB)
  await behaved(view)
})
