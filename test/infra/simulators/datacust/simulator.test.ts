import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import {
  startDatacust,
  type DatacustFault,
  type DatacustSimulator,
} from '../../../../infra/simulators/datacust/simulator.ts'
import { activate, clientOf, groupNamed, logIn, send, tokenOf, userNamed, type Client } from './clients.ts'

const clock = createClock()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'datacust-journal-'))
let simulator: DatacustSimulator
let client: Client

beforeAll(async () => {
  simulator = await startDatacust({ clock })
})
beforeAll(async () => {
  client = await clientOf(simulator)
})
afterEach(async () => {
  simulator.reset()
  simulator.setRate('off')
  client = await clientOf(simulator)
  simulator.reset()
})
afterAll(async () => {
  await simulator.stop()
  fs.rmSync(folder, { recursive: true })
})

test('an activation replaces the secret, and happens once', async () => {
  const user = userNamed(simulator, 'keymgr-2')
  expect((await logIn(simulator, { apiKey: user.apiKey, secret: user.secret })).status).toBe(401)
  const { status, body } = await activate(simulator, user)
  expect([status, body.apiKey, body.secret === user.secret]).toEqual([200, user.apiKey, false])
  expect((await activate(simulator, user)).status).toBe(401)
  const again = await activate(simulator, { apiKey: user.apiKey, secret: body.secret })
  expect(again).toMatchObject({ status: 401, body: { message: 'The credential was already activated.' } })
  expect((await logIn(simulator, { apiKey: user.apiKey, secret: user.secret })).status).toBe(401)
  expect((await logIn(simulator, { apiKey: user.apiKey, secret: body.secret })).status).toBe(200)
})

test('an activation with a wrong secret changes nothing', async () => {
  const user = userNamed(simulator, 'keymgr-3')
  expect((await activate(simulator, { ...user, secret: 'wrong' })).status).toBe(401)
  expect(userNamed(simulator, 'keymgr-3')).toEqual(user)
})

test('people log in with a password, unless their tenant has another identity service', async () => {
  const ada = { username: 'ada@shop.example.test', password: 'password of ada', tenant: 'shop' }
  const { status, body } = await logIn(simulator, ada)
  expect(status).toBe(200)
  expect((await send(simulator, '/groups', { token: body.accessToken })).body.value).toHaveLength(5)
  const eve = { username: 'eve@bank.example.test', password: 'password of eve', tenant: 'bank' }
  for (const wrong of [{ ...ada, password: 'x' }, { ...ada, tenant: 'bank' }, { ...ada, username: 'eve' }, eve])
    expect((await logIn(simulator, wrong)).status).toBe(401)
  expect((await logIn(simulator, { username: 'ada' })).status).toBe(400)
})

test('a token ends on request and after an hour', async () => {
  const read = async () => (await client.call('GET', '/groups')).status
  expect(await read()).toBe(200)
  simulator.endTokens(userNamed(simulator, 'keymgr').tenantId)
  expect(await read()).toBe(401)
  client = await clientOf(simulator)
  clock.advance(3_600_000)
  expect(await read()).toBe(401)
})

test.each([undefined, 'wrong'])('without a valid token nothing is answered: %s', async (token) => {
  for (const where of ['/groups', '/keys', '/elsewhere'])
    expect((await send(simulator, where, { token })).status).toBe(401)
})

test('other versions of the service, unknown paths and methods are not served', async () => {
  const { apiKey, secret } = userNamed(simulator, 'keymgr')
  const other = await fetch(`${simulator.endpoint}/kms/v1/auth/request`, {
    method: 'POST',
    body: JSON.stringify({ apiKey, secret }),
  })
  expect(other.status).toBe(401)
  expect((await client.call('GET', '/doors')).status).toBe(404)
  expect((await client.call('DELETE', '/groups')).status).toBe(405)
  expect((await client.call('POST', '/keys', [1])).status).toBe(400)
  expect((await client.call('GET', '/serviceStatus')).body).toEqual({ status: 'UP' })
})

test('groups are found by a filter, with their key store on request', async () => {
  const id = groupNamed(simulator, 'outpost')
  const find = async (filter: string, more = '') =>
    client.call('GET', `/groups?$filter=${encodeURIComponent(filter)}${more}`)
  expect((await find(`id eq ${id}`)).body).toEqual({ value: [expect.objectContaining({ id, name: 'outpost' })] })
  expect((await find(`id eq ${id}`)).body.value[0]).not.toHaveProperty('keystore')
  expect((await find(`id eq '${id}'`, '&$expand=keystore')).body.value[0].keystore).toMatchObject({ provider: 'AWS' })
  const encoded = await client.call('GET', `/groups?%24filter=id%20eq%20${id}&%24expand=keystore`)
  expect(encoded.body.value).toHaveLength(1)
  expect((await find('id eq none')).body).toEqual({ value: [] })
  expect((await find("name eq 'it''s and more'")).body).toEqual({ value: [] })
  for (const wrong of ['id', 'id eq a b', "id eq 'a' or id ne 'b'", 'region eq x', "id eq 'a' or 1 eq 1"])
    expect((await find(wrong)).status).toBe(400)
})

test('a technical user of a group sees only that group, and one without a group sees none', async () => {
  const narrow = await clientOf(simulator, 'finance-only')
  const names = async (each: Client) => (await each.call('GET', '/groups')).body.value.map((one: any) => one.name) // `any`: a group
  expect(await names(narrow)).toEqual(['finance'])
  expect(await names(await clientOf(simulator, 'nothing'))).toEqual([])
  const { body } = await client.create('analytics')
  expect((await narrow.call('GET', `/keys/${body.id}`)).status).toBe(404)
  const list = await narrow.call('GET', '/keys')
  expect(list.body.value.some(({ id }: { id: string }) => id === body.id)).toBe(false)
})

test('what belongs to another tenant does not exist', async () => {
  const bank = await clientOf(simulator, 'keymgr', 'bank')
  const { body } = await client.create('analytics')
  expect((await bank.call('GET', `/keys/${body.id}`)).status).toBe(404)
  expect((await bank.create('analytics')).status).toBe(404)
  expect((await bank.call('GET', '/groups')).body.value).toHaveLength(1)
})

test('applications are listed by group', async () => {
  const groupId = groupNamed(simulator, 'finance')
  const { body } = await client.call('GET', `/applications?$filter=groupId eq ${groupId}`)
  expect(body.value).toEqual([{ id: expect.any(String), name: 'finance in production', type: 'DATABASE', groupId }])
})

test.each<[DatacustFault['fault'], number]>([
  ['throttle', 429],
  ['server-error', 500],
  ['unavailable', 503],
  ['conflict', 409],
  ['access-denied', 403],
  ['expired-credentials', 401],
])('the fault %s is answered with status %i', async (fault, status) => {
  simulator.inject({ fault, operation: 'ListGroups' } as DatacustFault)
  expect((await client.call('GET', '/groups')).status).toBe(status)
  expect((await client.call('GET', '/keys')).status).toBe(200)
})

test('a test can request any refusal, and absurd values', async () => {
  simulator.inject({ fault: 'refuse', status: 422, message: 'The role is odd.', operation: 'CreateKey', times: 1 })
  expect(await client.create('finance')).toMatchObject({ status: 422, body: { message: 'The role is odd.' } })
  simulator.inject({ fault: 'throttle', retryAfterSeconds: 7, times: 1 })
  expect((await client.call('GET', '/groups')).headers.get('retry-after')).toBe('7')
  simulator.inject({ fault: 'wrong-answer', operation: 'ListGroups', answer: () => ({ value: 'none' }) })
  expect((await client.call('GET', '/groups')).body).toEqual({ value: 'none' })
  simulator.inject({ fault: 'cut-after', operation: 'CreateKey', times: 1 })
  const before = simulator.keysIn(groupNamed(simulator, 'finance')).length
  await expect(client.create('finance')).rejects.toThrow()
  expect(simulator.keysIn(groupNamed(simulator, 'finance'))).toHaveLength(before + 1)
})

test('a tenant can have a limited number of requests per second', async () => {
  simulator.setRate(2)
  const statuses: number[] = []
  for (let n = 0; n < 6; n++) statuses.push((await client.call('GET', '/groups')).status)
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0)
  clock.advance(1_000)
  expect((await client.call('GET', '/groups')).status).toBe(200)
})

test('a long list has pages, whose next address is on the same host', async () => {
  const group = groupNamed(simulator, 'harbour')
  const ids = simulator.seed(group, 250)
  const found: string[] = []
  const token = await tokenOf(simulator)
  let next: string | undefined = `${simulator.apiEndpoint}/keys?$filter=groupId eq ${group}`
  while (next !== undefined) {
    expect(next.startsWith(simulator.apiEndpoint)).toBe(true)
    const answer = await fetch(next, { headers: { authorization: `Bearer ${token}` } })
    const body: any = await answer.json() // `any`: a page
    found.push(...body.value.map(({ id }: { id: string }) => id))
    next = body['@odata.nextLink']
  }
  expect(found).toEqual(ids)
  simulator.inject({ fault: 'short-page' })
  expect((await client.call('GET', '/groups')).body.value).toHaveLength(1)
})

test('the request log has no secrets and no wrapped material', async () => {
  const { apiKey, secret } = userNamed(simulator, 'keymgr')
  await logIn(simulator, { apiKey, secret })
  await client.call('POST', '/crypto/unwrap', { wrappedKey: 'c2VjcmV0', targetKeyId: 'none' })
  expect(simulator.calls()).toMatchObject([
    { operation: 'LogIn', tenant: undefined, body: { apiKey } },
    { operation: 'UnwrapKey', tenant: 'shop', principal: 'keymgr', body: { targetKeyId: 'none' }, refused: '404' },
  ])
  for (const hidden of [secret, 'c2VjcmV0']) expect(JSON.stringify(simulator.calls())).not.toContain(hidden)
  expect(simulator.counts()).toEqual({ LogIn: 1, UnwrapKey: 1 })
})

test('data exists after a restart', async () => {
  const file = path.join(folder, 'kept.jsonl')
  const first = await startDatacust({ clock, file })
  const { body: key } = await (await clientOf(first)).create('analytics')
  const material = await first.materialOf(key.id)
  const certificate = first.certificateOf('t', 'c')
  await first.stop()
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  const second = await startDatacust({ clock, file })
  expect(second.credentials()).toEqual(first.credentials())
  expect((await (await clientOf(second)).call('GET', `/keys/${key.id}`)).body).toEqual(key)
  expect(await second.materialOf(key.id)).toEqual(material)
  expect(second.certificateOf('t', 'c')).toEqual(certificate)
  expect(second.authorityChain).toBe(first.authorityChain)
  await second.stop()
})
