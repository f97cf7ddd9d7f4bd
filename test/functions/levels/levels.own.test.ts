import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { PROTOCOLS } from '../../../shared/endpoints/all.ts'
import { levelsId } from '../../../shared/levels/store.ts'
import { ADMIN_PASSWORD } from '../../support/service.ts'
import { EMAIL, useEkm } from '../ekm/ekm.ts'
import { DAY, expectRefused, Holder, HOUR } from '../vault/vault.ts'

const ekm = useEkm({})
const vault = () => ekm().vault
const admin = () => vault().admin

const LEVELS = '/v1/service-levels'
const BLOB = { plaintext: 'AAAA' }
const MINUTE = 60_000
const named = (what: string): string => `${what}-${randomUUID()}`
const get = (path: string): Promise<any> => admin().ok('GET', `${LEVELS}${path}`)

/** A tally of calls, as a data plane logs it. */
const tally = (calls: number, more: object = {}): object => ({
  ...{ calls, refused: 0, errors: 0, late: 0, buckets: { 8: calls } },
  ...more,
})

/** A line of a data plane, as its log subscription delivers it. */
const lineOf = (endpoint: string, from: string, callers: readonly object[], domain = vault().service.domain.id) => ({
  id: randomUUID(),
  timestamp: Date.parse(from),
  message: JSON.stringify({
    ...{ level: 'info', message: 'service levels', function: 'ekm-data' },
    levels: JSON.stringify({ domain, endpoint, from, callers }),
  }),
})

/** Delivers lines of a log to the function that reads them. */
async function deliver(...logEvents: readonly object[]): Promise<void> {
  const data = gzipSync(JSON.stringify({ logEvents })).toString('base64')
  await vault().service.deployment.invoke('triggers', { awslogs: { data } })
}

/** The stored calls of an endpoint in an hour. */
const storedAt = (endpoint: string, from: string, domain?: string): Promise<any> =>
  vault().stored(levelsId(endpoint, 'hour', new Date(from)), 'service-level', domain)

const hourAgo = (hours: number): string =>
  new Date(Math.floor((ekm().now.getTime() - hours * HOUR) / HOUR) * HOUR).toISOString()

describe('calls of a data plane', () => {
  test('are counted once a minute, by caller, with refusals counted separately', async () => {
    const endpoint = await ekm().create({ policy: { basic: { clients: [EMAIL, 'second@a.test'] } } })
    const none = await get(`/${endpoint.id as string}`)
    expect(none).toMatchObject({ calls: 0, budget_left: 1, protocol: 'ekm', time_limit_ms: 150, objective: 0.999 })
    expect(none).toMatchObject({ id: endpoint.id, uri: endpoint.uri, name: endpoint.name })
    expect(none).not.toHaveProperty('p50_ms')
    await ekm().ok(endpoint, 'wrap', BLOB)
    await ekm().ok(endpoint, 'wrap', BLOB, { claims: { email: 'second@a.test' } })
    expect((await ekm().call(endpoint, 'wrap', BLOB, { claims: { email: 'third@a.test' } })).status).toBe(403)
    vault().advance(MINUTE)
    await ekm().ok(endpoint, 'wrap', BLOB)
    const whole = async () => {
      await vault().service.deployment.logsDelivered()
      return get(`/${endpoint.id as string}`)
    }
    await expect.poll(whole).toMatchObject({ calls: 4, refused: 1, errors: 0 })
    const { p50_ms, p99_ms, late } = await whole()
    expect(p50_ms).toBeGreaterThan(0)
    expect(p99_ms).toBeGreaterThanOrEqual(p50_ms)
    const { resources, total } = await get(`/${endpoint.id as string}/parts`)
    expect(total).toBe(3)
    expect(resources[0]).toMatchObject({ caller: EMAIL, calls: 2, refused: 0 })
    expect(resources.map(({ caller, refused }: any) => [caller, refused])).toEqual(
      expect.arrayContaining([
        ['second@a.test', 0],
        ['third@a.test', 1],
      ]),
    )
    expect(resources.reduce((sum: number, one: any) => sum + (one.late as number), 0)).toBe(late)
    expect(await get(`?over=hour&name=${endpoint.name as string}`)).toMatchObject({
      total: 1,
      resources: [{ id: endpoint.id, calls: 4, refused: 1 }],
    })
  })
})

describe('counted calls', () => {
  let id = ''
  beforeAll(async () => {
    ;({ id } = await ekm().create())
  })

  test('of one delivery count once, even if it is repeated', async () => {
    const [endpoint, from] = [await ekm().create(), hourAgo(3)]
    const line = lineOf(endpoint.id, from, [{ caller: 'a', ...tally(3) }])
    await deliver(line)
    await deliver(line)
    expect(await get(`/${endpoint.id as string}`)).toMatchObject({ calls: 3 })
    await deliver({ ...line, id: randomUUID() }, { ...line, id: randomUUID() })
    await Promise.all([1, 2, 3].map(() => deliver({ ...line, id: randomUUID() })))
    expect(await get(`/${endpoint.id as string}`)).toMatchObject({ calls: 18, p50_ms: 4, p99_ms: 4 })
  })

  test('are shown by caller, hour, day and month', async () => {
    const [near, far] = [hourAgo(2), hourAgo(24 * 40)]
    await deliver(
      lineOf(id, near, [
        { caller: 'a', ...tally(7) },
        { caller: 'b', ...tally(2, { errors: 1, late: 1, buckets: { 32: 2 } }) },
      ]),
      lineOf(id, far, [{ caller: 'a', ...tally(4) }]),
    )
    const since = `from=${far}`
    const parts = async (query: string): Promise<any[]> => (await get(`/${id}/parts?${query}&limit=100`)).resources
    expect(await get(`/${id}`)).toMatchObject({ calls: 9, errors: 1, late: 1, p50_ms: 4, p99_ms: 256 })
    expect(await get(`/${id}?${since}`)).toMatchObject({ calls: 13, from: far })
    expect(await get(`/${id}?${since}&to=${near}`)).toMatchObject({ calls: 4, to: near })
    expect(await parts(since)).toMatchObject([
      { caller: 'a', calls: 11, budget_left: 1, p99_ms: 4 },
      { caller: 'b', calls: 2, budget_left: -999 },
    ])
    expect(await parts('by=caller')).toMatchObject([{ caller: 'a', calls: 7 }, { caller: 'b' }])
    expect(await parts('by=hour')).toEqual([expect.objectContaining({ from: near, calls: 9 })])
    const days = [`${far.slice(0, 10)}T00:00:00.000Z`, `${near.slice(0, 10)}T00:00:00.000Z`]
    expect(await parts(`by=day&${since}`)).toMatchObject([
      { from: days[0], calls: 4 },
      { from: days[1], calls: 9 },
    ])
    expect(await parts(`by=day&${since}&sort=-calls`)).toMatchObject([{ calls: 9 }, { calls: 4 }])
    expect((await parts(`by=month&${since}`)).map(({ calls }) => calls)).toEqual([4, 9])
    expect((await get(`?over=month&protocol=ekm&limit=100`)).resources).toEqual(
      expect.arrayContaining([expect.objectContaining({ id, calls: 9 })]),
    )
  })

  test('name in dry runs the callers that a change of key or endpoint may stop', async () => {
    const endpoint = await ekm().create()
    const other = await ekm().create()
    const [near, earlier, tooFar] = [hourAgo(2), hourAgo(24 * 80), hourAgo(24 * 95)]
    const callers = [
      { caller: 'a', ...tally(3) },
      { caller: 'b', ...tally(8) },
    ]
    await deliver(
      lineOf(endpoint.id, near, callers),
      lineOf(endpoint.id, earlier, [{ caller: 'a', ...tally(4) }]),
      lineOf(endpoint.id, tooFar, [{ caller: 'c', ...tally(9) }]),
      lineOf(other.id, near, [{ caller: 'd', ...tally(9) }]),
    )
    const seen = [
      { endpoint_id: endpoint.id, caller: 'b', calls: 8, last_day: near.slice(0, 10) },
      { endpoint_id: endpoint.id, caller: 'a', calls: 7, last_day: near.slice(0, 10) },
    ]
    const revoke = `/v1/vault/keys2/${endpoint.kekID as string}/revoke?dry_run=true`
    const remove = `/v1/keymgr/ekm/endpoints/${endpoint.id as string}?dry_run=true`
    expect((await admin().ok('POST', revoke, { reason: 'Superseded' })).applications).toEqual(seen)
    expect((await admin().ok('DELETE', remove)).applications).toEqual(seen)
    const keeper = (await vault().user(named('keeper'), ['Key Admins'])).holder
    expect((await keeper.ok('POST', revoke, { reason: 'Superseded' })).applications).toEqual([])
  })

  test('are kept for 90 days by the hour, and for 400 by the day', async () => {
    const endpoint = await ekm().create()
    const from = hourAgo(1)
    await deliver(lineOf(endpoint.id, from, [{ caller: 'a', ...tally(5) }]))
    const path = `/${endpoint.id as string}`
    const until = `from=${from}&to=${new Date(Date.parse(from) + HOUR).toISOString()}`
    vault().advance(91 * DAY)
    await vault().sweep()
    expect((await get(`${path}/parts?by=hour&${until}`)).total).toBe(0)
    expect((await get(`${path}?${until}`)).calls).toBe(5) // all calls of the day
    vault().advance(310 * DAY)
    await vault().sweep()
    expect((await get(`${path}?${until}`)).calls).toBe(0)
  })

  test('of a deleted endpoint are not stored', async () => {
    const endpoint = await ekm().create()
    expect((await admin().call('DELETE', `/v1/keymgr/ekm/endpoints/${endpoint.id as string}`)).status).toBe(200)
    const from = hourAgo(1)
    await deliver(lineOf(endpoint.id, from, [{ caller: 'a', ...tally(5) }]))
    expect(await storedAt(endpoint.id, from)).toBeUndefined()
    expectRefused(await admin().call('GET', `${LEVELS}/${endpoint.id as string}`), 404, 5)
  })

  test('of a deleted domain are purged', async () => {
    const { user_id } = await admin().ok('GET', '/v1/auth/self/user')
    const child = await admin().ok('POST', '/v1/domains', { name: named('child'), admins: [user_id] })
    const { service } = vault()
    const inChild = new Holder(service, () => service.logIn('admin', ADMIN_PASSWORD, { domain: child.name }))
    const body = { name: named('e'), keyURIHostname: 'ekm.example.test', policy: { basic: { clients: [EMAIL] } } }
    const endpoint = await inChild.ok('POST', '/v1/keymgr/ekm/endpoints', body)
    const from = hourAgo(1)
    await deliver(lineOf(endpoint.id, from, [{ caller: 'a', ...tally(5) }], child.id))
    expect(await storedAt(endpoint.id, from, child.id)).toMatchObject({ callers: [{ caller: 'a', calls: 5 }] })
    expect(await inChild.ok('GET', `${LEVELS}/${endpoint.id as string}`)).toMatchObject({ calls: 5 })
    await inChild.ok('DELETE', `/v1/keymgr/ekm/endpoints/${endpoint.id as string}`)
    await inChild.update(endpoint.kekID, { undeletable: false })
    await inChild.remove(endpoint.kekID)
    await admin().ok('DELETE', `/v1/domains/${child.id as string}`)
    vault().advance(DAY)
    await vault().sweep()
    expect(await storedAt(endpoint.id, from, child.id)).toBeUndefined()
  })

  test.each([
    ['not JSON', 'levels'],
    ['another endpoint', JSON.stringify({ domain: 'x', endpoint: 'y', from: 'z', callers: [] })],
  ])('with %s are skipped', async (_what, levels) => {
    await deliver({ id: randomUUID(), timestamp: 0, message: JSON.stringify({ message: 'service levels', levels }) })
    expect(await get(`/${id}`)).toBeDefined()
  })
})

describe('the permission to read them', () => {
  let user: Holder
  let endpoint: any
  beforeAll(async () => {
    user = (await vault().user(named('user'), ['keymgr Users'])).holder
    endpoint = await ekm().create()
  })

  test('is who may read the endpoint', async () => {
    const path = `${LEVELS}/${endpoint.id as string}`
    expectRefused(await user.call('GET', path), 404, 5)
    expectRefused(await user.call('GET', `${path}/parts`), 404, 5)
    expect((await user.ok('GET', `${LEVELS}?protocol=ekm`)).total).toBe(0)
    const nobody = (await vault().user(named('nobody'), [])).holder
    expectRefused(await nobody.call('GET', LEVELS), 403, 4)
    expectRefused(await admin().call('GET', `${LEVELS}/${randomUUID()}`), 404, 5)
  })

  test('excludes other domains', async () => {
    const { user_id } = await admin().ok('GET', '/v1/auth/self/user')
    const child = await admin().ok('POST', '/v1/domains', { name: named('child'), admins: [user_id] })
    const { service } = vault()
    const inChild = new Holder(service, () => service.logIn('admin', ADMIN_PASSWORD, { domain: child.name }))
    expectRefused(await inChild.call('GET', `${LEVELS}/${endpoint.id as string}`), 404, 5)
    expect(await inChild.ok('GET', LEVELS)).toEqual({ skip: 0, limit: 10, total: 0, resources: [] })
  })

  test('excludes callers to whom a policy denies the endpoint', async () => {
    const reader = await vault().user(named('reader'), ['keymgr Admins'])
    const path = `${LEVELS}/${endpoint.id as string}`
    expect((await reader.holder.call('GET', path)).status).toBe(200)
    const denial = { name: named('denial'), actions: ['ReadEKMEndpoint'], resources: [endpoint.uri], effect: 'deny' }
    const { id: policy } = await admin().ok('POST', '/v1/admin/policies', denial)
    const principalSelector = { user_id: reader.sub }
    await admin().ok('POST', '/v1/admin/policy-attachments', { policy, principalSelector })
    vault().advance(5_001)
    expectRefused(await reader.holder.call('GET', path), 404, 5)
    const { resources } = await reader.holder.ok('GET', `${LEVELS}?protocol=ekm&limit=100`)
    expect(resources.map(({ id }: any) => id)).not.toContain(endpoint.id)
  })
})

test('pages of the list join to the endpoints of all protocols', async () => {
  for (let at = 0; at < 3; at++) await ekm().create()
  const dke = { name: named('dke'), key_uri_hostname: 'dke.example.test' }
  await admin().ok('POST', '/v1/keymgr/docsuite/dke/endpoints', dke)
  const { total } = await get('?limit=1')
  const seen: string[] = []
  for (let skip = 0; skip < total; skip += 3)
    seen.push(...(await get(`?limit=3&skip=${skip}`)).resources.map(({ id }: any) => id))
  expect(new Set(seen).size).toBe(total)
  const protocols = (await get('?limit=-1')).resources.map(({ protocol }: any) => protocol)
  expect(new Set(protocols)).toEqual(new Set(['ekm', 'dke']))
  const [worst] = (await get('?sort=-calls,name&over=month&limit=1')).resources
  expect(worst.calls).toBe(Math.max(...(await get('?limit=-1&over=month')).resources.map(({ calls }: any) => calls)))
  expect(await get(`?name=${dke.name}`)).toMatchObject({ total: 1, resources: [{ protocol: 'dke' }] })
})

test.each([
  ['?over=year', 'over'],
  ['?protocol=smtp', 'protocol'],
  ['?sort=key', 'sort'],
  ['/{id}?from=yesterday', 'from'],
  ['/{id}?from=2030-01-02T00:00:00Z&to=2030-01-01T00:00:00Z', 'from'],
  ['/{id}?from=2028-01-01T00:00:00Z&to=2030-01-01T00:00:00Z', 'from'],
  ['/{id}/parts?by=hour&from=2030-01-01T00:00:00Z&to=2030-03-01T00:00:00Z', 'from'],
  ['/{id}/parts?by=key', 'by'],
])('GET %s is refused', async (path, field) => {
  const { id } = await ekm().create()
  const answered = await admin().call('GET', `${LEVELS}${path.replace('{id}', id as string)}`)
  expect([400, 422]).toContain(answered.status)
  const [{ parameter, pointer }] = answered.body.errors
  expect(parameter ?? pointer).toContain(field)
})

test('every protocol has endpoints with a time limit and an objective', async () => {
  for (const { name, levels, dataPlaneHttp } of PROTOCOLS) {
    const of = await levels?.()
    expect(of, name).toMatchObject({ protocol: name, limitMs: dataPlaneHttp.budgetMs })
    expect(of?.objective).toBeGreaterThan(0.9)
    expect(of?.objective).toBeLessThan(1)
  }
})
