import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { expectRefused, Holder, HOUR, KEYS, pathOf, useVault } from './vault.ts'

const vault = useVault()
/** The keys of these tests, created one hour apart. */
const made: Record<string, any> = {}
const material = '00'.repeat(32)

beforeAll(async () => {
  const { admin, advance } = vault()
  const keys: object[] = [
    { name: 'alpha', labels: { env: 'prod', tier: '1' }, aliases: [{ alias: 'a1' }, { alias: 'urn:a', type: 'uri' }] },
    { name: 'beta', size: 128, labels: { env: 'test' }, meta: { team: { name: 'red', floors: [1, 2] } } },
    { name: 'gamma', algorithm: 'hmac-sha256', unexportable: true, labels: { env: 'prod' } },
    { name: 'delta', algorithm: 'ec', curveid: 'secp384r1', undeletable: true },
    { name: 'epsilon', material, state: 'Deactivated', usageMask: 3 },
    { name: 'zeta', material, state: 'Compromised', meta: { team: { name: 'blue' }, n: 1 } },
    { name: 'eta', state: 'Pre-Active', uuid: 'eta-uuid' },
    { name: 'theta/a b?c=1%20&d#é', aliases: [{ alias: 'th/%?' }] },
  ]
  for (const key of keys) {
    const { name } = key as { name: string }
    made[name] = await admin.create(key)
    advance(HOUR)
  }
  made['delta_public'] = await admin.get('delta_public')
})

const THETA = 'theta/a b?c=1%20&d#é'
const ALL = ['alpha', 'beta', 'gamma', 'delta', 'delta_public', 'epsilon', 'zeta', 'eta', THETA]

test.each([
  ['', ALL],
  ['name=alpha', ['alpha']],
  ['name=Alpha', []],
  ['name=alpha&name=beta', ['alpha', 'beta']],
  ['name=beta,alpha,nobody', ['alpha', 'beta']],
  ['name=*eta', ['beta', 'zeta', 'eta']],
  ['name=?eta', ['beta', 'zeta']],
  ['name=delta*', ['delta', 'delta_public']],
  ['name=*a*&name=eps*', ALL],
  ['name=**ta', ['beta', 'delta', 'zeta', 'eta']],
  ['name=nobody', []],
  ['alias=a1', ['alpha']],
  ['alias=urn:a,a1,nobody', ['alpha']],
  ['alias=alpha', []],
  ['alias=a1&name=beta', []],
  ['alias=a1&name=al*', ['alpha']],
  ['state=Active', ['alpha', 'beta', 'gamma', 'delta', 'delta_public', THETA]],
  ['state=Deactivated&state=Compromised', ['epsilon', 'zeta']],
  ['state=Deactivated,Pre-Active,Destroyed', ['epsilon', 'eta']],
  ['state=Active&name=*eta', ['beta']],
  ['objectType=Private%20Key', ['delta']],
  ['objectType=Private%20Key,Public%20Key', ['delta', 'delta_public']],
  ['algorithm=ec', ['delta', 'delta_public']],
  ['algorithm=EC,hmac-sha256', ['gamma', 'delta', 'delta_public']],
  ['algorithm=tdes', []],
  ['size=128', ['beta']],
  ['size=384&algorithm=ec', ['delta', 'delta_public']],
  ['curveid=secp384r1', ['delta', 'delta_public']],
  ['curveid=prime256v1', []],
  ['usageMask=384', ['gamma']],
  ['usageMask=2', ['delta', 'delta_public', 'epsilon']],
  ['usageMask=3', ['delta', 'epsilon']],
  ['usageMask=67', ['delta']],
  ['unexportable=true', ['gamma']],
  ['undeletable=true', ['delta', 'delta_public']],
  ['undeletable=false&unexportable=false&objectType=Public%20Key', []],
  ['labels=env', ['alpha', 'beta', 'gamma']],
  ['labels=env%3Dprod', ['alpha', 'gamma']],
  ['labels=env%3Dprod,tier', ['alpha']],
  ['labels=env%3Dprod,tier%3D2', []],
  ['linkType=publicKey', ['delta']],
  ['linkType=privateKey', ['delta_public']],
  ['linkType=privateKey,publicKey', ['delta', 'delta_public']],
  ['metaContains={"n":1}', ['zeta']],
  ['metaContains={"team":{"name":"red"}}', ['beta']],
  ['metaContains={"team":{"floors":[2]}}', ['beta']],
  ['metaContains={"team":{}}', ['beta', 'zeta']],
  ['metaContains={"team":"red"}', []],
  ['version=0&name=alpha', ['alpha']],
  ['version=-1', ALL],
  ['version=1', []],
  ['fields=meta,links&name=alpha', ['alpha']],
  ['id=eta-uuid', []],
  ['id=eta-uuid&compareIDWithUUID=true', ['eta']],
  ['name=eta-uuid&compareIDWithUUID=true', ['eta']],
  ['sort=name', [...ALL].sort()],
  ['sort=-name', [...ALL].sort().reverse()],
  ['sort=-createdAt', [...ALL].reverse()],
  ['sort=size,-name&state=Active,Pre-Active', ['beta', THETA, 'gamma', 'eta', 'alpha', 'delta_public', 'delta']],
  ['sort=algorithm,objectType,-name&algorithm=ec,hmac-sha256', ['delta', 'delta_public', 'gamma']],
  ['sort=-state,name&name=*eta', ['eta', 'zeta', 'beta']],
])('GET keys2?%s finds its keys', async (query, names) => {
  const encoded = query.replace(/\{.*\}/, encodeURIComponent)
  expect(await vault().admin.names(`?${encoded}`)).toEqual(names)
})

test('fields of the record are filters: id, uri, check value, fingerprints', async () => {
  const { admin } = vault()
  const { alpha, delta, delta_public: half } = made
  expect(await admin.names(`?id=${alpha.id}`)).toEqual(['alpha'])
  expect(await admin.names(`?id=${delta.id},${alpha.id}&id=${'0'.repeat(64)}`)).toEqual(['alpha', 'delta'])
  expect(await admin.names(`?id=${alpha.id}&name=beta`)).toEqual([])
  expect(await admin.names(`?uri=${alpha.uri}`)).toEqual(['alpha'])
  expect(await admin.names(`?uri=${(alpha.uri as string).replace(/[^:]+(?=:vault)/, 'elsewhere')}`)).toEqual([])
  expect(await admin.names(`?keyCheckValue=${alpha.keyCheckValue.toUpperCase()}`)).toEqual(['alpha'])
  expect(await admin.names(`?sha256Fingerprint=${delta.sha256Fingerprint}`)).toEqual(['delta', 'delta_public'])
  expect(await admin.names(`?sha1Fingerprint=${half.sha1Fingerprint}&linkType=privateKey`)).toEqual(['delta_public'])
  expect(await admin.names(`?sha1Fingerprint=${half.sha256Fingerprint}`)).toEqual([])
})

test('dates limit the list exclusively, together with any other filter', async () => {
  const { admin } = vault()
  const at = (name: string): string => encodeURIComponent(made[name].createdAt as string)
  expect(await admin.names(`?createdAfter=${at('gamma')}`)).toEqual(ALL.slice(3))
  expect(await admin.names(`?createdBefore=${at('gamma')}`)).toEqual(['alpha', 'beta'])
  const between = `createdAfter=${at('alpha')}&createdBefore=${at('zeta')}`
  expect(await admin.names(`?${between}`)).toEqual(['beta', 'gamma', 'delta', 'delta_public', 'epsilon'])
  expect(await admin.names(`?${between}&name=*eta`)).toEqual(['beta'])
  expect(await admin.names(`?${between}&name=alpha,beta,zeta`)).toEqual(['beta'])
  expect(await admin.names(`?${between}&state=Active&sort=-name`)).toEqual(['gamma', 'delta_public', 'delta', 'beta'])
})

test.each([
  '',
  '&state=Active,Deactivated,Compromised,Pre-Active',
  '&name=*a*&name=epsilon',
  '&sort=-name',
  '&sort=-createdAt',
])('the pages together are the whole list with an exact total on each%s', async (query) => {
  const { admin } = vault()
  const whole = await admin.list(`?limit=1000${query}`)
  expect(whole).toMatchObject({ skip: 0, limit: 1_000, total: 9 })
  for (const limit of [1, 2, 4, 9]) {
    const pages: unknown[] = []
    for (let skip = 0; skip < 9; skip += limit) {
      const page = await admin.list(`?skip=${skip}&limit=${limit}${query}`)
      expect(page).toMatchObject({ skip, limit, total: 9 })
      pages.push(...(page.resources as unknown[]))
    }
    expect(pages).toEqual(whole.resources)
  }
  expect(await admin.list(`?skip=9${query}`)).toMatchObject({ skip: 9, limit: 10, total: 9, resources: [] })
})

test.each([
  ['limit=-1', 1_000],
  ['limit=5000', 1_000],
  ['skip=1', 10],
])('%s is answered as limit %i', async (query, limit) => {
  expect((await vault().admin.list(`?${query}`)).limit).toBe(limit)
})

test.each([
  ['limit=0', 'limit'],
  ['limit=-2', 'limit'],
  ['limit=ten', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['skip=-1', 'skip'],
  ['skip=1.5', 'skip'],
  ['sort=colour', 'sort'],
  ['sort=name,,size', 'sort'],
  ['state=Asleep', 'state'],
  ['state=active', 'state'],
  ['objectType=Password', 'objectType'],
  ['unexportable=yes', 'unexportable'],
  ['size=big', 'size'],
  ['usageMask=4194304', 'usageMask'],
  ['version=-2', 'version'],
  ['labels=,', 'labels'],
  ['labels=%3Dprod', 'labels'],
  ['metaContains=prod', 'metaContains'],
  ['metaContains=[1]', 'metaContains'],
  ['createdAfter=yesterday', 'createdAfter'],
  ['linkType=cousin', 'linkType'],
  ['fields=material', 'fields'],
  ['nmae=alpha', 'nmae'],
])('%s is refused', async (query, parameter) => {
  expectRefused(await vault().admin.call('GET', `${KEYS}?${query}`), 400, 1, parameter)
})

test('several invalid parameters are reported at once', async () => {
  expectRefused(await vault().admin.call('GET', `${KEYS}?limit=0&skip=x&colour=red`), 400, 1, 'limit', 'skip', 'colour')
})

test('the path accepts an id, name, alias or uri, and type selects between them', async () => {
  const { admin } = vault()
  const { alpha } = made
  await admin.create({ name: alpha.id.replace(/^./, 'f') }) // a name that looks like an id
  for (const [reference, types] of [
    [alpha.id, ['', 'id']],
    ['alpha', ['', 'name']],
    ['a1', ['', 'alias']],
    ['urn:a', ['', 'alias']],
    [alpha.uri, ['', 'uri']],
  ] as [string, string[]][])
    for (const type of ['', 'id', 'name', 'alias', 'uri']) {
      const query = type && `?type=${type}`
      if (types.includes(type)) expect(await admin.get(reference, query)).toEqual(alpha)
      else expectRefused(await admin.call('GET', pathOf(reference, query)), 404, 5)
    }
  const lookalike = alpha.id.replace(/^./, 'f') as string
  expectRefused(await admin.call('GET', pathOf(lookalike)), 404, 5)
  expect((await admin.get(lookalike, '?type=name')).name).toBe(lookalike)
  const elsewhere = (alpha.uri as string).replace(/[^:]+(?=:vault)/, 'elsewhere')
  expectRefused(await admin.call('GET', pathOf(elsewhere)), 404, 5)
  expectRefused(await admin.call('GET', pathOf('alpha', '?type=label')), 400, 1, 'type')
  expectRefused(await admin.call('GET', pathOf('alpha', '?types=name')), 400, 1, 'types')
  expect((await admin.update('a1', { description: 'by alias' }, '?type=alias&version=0')).id).toBe(alpha.id)
  expectRefused(await admin.call('PATCH', pathOf('a1', '?type=name'), { description: 'no' }), 404, 5)
  expectRefused(await admin.call('DELETE', pathOf('a1', '?type=name')), 404, 5)
  expectRefused(await admin.call('DELETE', pathOf('alpha', '?type=name&version=1')), 404, 5)
  await admin.remove(lookalike, '?type=name')
})

test('a name that ends like another key’s uri does not match it', async () => {
  const { admin } = vault()
  const made = await admin.create({ name: 'x:vault:keys:alpha' })
  expect(await admin.names(`?uri=${encodeURIComponent(made.uri as string)}`)).toEqual(['x:vault:keys:alpha'])
  expect((await admin.get(made.uri as string)).id).toBe(made.id)
  await admin.remove(made.id as string)
})

test('names with special characters are reached through the filter and by id', async () => {
  const { admin } = vault()
  expect(await admin.names(`?name=${encodeURIComponent(THETA)}`)).toEqual([THETA])
  expect(await admin.names(`?alias=${encodeURIComponent('th/%?')}`)).toEqual([THETA])
  const { id } = made[THETA]
  expect(await admin.get(id as string)).toEqual(made[THETA])
  expect((await admin.update(id as string, { description: 'reached' })).name).toBe(THETA)
  expect((await admin.act(id as string, 'export', {})).material).toMatch(/^[0-9a-f]{64}$/)
})

test('Key Users see only their own keys and those granted to their groups', async () => {
  const { admin, user } = vault()
  const ann = await user('ann', ['Key Users'])
  const bob = await user('bob', ['Key Users'])
  const kim = await user('kim', ['Key Admins'])
  await admin.ok('POST', '/v1/usermgmt/groups', { name: 'crew' })
  await admin.ok('POST', `/v1/usermgmt/groups/crew/users/${bob.sub}`)
  const before = (await admin.list('?limit=1')).total as number
  for (const name of ['ann-1', 'ann-2']) await ann.holder.create({ name })
  await admin.create({ name: 'for-crew', meta: { permissions: { SignWithKey: ['crew'] } } })
  await admin.create({ name: 'for-ann', meta: { ownerId: ann.sub } })
  await admin.create({ name: 'for-users', meta: { permissions: { ReadKey: ['Key Users', 'crew'] } } })

  expect(await ann.holder.names('?')).toEqual(['ann-1', 'ann-2', 'for-ann', 'for-users'])
  expect(await ann.holder.list('?limit=2&skip=1')).toMatchObject({ total: 4, limit: 2, skip: 1 })
  expect(await bob.holder.names('?')).toEqual(['for-crew', 'for-users'])
  expect(await bob.holder.names('?name=ann-1,for-crew,alpha')).toEqual(['for-crew'])
  expect(await bob.holder.names(`?id=${made.alpha.id}`)).toEqual([])
  expect(await bob.holder.names('?state=Active&sort=-name')).toEqual(['for-users', 'for-crew'])
  expect((await kim.holder.list('?limit=1')).total).toBe(before + 5)
  for (const reference of ['ann-1', 'alpha', 'a1', made.alpha.id, made.alpha.uri])
    expectRefused(await bob.holder.call('GET', pathOf(reference as string)), 404, 5)
  expect((await bob.holder.get('for-crew')).name).toBe('for-crew')
  for (const method of ['PATCH', 'DELETE'])
    expectRefused(await bob.holder.call(method, pathOf('ann-1'), method === 'PATCH' ? {} : undefined), 404, 5)
})

test('another domain has its own names and sees none of ours', async () => {
  const { service, admin } = vault()
  await childAdmin(service)
  const child = new Holder(service, () => service.logIn('admin-of-child', 'Pass-word-14x', { domain: 'child' }))
  expect(await child.list()).toMatchObject({ total: 0, resources: [] })
  const own = await child.create({ name: 'alpha' })
  expect(await child.names('?name=alpha')).toEqual(['alpha'])
  expect((await child.get('alpha')).id).toBe(own.id)
  expect(await child.names(`?id=${made.alpha.id},${own.id}`)).toEqual(['alpha'])
  expect(await child.names(`?uri=${made.alpha.uri}`)).toEqual([])
  expectRefused(await child.call('GET', pathOf(made.alpha.uri as string)), 404, 5)
  expectRefused(await child.call('GET', pathOf(made.alpha.id as string)), 404, 5)
  expectRefused(await child.tryAct('alpha', 'export', { wrapKeyName: 'beta' }), 404, 5, '#/wrapKeyName')
  expect(await admin.names('?name=alpha')).toEqual(['alpha'])
})
