import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Answered } from '../../support/service.ts'
import { DAY, expectRefused, HOUR, pathOf, useVault } from './vault.ts'

const vault = useVault()

const hex = (byte: string, bytes = 32): string => byte.repeat(bytes)
const total = async (query: string): Promise<number> => (await vault().admin.list(`?limit=1&${query}`)).total as number

test('a new version takes name, aliases and labels; former ones stay usable by number and id', async () => {
  const { admin } = vault()
  const kept = { usageMask: 124, labels: { a: 'b' }, meta: { note: 1 }, rotationFrequencyDays: 7, description: 'one' }
  const first = await admin.create({
    name: 'r',
    size: 128,
    material: hex('00', 16),
    aliases: [{ alias: 'ar' }],
    ...kept,
  })
  const second = await admin.act('r', 'versions', { material: hex('01', 16), aliases: [{ alias: 'br' }] })
  expect(second).toMatchObject({ name: 'r', algorithm: 'aes', size: 128, version: 1, state: 'Active', ...kept })
  expect(second.id).toMatch(/^[0-9a-f]{64}$/)
  expect(second.id).not.toBe(first.id)
  expect(second.uri).toBe((first.uri as string).replace(/-v0$/, '-v1'))
  expect(second.aliases.map(({ alias, index }: any) => [alias, index])).toEqual([
    ['ar', 0],
    ['br', 1],
  ])
  expect(second.uuid).not.toBe(first.uuid)
  const third = await admin.act('ar', 'versions', { labels: { c: 'd' }, usageMask: 12, muid: 'm', uuid: 'u' })
  expect(third).toMatchObject({ version: 2, labels: { c: 'd' }, usageMask: 12, muid: 'm', uuid: 'u' })

  for (const latest of ['r', 'ar', 'br', third.id, third.uri]) expect((await admin.get(latest)).id).toBe(third.id)
  expect((await admin.get('r', '?version=-1')).id).toBe(third.id)
  expect((await admin.get(first.id, '?version=-1')).id).toBe(third.id)
  expect((await admin.get(third.id, '?version=0')).id).toBe(first.id)
  for (const [reference, query] of [
    ['r', '?version=0'],
    ['br', '?version=0'],
    [first.id, ''],
    [first.uri, ''],
  ] as [string, string][]) {
    const found = await admin.get(reference, query)
    expect(found).toMatchObject({ id: first.id, version: 0, state: 'Active', aliases: [] })
    expect((await admin.act(reference, 'export', {}, query)).material).toBe(hex('00', 16))
  }
  expectRefused(await admin.call('GET', pathOf('r', '?version=3')), 404, 5)
  expectRefused(await admin.call('GET', pathOf('r', '?version=-2')), 400, 1, 'version')
})

test('the list shows latest versions; version and compareIDWithUUID include former ones', async () => {
  const { admin } = vault()
  const first = await admin.create({ name: 'wide', uuid: 'wide-uuid' })
  const before = await total('')
  const second = await admin.act('wide', 'versions', {})
  expect(await total('')).toBe(before)
  expect(await admin.names('?name=wide')).toEqual(['wide v1'])
  expect(await admin.names('?name=wide*')).toEqual(['wide v1'])
  expect(await admin.names('?name=wide&version=-1')).toEqual(['wide v1'])
  expect(await admin.names('?name=wide&version=0')).toEqual(['wide'])
  expect(await admin.names('?name=wid*&version=1')).toEqual(['wide v1'])
  expect(await admin.names('?name=wide&compareIDWithUUID=true')).toEqual(['wide', 'wide v1'])
  expect(await admin.names('?name=wide-uuid&compareIDWithUUID=true')).toEqual(['wide'])
  expect(await admin.names('?id=wide-uuid&compareIDWithUUID=true')).toEqual(['wide'])
  expect(await admin.names('?name=wide-uuid')).toEqual([])
  expect(await admin.names(`?id=${first.id},${second.id}`)).toEqual(['wide', 'wide v1'])
  expect(await admin.names(`?uri=${encodeURIComponent(first.uri as string)}`)).toEqual(['wide'])
})

test('versions are listed oldest first, in pages', async () => {
  const { admin } = vault()
  await admin.create({ name: 'many' })
  for (let version = 1; version <= 12; version++) await admin.act('many', 'versions')
  const page = async (query: string) => {
    const { total, resources, skip, limit } = await admin.ok('GET', pathOf('many', `/versions${query}`))
    return { total, skip, limit, versions: resources.map(({ version }: any) => version) }
  }
  expect(await page('')).toEqual({ total: 13, skip: 0, limit: 10, versions: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] })
  expect(await page('?skip=11&limit=5')).toEqual({ total: 13, skip: 11, limit: 5, versions: [11, 12] })
  expect(await page('?sort=-version&limit=2')).toMatchObject({ total: 13, versions: [12, 11] })
  expectRefused(await admin.call('GET', pathOf('many', '/versions?state=Active')), 400, 1, 'state')

  expectRefused(await admin.call('DELETE', pathOf('many')), 409, 8)
  await admin.remove('many', '?version=5')
  expect(await admin.remove('many')).toEqual({ status: 204 })
  expectRefused(await admin.call('GET', pathOf('many')), 404, 5)
  expectRefused(await admin.call('GET', pathOf('many', '/versions')), 404, 5)
})

test.each([
  ['Pre-Active', { state: 'Pre-Active' }],
  ['Deactivated', { material: hex('00'), state: 'Deactivated' }],
  ['Compromised', { material: hex('00'), state: 'Compromised' }],
  ['Destroyed', { material: hex('00'), state: 'Destroyed' }],
])('a %s key gets no new version', async (state, body) => {
  const { admin } = vault()
  await admin.create({ name: `no more ${state}`, ...body })
  const refused = await admin.tryAct(`no more ${state}`, 'versions', {})
  expectRefused(refused, 409, 8)
  expect(refused.body.detail).toContain(state)
})

test.each([
  ['another size', 'v aes', { material: hex('00', 16) }, 422, '#/material'],
  ['odd hex', 'v aes', { material: '000' }, 422, '#/material'],
  ['another curve', 'v ec', { material: pemOf('secp384r1') }, 422, '#/material'],
  ['a public key for a private one', 'v ec', { material: pemOf('prime256v1', 'publicKey') }, 422, '#/material'],
  ['a private key for a public one', 'v public', { material: pemOf('prime256v1') }, 422, '#/material'],
  ['nothing for a public one', 'v public', {}, 422, '#/material'],
  ['a password for nothing', 'v aes', { password: 'secret' }, 422, '#/password'],
  ['another name', 'v aes', { name: 'other' }, 400, '#/name'],
  ['another algorithm', 'v aes', { algorithm: 'aes' }, 400, '#/algorithm'],
  ['another size by number', 'v aes', { size: 256 }, 400, '#/size'],
  ['an offset into the past', 'v aes', { offset: -1 }, 422, '#/offset'],
] as const)('a new version refuses %s', async (_what, name, body, status, field) => {
  const { admin } = vault()
  if ((await total(`name=${encodeURIComponent(name)}`)) === 0) {
    if (name === 'v aes') await admin.create({ name })
    if (name === 'v ec') await admin.create({ name, algorithm: 'ec' })
    if (name === 'v public') await admin.create({ name, algorithm: 'ec', material: pemOf('prime256v1', 'publicKey') })
  }
  expectRefused(await admin.tryAct(name, 'versions', body), status, status === 400 ? 1 : 2, field)
  expect((await admin.get(name)).version).toBe(0)
})

function pemOf(namedCurve: string, half: 'privateKey' | 'publicKey' = 'privateKey'): string {
  const pair = generateKeyPairSync('ec', { namedCurve })
  return half === 'publicKey'
    ? pair.publicKey.export({ format: 'pem', type: 'spki' }).toString()
    : pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}

test('an archived key, a taken alias and a caller without rights are refused a new version', async () => {
  const { admin, user } = vault()
  const ann = (await user('ann', ['Key Users'])).holder
  await admin.create({ name: 'put away', meta: { permissions: { UseKey: ['Key Users'] } } })
  expectRefused(await ann.tryAct('put away', 'versions', {}), 403, 4)
  expectRefused(await admin.tryAct('put away', 'versions', { aliases: [{ alias: 'put away' }] }), 409, 7)
  await admin.act('put away', 'archive')
  expectRefused(await admin.tryAct('put away', 'versions', {}), 409, 8)
  expectRefused(await admin.tryAct('nobody', 'versions', {}), 404, 5)
})

test('an offset delays the successor, whose dates keep their distance from activation', async () => {
  const { admin, at, advance, service } = vault()
  const [stop, end, gone] = [at(10 * DAY), at(20 * DAY), at(30 * DAY)]
  const dates = { protectStopDate: stop, deactivationDate: end, destroyDate: gone }
  const first = await admin.create({ name: 'shifted', ...dates })
  advance(DAY)
  const second = await admin.act('shifted', 'versions', { offset: 3_600 })
  expect(second.state).toBe('Pre-Active')
  const born = Date.parse(second.activationDate as string)
  expect(born - Date.parse(second.createdAt as string)).toBe(HOUR)
  const distances = (key: any) =>
    Object.keys(dates).map((date) => Date.parse(key[date] as string) - Date.parse(key.activationDate as string))
  expect(distances(second)).toEqual(distances(first))
  expect(await admin.get('shifted', '?version=0')).toMatchObject({ state: 'Active', ...dates })
  expectRefused(await admin.tryAct('shifted', 'versions', {}), 409, 8)
  advance(HOUR)
  expect((await admin.get('shifted')).state).toBe('Active')
  const third = await admin.act('shifted', 'versions', {})
  expect(third).toMatchObject({ version: 2, state: 'Active' })
  expect(distances(third)).toEqual(distances(first))
  expect(await service.deployment.fire('sweep-due')).toBeDefined()
})

test('a pair is rotated as a pair with linked halves, and the public one keeps its aliases', async () => {
  const { admin } = vault()
  const first = await admin.create({ name: 'pair', algorithm: 'ec', aliases: [{ alias: 'mine' }] })
  await admin.update('pair_public', { aliases: [{ alias: 'yours' }], labels: { half: 'public' }, meta: { to: 'show' } })
  expectRefused(await admin.tryAct('pair_public', 'versions', {}), 409, 8)
  const second = await admin.act('pair', 'versions', {})
  expect(second).toMatchObject({ version: 1, objectType: 'Private Key', curveid: 'prime256v1' })
  const half = await admin.get('pair_public')
  expect(half).toMatchObject({ version: 1, labels: { half: 'public' }, meta: { to: 'show' } })
  expect(half.uri).toMatch(/:pair_public-v1$/)
  expect(second.links).toEqual([{ type: 'publicKey', target: half.id }])
  expect(half.links).toEqual([{ type: 'privateKey', target: second.id }])
  expect(half.sha256Fingerprint).toBe(second.sha256Fingerprint)
  expect(half.sha256Fingerprint).not.toBe(first.sha256Fingerprint)
  expect((await admin.get('yours')).id).toBe(half.id)
  expect((await admin.get('mine')).id).toBe(second.id)
  const formerHalf = await admin.get('pair_public', '?version=0')
  expect(first.links).toEqual([{ type: 'publicKey', target: formerHalf.id }])
  expect(formerHalf.sha256Fingerprint).toBe(first.sha256Fingerprint)

  const third = await admin.act('pair', 'versions', { material: pemOf('prime256v1') })
  expect((await admin.get('pair_public')).sha256Fingerprint).toBe(third.sha256Fingerprint)
  await admin.remove('pair', '?version=2')
  expect((await admin.get('pair_public')).id).toBe(half.id)
  expect((await admin.get('yours')).id).toBe(half.id)
  await admin.remove('pair')
  for (const gone of ['pair', 'pair_public', 'mine', 'yours', half.id, formerHalf.id])
    expectRefused(await admin.call('GET', pathOf(gone as string)), 404, 5)
  await admin.create({ name: 'pair', algorithm: 'ec', aliases: [{ alias: 'yours' }] })
})

test('the public half may be deleted alone; the private half loses the link and is rotated alone', async () => {
  const { admin } = vault()
  await admin.create({ name: 'single', algorithm: 'ec' })
  await admin.remove('single_public')
  expect((await admin.get('single')).links).toEqual([])
  expect((await admin.act('single', 'versions', {})).links).toEqual([])
  expect(await admin.names('?name=single*')).toEqual(['single v1'])
  await admin.remove('single')
})

test('one version can be deleted; the latest hands name and aliases to the one before', async () => {
  const { admin } = vault()
  const first = await admin.create({ name: 'd', aliases: [{ alias: 'da' }] })
  const second = await admin.act('d', 'versions', { aliases: [{ alias: 'db' }] })
  const third = await admin.act('d', 'versions', {})
  const before = await total('')
  expect(await admin.remove('d', '?version=1')).toEqual({ status: 204 })
  expectRefused(await admin.call('GET', pathOf(second.id as string)), 404, 5)
  expectRefused(await admin.call('GET', pathOf('d', '?version=1')), 404, 5)
  expect(await admin.get('d')).toEqual(third)
  expect(await total('')).toBe(before)
  await admin.remove('db', '?version=-1')
  for (const reference of ['d', 'da', 'db', first.id]) {
    const heir = await admin.get(reference as string)
    expect(heir).toMatchObject({ id: first.id, version: 0 })
    expect(heir.aliases.map(({ alias }: any) => alias)).toEqual(['da', 'db'])
  }
  expect(await admin.names('?name=d')).toEqual(['d'])
  expect(await total('')).toBe(before)
  expect((await admin.act('d', 'versions', {})).version).toBe(1)
  await admin.remove('d', '?version=1')
  await admin.remove('d', '?version=0')
  for (const gone of ['d', 'da', 'db']) expectRefused(await admin.call('GET', pathOf(gone)), 404, 5)
  expect(await total('')).toBe(before - 1)
  expect((await admin.create({ name: 'd', aliases: [{ alias: 'da' }] })).version).toBe(0)
})

test('all versions are deleted with the key, unless one of them must stay', async () => {
  const { admin } = vault()
  const first = await admin.create({ name: 'all' })
  const second = await admin.act('all', 'versions', {})
  await admin.update(first.id as string, { undeletable: true })
  expect((await admin.get('all')).undeletable).toBe(false)
  expectRefused(await admin.call('DELETE', pathOf('all')), 409, 10)
  expect((await admin.get('all')).id).toBe(second.id)
  await admin.update(first.id as string, { undeletable: false })
  await admin.remove(first.id as string)
  for (const gone of [first.id, second.id, 'all'])
    expectRefused(await admin.call('GET', pathOf(gone as string)), 404, 5)
  expectRefused(await admin.call('DELETE', pathOf('all')), 404, 5)
})

test('concurrent rotations each make a version', async () => {
  const { admin } = vault()
  await admin.create({ name: 'raced', aliases: [{ alias: 'racer' }] })
  // The service gives up after 15 lost seconds and asks to try again, which a slow machine may need.
  const rotate = async (): Promise<Answered> => {
    const answered = await admin.tryAct('raced', 'versions', {})
    return answered.status === 409 ? rotate() : answered
  }
  const answers = await Promise.all(Array.from({ length: 30 }, rotate))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
  const versions = answers.map(({ body }) => body.version as number)
  expect(versions.sort((a, b) => a - b)).toEqual(answers.map((_, at) => at + 1))
  expect(await admin.get('racer')).toMatchObject({ version: 30 })
  expect(await admin.names('?name=raced&compareIDWithUUID=true&limit=-1')).toHaveLength(31)
})

test('of concurrent deletions one succeeds, and one is recorded', async () => {
  const { admin, records } = vault()
  for (const name of ['doomed-1', 'doomed-2', 'doomed-3']) {
    const { uri } = await admin.create({ name })
    const answers = await Promise.all(Array.from({ length: 20 }, () => admin.call('DELETE', `/v1/vault/keys2/${name}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 404)])
    const done = await records(`success=true&message=Delete%20Key&resource_uri=${encodeURIComponent(uri as string)}`)
    expect(done).toHaveLength(1)
  }
})

test('a stale If-Match prevents making or deleting a version', async () => {
  const { admin } = vault()
  await admin.create({ name: 'matched' })
  const { headers } = await admin.call('GET', pathOf('matched'))
  const stale = { 'if-match': headers.get('etag') ?? '' }
  await admin.update('matched', { description: 'changed' })
  expectRefused(await admin.call('POST', pathOf('matched', '/versions'), {}, stale), 412, 8)
  expectRefused(await admin.call('DELETE', pathOf('matched'), undefined, stale), 412, 8)
  const fresh = (await admin.call('GET', pathOf('matched'))).headers.get('etag') ?? ''
  await admin.ok('DELETE', pathOf('matched'), undefined, { 'if-match': fresh })
})
