import { beforeAll, expect, test } from 'vitest'
import { keysOf, OTHER_REGION, REGION, useCloudA } from '../cloud-a/cloud-a.ts'
import { expectRefused, HOUR } from '../vault/vault.ts'
import { AT_ONCE, cellsOf, fieldsOf, REPORTS, reportsOf, seedTrail } from './reports.ts'

const tests = useCloudA(AT_ONCE)
const reports = (): ReturnType<typeof reportsOf> => reportsOf(tests(), tests().admin)

const COUNT = { [REGION]: 2_300, [OTHER_REGION]: 700 }
const TOTAL = 3_000
/** Two keys without a record; the key `known` has one. */
const UNKNOWN = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
let id = ''
const all: any[] = []
let knownId = ''

beforeAll(async () => {
  const { admin, account, cloud, at } = tests()
  const from = new Date(at(-2 * HOUR))
  const known = await keysOf(admin).create({ cloud_a_param: { Alias: 'known' } })
  knownId = known.cloud_a_param.KeyID as string
  for (const [region, count] of Object.entries(COUNT))
    seedTrail(cloud, account.id, region, { count, from, keyIds: [knownId, ...UNKNOWN] })
  // The end of the report's time is before the calls that created the key.
  const body = {
    name: 'many',
    start_time: from.toISOString(),
    end_time: at(-HOUR),
    cloud_a_params: [{ kms: 'main', log_group: `trail-${account.id}` }],
  }
  const report = await reports().made(body)
  expect(report).toMatchObject({ overall_status: 'completed' })
  id = report.id as string
  for (let skip = 0; skip < TOTAL; skip += 1_000)
    all.push(...(await reports().contents(id, `?limit=1000&skip=${skip}`)).resources)
})

test('pages of any size contain every row once, container by container, each in the order of its log', async () => {
  expect(all).toHaveLength(TOTAL)
  expect(all.map(({ region }) => region)).toEqual(
    Object.entries(COUNT).flatMap(([region, count]) => Array(count).fill(region) as string[]),
  )
  const times = all.slice(0, COUNT[REGION]).map(({ modified_time }) => modified_time as string)
  expect(times).toEqual([...times].sort())
  expect(new Set(all.map((row) => row.id)).size).toBe(TOTAL)
  for (const skip of [0, 1, 990, 999, 1_000, 1_999, 2_295, 2_300, 2_999, 3_000, 90_000]) {
    const page = await reports().contents(id, `?limit=20&skip=${skip}`)
    expect(page).toMatchObject({ skip, limit: 20, total: TOTAL })
    expect(page.resources).toEqual(all.slice(skip, skip + 20))
  }
})

test('backwards it is the same, and so it is by the ids', async () => {
  for (const skip of [0, 695, 1_500, 2_990]) {
    const page = await reports().contents(id, `?limit=20&skip=${skip}&sort=-createdAt`)
    expect(page.resources).toEqual(all.toReversed().slice(skip, skip + 20))
  }
  expect(all.map((row) => row.id as string).sort()).toEqual(all.map((row) => row.id))
})

test('a row about a key that is not on record names it by the cloud’s id', () => {
  const [first, second] = all
  expect(first).toMatchObject({ key_name: 'known', origin: 'Native', keymgr_operation: false })
  expect(second).toMatchObject({ key_name: UNKNOWN[0], origin: null, key_expiration: null })
  expect(second.key_arn).toBe(`arn:aws:kms:${REGION}:${tests().account.id}:key/${UNKNOWN[0] ?? ''}`)
})

test.each<[string, (row: any) => boolean]>([
  ['key_name=known', ({ key_name }) => key_name === 'known'],
  ['key_name=1111*', ({ key_name }) => key_name.startsWith('1111')],
  ['key_name=KNOWN', () => false],
  [`region=${OTHER_REGION}`, ({ region }) => region === OTHER_REGION],
  ['kms=main', () => true],
  ['kms=other', () => false],
  ['key_activity=Encrypt', ({ key_activity }) => key_activity === 'Encrypt'],
  ['key_activity=Encrypt,Decrypt', ({ key_activity }) => key_activity !== 'GenerateDataKey'],
  ['cloud_name=cloud-a', () => true],
  ['cloud_name=cloud-a-cn', () => false],
  ['origin=Native', ({ origin }) => origin === 'Native'],
  ['origin=External%20(Unknown)', () => false],
  ['keymgr_operation=true', () => false],
  ['keymgr_operation=false', () => true],
  [
    'key_activity=Decrypt&key_name=known',
    ({ key_name, key_activity }) => `${key_name}${key_activity}` === 'knownDecrypt',
  ],
  ['createdAfter=2100-01-01T00:00:00Z', () => false],
])('%s', async (query, isMeant) => {
  const wanted = all.filter(isMeant)
  const page = await reports().contents(id, `?${query}&limit=50&skip=30`)
  expect(page.total).toBe(wanted.length)
  expect(page.resources).toEqual(wanted.slice(30, 80))
})

test('filters find user, account and key by the fields of the records', async () => {
  const [{ user_name, account_id, key_arn }] = all
  const query = `?user_name=${encodeURIComponent(user_name as string)}&account_id=${account_id as string}&key_arn=${key_arn as string}&limit=1000`
  const wanted = all.filter((row) => row.user_name === user_name && row.key_arn === key_arn)
  expect(wanted.length).toBeGreaterThan(100)
  expect((await reports().contents(id, query)).resources).toEqual(wanted)
})

test('an order of several fields, ties in the order of the report', async () => {
  const compare = (a: any, b: any): number =>
    (a.key_activity < b.key_activity ? 1 : a.key_activity > b.key_activity ? -1 : 0) ||
    (a.user_name < b.user_name ? -1 : a.user_name > b.user_name ? 1 : 0)
  const wanted = all.toSorted(compare)
  const page = await reports().contents(id, '?sort=-key_activity,user_name&limit=300&skip=900')
  expect(page.total).toBe(TOTAL)
  expect(page.resources).toEqual(wanted.slice(900, 1_200))
})

test.each([
  ['?sort=colour', 'sort'],
  ['?colour=blue', 'colour'],
  ['?keymgr_operation=yes', 'keymgr_operation'],
  ['?limit=0', 'limit'],
])('%s is refused', async (query, parameter) => {
  expectRefused(await reports().tryContents(id, query), 400, 1, parameter)
})

test('an event that a log contains twice is reported once', async () => {
  const { account, cloud, at } = tests()
  const from = new Date(at(-20 * HOUR))
  // The ids of seeded entries depend only on their number.
  for (let again = 0; again < 2; again++) seedTrail(cloud, account.id, REGION, { count: 40, from, keyIds: [knownId] })
  const body = {
    name: 'twice',
    start_time: from.toISOString(),
    end_time: at(-19 * HOUR),
    cloud_a_params: [{ kms: 'main', region: REGION, log_group: `trail-${account.id}` }],
  }
  const report = await reports().made(body)
  expect(report).toMatchObject({ overall_status: 'completed' })
  expect((await reports().contents(report.id as string)).total).toBe(40)
})

/** The address of a report's text, for a client that does not follow redirects. */
async function addressOf(report: string): Promise<string> {
  const { service, admin } = tests()
  const found = await fetch(`${service.deployment.baseUrl}/api${REPORTS}/${report}/download`, {
    headers: { authorization: `Bearer ${await admin.token()}` },
    redirect: 'manual',
  })
  expect(found.status).toBe(302)
  return found.headers.get('location') ?? ''
}

test('a text too long to be answered is fetched from an address that gets old', async () => {
  const { account, cloud, at } = tests()
  const from = new Date(at(-23 * HOUR))
  const users = ['=HYPERLINK("x")', '東京', `a,"b"\r\n${'c'.repeat(1_800)}`]
  seedTrail(cloud, account.id, REGION, { count: 6_000, from, keyIds: [knownId], users })
  const cloud_a_params = [{ kms: 'main', region: REGION, log_group: `trail-${account.id}` }]
  const end_time = new Date(from.getTime() + 6_000_000).toISOString()
  const report = await reports().made({ name: 'long', start_time: from.toISOString(), end_time, cloud_a_params })
  expect(report).toMatchObject({ overall_status: 'completed' })
  const address = await addressOf(report.id as string)
  const answer = await fetch(address)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="report-${report.id as string}.csv"`)
  const lines = cellsOf(await answer.text()).slice(1)
  expect(lines).toHaveLength(6_000)
  const told = fieldsOf(await reports().contents(report.id as string, '?limit=3'), 'user_name')
  expect(lines.slice(0, 3).map((cells) => cells[6])).toEqual(told)
  expect(told[2]).toContain(users[2])
  tests().advance(301_000)
  expect((await fetch(address)).status).toBe(403)
  const fresh = await addressOf(report.id as string)
  await reports().remove(report.id as string)
  expect((await fetch(fresh)).status).toBe(200)
  await tests().sweep()
  expect((await fetch(fresh)).status).toBe(404)
})
