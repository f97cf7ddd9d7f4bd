import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { EMAIL, refused, useEkm } from '../ekm/ekm.ts'
import type { Answered } from '../../support/service.ts'
import { DAY, expectRefused, HOUR, type Holder } from '../vault/vault.ts'

const ekm = useEkm({})
const vault = () => ekm().vault
const admin = () => vault().admin

const BLOCKS = '/v1/emergency/blocks'
const BLOB = { plaintext: 'AAAA' }
const named = (what: string): string => `${what}-${randomUUID()}`

let other: Holder
let confirmer: Holder
let confirmerName = ''
let child: { id: string; name: string }
beforeAll(async () => {
  confirmerName = named('confirmer')
  confirmer = (await vault().user(confirmerName, [])).holder
  other = (await vault().user(named('admin'), ['admin'])).holder
  const { user_id } = await admin().ok('GET', '/v1/auth/self/user')
  child = await admin().ok('POST', '/v1/domains', { name: named('child'), admins: [user_id] })
})

const blockBody = (body: object): object => ({
  ...{ reason: 'leaked', until: vault().at(HOUR), confirmers: [confirmerName] },
  ...body,
})
const tryBlock = (body: object) => admin().call('POST', BLOCKS, blockBody(body))
const block = (body: object): Promise<any> => admin().ok('POST', BLOCKS, blockBody(body))
const drill = (body: object): Promise<any> =>
  admin().ok('POST', BLOCKS, { reason: 'practice', until: vault().at(HOUR), drill: true, ...body })
const stateOf = async ({ id }: any): Promise<string> => (await admin().ok('GET', `${BLOCKS}/${id as string}`)).state

/** Opens a block or confirms its opening, and lets the quarter of a second pass after which every instance knows. */
async function act(who: Holder, { id }: any, what: string): Promise<Answered> {
  const answered = await who.call('POST', `${BLOCKS}/${id as string}/${what}`)
  vault().advance(251)
  return answered
}

/** Opens a block, by two people. */
async function opened(made: any): Promise<void> {
  expect((await act(admin(), made, 'open')).status).toBe(200)
  expect((await act(confirmer, made, 'confirm')).status).toBe(200)
}

/** Reports of a block: callers and calls, once the lines of the data plane were delivered. */
async function hitsOf({ id }: any): Promise<any[]> {
  await vault().service.deployment.logsDelivered()
  const { resources } = await admin().ok('GET', `${BLOCKS}/${id as string}/hits?limit=100`)
  return resources.map(({ caller, function: of, calls }: any) => ({ caller, of, calls }))
}

/** Waits for the hits of a block: the line that a call writes may follow its answer. */
const expectHits = (made: any, hits: unknown): Promise<void> => expect.poll(() => hitsOf(made)).toEqual(hits)

const DENIED = refused(403, 'PERMISSION_DENIED')

describe('a block holds in every instance within five seconds, until it lapses', () => {
  const TARGETS: readonly [string, (endpoint: any) => Promise<string> | string][] = [
    ['key', async ({ kekID }) => (await admin().get(kekID)).name],
    ['endpoint', ({ id }) => id],
    ['cloud', () => 'ekm'],
    ['cloud', () => 'cloud-c'],
    ['domain', () => vault().service.domain.id],
  ]

  test.each(TARGETS)('of a %s', async (kind, targetOf) => {
    const endpoint = await ekm().create()
    await ekm().ok(endpoint, 'wrap', BLOB) // this instance knows that nothing is blocked
    const made = await block({ kind, target: await targetOf(endpoint) })
    expect(made).toMatchObject({
      kind,
      state: 'active',
      drill: false,
      created_by: 'admin',
      confirmers: [confirmerName],
    })
    ekm().letPass()
    expect(await ekm().call(endpoint, 'wrap', BLOB)).toEqual(DENIED)
    await expectHits(made, [{ caller: EMAIL, of: 'ekm-data', calls: 1 }])
    await ekm().freshInstance()
    expect(await ekm().call(endpoint, 'wrap', BLOB)).toEqual(DENIED)
    await expectHits(made, [{ caller: EMAIL, of: 'ekm-data', calls: 2 }])
    vault().advance(HOUR)
    await ekm().ok(endpoint, 'wrap', BLOB)
    expect(await stateOf(made)).toBe('lapsed')
    expect(await admin().ok('GET', `${BLOCKS}?state=lapsed&kind=${kind}&limit=1`)).toMatchObject({
      resources: [{ id: made.id }],
    })
    expectRefused(await act(admin(), made, 'open'), 409, 8)
  })

  test('of a container', async () => {
    const body = { name: named('space'), keyURIHostname: 'ekm.example.test', policy: { basic: { clients: [EMAIL] } } }
    const space = await admin().ok('POST', '/v1/keymgr/ekm/cryptospaces', body)
    const made = await block({ kind: 'container', target: space.id })
    expect(made).toMatchObject({ target_name: space.name, target_uri: space.uri })
    ekm().letPass()
    expect(await ekm().send(`${space.path as string}:createKey`, {})).toEqual(DENIED)
    await opened(made)
    const { status } = await ekm().send(`${space.path as string}:createKey`, {})
    expect(status).toBe(200)
  })

  test('and refuses nothing else', async () => {
    const [blocked, free] = [await ekm().create(), await ekm().create()]
    const made = await block({ kind: 'endpoint', target: blocked.id })
    ekm().letPass()
    expect(await ekm().call(blocked, 'wrap', BLOB)).toEqual(DENIED)
    await ekm().ok(free, 'wrap', BLOB)
    await opened(made)
    await expectHits(made, [{ caller: EMAIL, of: 'ekm-data', calls: 1 }])
  })
})

test('the record of a refused call names the block', async () => {
  const endpoint = await ekm().create()
  const made = await block({ kind: 'endpoint', target: endpoint.id })
  ekm().letPass()
  expect(await ekm().call(endpoint, 'wrap', BLOB)).toEqual(DENIED)
  const recorded = async () => {
    await vault().service.deployment.logsDelivered()
    const [record] = await vault().records(`service=ekm&resource_uri=${encodeURIComponent(endpoint.uri)}`)
    return record
  }
  await expect.poll(recorded).toMatchObject({ success: false, details: { emergency: made.id } })
  await opened(made)
})

test('a blocked key cannot be exported, cloned or used for wrapping here, at once, and can still be revoked', async () => {
  const key = await admin().create({ name: named('key'), algorithm: 'aes' })
  const made = await block({ kind: 'key', target: key.id })
  expect(made.target).toBe(key.name)
  const next = await admin().act(key.name, 'versions', {})
  const plain = await admin().create({ name: named('plain'), algorithm: 'aes' })
  for (const { id } of [key, next]) {
    expectRefused(await admin().tryAct(id, 'export', {}), 409, 8)
    expectRefused(await admin().tryAct(id, 'clone', { newKeyName: named('clone') }), 409, 8)
  }
  expectRefused(await admin().tryAct(plain.id, 'export', { wrapKeyName: key.name }), 409, 8)
  await admin().act(plain.id, 'export', {})
  await admin().act(key.id, 'revoke', { reason: 'CessationOfOperation' })
  await expectHits(made, [{ caller: 'admin', of: 'vault', calls: 5 }])
  await opened(made)
  await admin().act(next.id, 'export', {})
})

describe('a drill', () => {
  test('refuses the callers that it names, and reports everyone', async () => {
    const endpoint = await ekm().create({ policy: { basic: { clients: ['first@a.test', 'second@a.test'] } } })
    const made = await drill({ kind: 'endpoint', target: endpoint.id, callers: ['first@a.test'] })
    ekm().letPass()
    const by = (email: string) => ekm().call(endpoint, 'wrap', BLOB, { claims: { email } })
    expect(await by('first@a.test')).toEqual(DENIED)
    const [second, again] = [await by('second@a.test'), await by('second@a.test')]
    expect([second.status, again.status]).toEqual([200, 200])
    const wanted = [
      { caller: 'first@a.test', of: 'ekm-data', calls: 1 },
      { caller: 'second@a.test', of: 'ekm-data', calls: 2 },
    ]
    await expectHits(
      made,
      expect.toSatisfy((hits: any[]) => hits.length === 2),
    )
    expect(await hitsOf(made)).toEqual(expect.arrayContaining(wanted))
    expect((await act(admin(), made, 'open')).body).toMatchObject({ state: 'opened', opened_by: 'admin' })
    expect((await by('first@a.test')).status).toBe(200)
  })

  test('without callers refuses no one', async () => {
    const key = await admin().create({ name: named('key'), algorithm: 'aes' })
    const made = await drill({ kind: 'key', target: key.name })
    await admin().act(key.id, 'export', {})
    await expectHits(made, [{ caller: 'admin', of: 'vault', calls: 1 }])
    await act(admin(), made, 'open')
  })
})

describe('an opening before its time', () => {
  test('needs a confirmer who did not ask for it, and happens once', async () => {
    const key = await admin().create({ name: named('key'), algorithm: 'aes' })
    const own = await vault().user(named('both'), ['admin'])
    const { username: ownName } = await own.holder.ok('GET', '/v1/auth/self/user')
    const made = await block({ kind: 'key', target: key.name, confirmers: [confirmerName, ownName] })
    expectRefused(await act(confirmer, made, 'confirm'), 409, 8) // nobody asked
    expect((await act(own.holder, made, 'open')).body).toMatchObject({ state: 'opening', opening_by: ownName })
    expectRefused(await act(admin(), made, 'open'), 409, 8)
    expectRefused(await admin().tryAct(key.id, 'export', {}), 409, 8) // it is still closed
    expectRefused(await act(own.holder, made, 'confirm'), 403, 4)
    expectRefused(await act(other, made, 'confirm'), 403, 4)
    const stranger = (await vault().user(named('stranger'), ['Key Admins'])).holder
    expectRefused(await act(stranger, made, 'confirm'), 404, 5)
    expectRefused(await act(stranger, made, 'open'), 403, 4)
    const tries = await Promise.all([1, 2, 3, 4].map(() => act(confirmer, made, 'confirm')))
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    await admin().act(key.id, 'export', {})
    const about = `resource_uri=${encodeURIComponent(made.uri)}`
    const records = (await vault().records(about)).filter(({ success }) => success)
    expect(records.map(({ message, username }) => [message, username])).toEqual([
      ['Create Emergency Block', 'admin'],
      ['Open Emergency Block', ownName],
      ['Confirm Emergency Opening', confirmerName],
    ])
  })

  test('is not caused by a concurrent change of the stored block', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => admin().create({ name: named('key'), algorithm: 'aes' })))
    const made = await Promise.all(keys.map(({ name }) => block({ kind: 'key', target: name })))
    for (const { id } of keys) expectRefused(await admin().tryAct(id, 'export', {}), 409, 8)
    await Promise.all(made.map(opened))
    for (const { id } of keys) await admin().act(id, 'export', {})
  })
})

test.each([
  ['in the past', () => ({ until: vault().at(-1_000) }), '#/until'],
  ['too far ahead', () => ({ until: vault().at(91 * DAY) }), '#/until'],
  ['without a confirmer', () => ({ confirmers: [] }), '#/confirmers'],
  ['whose confirmer is unknown', () => ({ confirmers: ['nobody'] }), '#/confirmers/0'],
  ['that only its maker could open', () => ({ confirmers: ['admin'] }), '#/confirmers'],
  ['with callers', () => ({ callers: ['a'] }), '#/callers'],
  ['of an unknown cloud', () => ({ kind: 'cloud', target: 'cloud-z' }), '#/target'],
  ['that is a drill with confirmers', () => ({ drill: true }), '#/confirmers'],
])('a block %s is refused', async (_what, more, field) => {
  const { name } = await admin().create({ name: named('key'), algorithm: 'aes' })
  expectRefused(await tryBlock({ kind: 'key', target: name, ...more() }), 422, 2, field)
})

test.each(['key', 'endpoint', 'container', 'domain'])('a %s that does not exist is not blocked', async (kind) => {
  expectRefused(await tryBlock({ kind, target: randomUUID() }), 404, 5, '#/target')
})

test('other administrators neither block nor see resources of others', async () => {
  const endpoint = await ekm().create()
  const made = await block({ kind: 'endpoint', target: endpoint.id })
  const service = vault().service
  const token = await service.logIn('admin', undefined, { domain: child.name })
  const inChild = (method: string, path: string, body?: object) => service.call(method, path, { token, body })
  expectRefused(await inChild('GET', `${BLOCKS}/${made.id as string}`), 404, 5)
  expectRefused(await inChild('POST', `${BLOCKS}/${made.id as string}/open`), 404, 5)
  const body = { drill: true, reason: 'practice', until: vault().at(HOUR) }
  expectRefused(await inChild('POST', BLOCKS, { ...body, kind: 'endpoint', target: endpoint.id }), 404, 5)
  expectRefused(await inChild('POST', BLOCKS, { ...body, kind: 'cloud', target: 'ekm' }), 403, 4)
  expectRefused(await inChild('POST', BLOCKS, { ...body, kind: 'domain', target: child.id }), 403, 4)
  const { holder } = await vault().user(named('user'), ['Key Admins', 'keymgr Admins'])
  expectRefused(await holder.call('GET', BLOCKS), 403, 4)
  expectRefused(await holder.call('POST', BLOCKS, { ...body, kind: 'endpoint', target: endpoint.id }), 403, 4)
  await opened(made)
})

test('a block of a domain stops only the use of its keys', async () => {
  const made = await block({ kind: 'domain', target: child.name })
  const service = vault().service
  const token = await service.logIn('admin', undefined, { domain: child.name })
  const { body: key } = await service.call('POST', '/v1/vault/keys2', { token, body: { name: 'k', algorithm: 'aes' } })
  const asked = await service.call('POST', `/v1/vault/keys2/${key.id as string}/export`, { token, body: {} })
  expectRefused(asked, 409, 8)
  const own = await admin().create({ name: named('key'), algorithm: 'aes' })
  await admin().act(own.id, 'export', {})
  await expectHits(made, [{ caller: 'admin', of: 'vault', calls: 1 }])
  await opened(made)
})
