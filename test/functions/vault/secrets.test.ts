import { expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { expectRefused, Holder, useVault } from './vault.ts'

const vault = useVault()
const AT = '/v1/vault/secrets'
const at = (reference: string, tail = ''): string => `${AT}/${encodeURIComponent(reference)}${tail}`
const create = (body: object): Promise<any> => vault().admin.ok('POST', AT, body)
const exported = (reference: string): Promise<any> => vault().admin.ok('POST', at(reference, '/export'))

test.each([
  ['blob', Buffer.from([0, 255, 10]).toString('base64')],
  ['password', 'corréct hörse 🐎'],
  ['seed', 'Ab01'],
])('a %s is stored and returned unchanged', async (dataType, material) => {
  const name = `a ${dataType}`
  const made = await create({ name, dataType, material, labels: { a: 'b' }, description: 'told' })
  expect(made).toMatchObject({ name, dataType, version: 0, state: 'Active', neverExported: true, labels: { a: 'b' } })
  expect(made.uri).toMatch(new RegExp(`:vault:secrets:${made.id}$`))
  for (const field of ['material', 'sealed', 'latest']) expect(made).not.toHaveProperty(field)
  const { admin, service } = vault()
  expect(await admin.ok('GET', at(name))).toEqual(made)
  const path = at(made.id as string, '/export')
  const answered = await service.call('POST', path, { token: await admin.token() })
  expect([answered.status, answered.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const shown = dataType === 'seed' ? material.toLowerCase() : material
  expect(answered.body).toEqual({ ...made, neverExported: false, material: shown })
  expect((await admin.ok('GET', at(name))).neverExported).toBe(false)
})

test('a secret has versions: an id means one, the name the latest', async () => {
  const { admin } = vault()
  const first = await create({ name: 'turned', dataType: 'password', material: 'one', meta: { shoe: 1 } })
  const next = await admin.ok('POST', at('turned', '/versions'), { material: 'two' })
  expect(next).toMatchObject({ name: 'turned', version: 1, dataType: 'password', meta: { shoe: 1 } })
  expect(next.id).not.toBe(first.id)
  expect((await exported('turned')).material).toBe('two')
  expect((await exported(first.id as string)).material).toBe('one')
  await admin.ok('POST', at(first.id as string, '/versions'), { material: 'three' }) // the latest version is replaced
  const { total, resources } = await admin.ok('GET', at('turned', '/versions'))
  expect([total, resources.map(({ version }: any) => version as number)]).toEqual([3, [0, 1, 2]])
  expect((await admin.ok('GET', `${AT}?name=turned`)).total).toBe(1)
  expectRefused(await admin.call('DELETE', at('turned', '?version=2')), 409, 8)
  expect(await admin.ok('DELETE', at('turned', '?version=1'))).toEqual({ status: 204 })
  expectRefused(await admin.call('DELETE', at('turned', '?version=1')), 404, 5)
  expect((await admin.ok('GET', at('turned', '/versions'))).total).toBe(2)
  await admin.ok('DELETE', at('turned'))
  for (const reference of ['turned', first.id as string]) expectRefused(await admin.call('GET', at(reference)), 404, 5)
  await create({ name: 'turned', dataType: 'password', material: 'anew' })
})

test('a destroyed version has no material and stays on record', async () => {
  const { admin } = vault()
  await create({ name: 'gone', dataType: 'seed', material: '00' })
  const destroyed = await admin.ok('POST', at('gone', '/destroy'))
  expect(destroyed).toMatchObject({ state: 'Destroyed', name: 'gone' })
  expect(destroyed.destroyDate).toBe(destroyed.updatedAt)
  for (const [verb, body] of [['export'], ['destroy'], ['versions', { material: '01' }]] as const)
    expectRefused(await admin.call('POST', at('gone', `/${verb}`), body), 409, 8)
  expect((await admin.ok('GET', `${AT}?state=Destroyed`)).resources).toEqual([destroyed])
  expect((await admin.ok('PATCH', at('gone'), { description: 'why' })).description).toBe('why')
})

test('particulars change, by revision; name, kind and material do not', async () => {
  const { admin } = vault()
  await create({ name: 'changed', dataType: 'password', material: 'p', labels: { a: 'b' }, meta: { n: 1 } })
  const change = { description: 'new', labels: { c: 'd' }, meta: null }
  const after = await admin.ok('PATCH', at('changed'), change, { 'if-match': '"1"' })
  expect(after).toMatchObject({ description: 'new', labels: { c: 'd' } })
  expect(after).not.toHaveProperty('meta')
  expectRefused(await admin.call('PATCH', at('changed'), change, { 'if-match': '"1"' }), 412, 8)
  for (const field of ['name', 'dataType', 'material'])
    expectRefused(await admin.call('PATCH', at('changed'), { [field]: 'seed' }), 400, 1, `#/${field}`)
  expect((await admin.ok('GET', `${AT}?labels=c%3Dd&dataType=password`)).total).toBe(1)
})

test.each([
  ['a blob that is not base64', { dataType: 'blob', material: 'é' }, '#/material'],
  ['a seed that is not hex', { dataType: 'seed', material: 'abc' }, '#/material'],
  ['no material', { dataType: 'seed' }, '#/material'],
  ['no kind', { material: 'x' }, '#/dataType'],
  ['an unknown kind', { dataType: 'song', material: 'x' }, '#/dataType'],
  ['too much', { dataType: 'password', material: 'é'.repeat(32_769) }, '#/material'],
  ['far too much', { dataType: 'blob', material: 'A'.repeat(90_001) }, '#/material'],
])('%s is refused', async (_what, body, field) => {
  const refused = await vault().admin.call('POST', AT, { name: 'refused', ...body })
  expectRefused(refused, 422, 2, field)
})

test('names are unique, and a new version is of the same kind', async () => {
  const { admin } = vault()
  await create({ name: 'one', dataType: 'seed', material: '00' })
  expectRefused(await admin.call('POST', AT, { name: 'one', dataType: 'seed', material: '00' }), 409, 7, '#/name')
  expectRefused(await admin.call('POST', at('one', '/versions'), { material: 'xyz' }), 422, 2, '#/material')
  await admin.create({ name: 'one' }) // names of keys are separate from names of secrets
})

test('owner and permissions work as for keys; another domain has its own', async () => {
  const { service, user } = vault()
  const { holder, sub } = await user('keeper', ['Key Users'])
  const own = await holder.ok('POST', AT, { name: 'own', dataType: 'password', material: 'mine' })
  expect(own.meta).toEqual({ ownerId: sub })
  await create({
    name: 'readable',
    dataType: 'password',
    material: 'r',
    meta: { permissions: { ReadKey: ['Key Users'] } },
  })
  const granted = { permissions: { ExportKey: ['Key Users'] } }
  await create({ name: 'granted', dataType: 'password', material: 'g', meta: granted })
  const names = (await holder.ok('GET', `${AT}?sort=name`)).resources.map(({ name }: any) => name as string)
  expect(names).toEqual(['granted', 'own', 'readable'])
  expect((await holder.ok('POST', at('granted', '/export'))).material).toBe('g')
  expectRefused(await holder.call('POST', at('readable', '/export')), 403, 4)
  for (const [method, tail, body] of [
    ['PATCH', '', { description: 'no' }],
    ['POST', '/versions', { material: 'x' }],
    ['POST', '/destroy', undefined],
    ['DELETE', '', undefined],
  ] as const)
    expectRefused(await holder.call(method, at('granted', tail), body), 403, 4)
  expectRefused(await holder.call('PATCH', at('own'), { meta: { ownerId: 'x' } }), 403, 4, '#/meta/ownerId')
  expectRefused(await holder.call('GET', at('one')), 404, 5)
  const { logIn, childId } = await childAdmin(service)
  const child = new Holder(service, logIn)
  for (const reference of ['own', own.id as string]) expectRefused(await child.call('GET', at(reference)), 404, 5)
  await child.ok('POST', AT, { name: 'of the child', dataType: 'seed', material: '00' })
  const { root } = service
  const refused = await root.call('DELETE', `/v1/domains/${childId}`, { token: await root.logIn() })
  expectRefused(refused, 409, 9)
  expect(refused.body.detail).toContain('secret')
})

test('every change and export is on record, without material', async () => {
  const { admin, records } = vault()
  const { uri } = await create({ name: 'told', dataType: 'password', material: 'never-told' })
  await exported('told')
  await admin.ok('POST', at('told', '/destroy'))
  await admin.ok('DELETE', at('told'))
  const told = await records('resource_uri=' + encodeURIComponent(uri as string))
  expect(told.map(({ message }) => message as string)).toEqual([
    'Create Secret',
    'Export Secret',
    'Destroy Secret',
    'Delete Secret',
  ])
  expect(JSON.stringify(told)).not.toContain('never-told')
})
