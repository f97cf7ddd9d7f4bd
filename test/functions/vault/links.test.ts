import { beforeAll, expect, test } from 'vitest'
import { expectRefused, pathOf, useVault } from './vault.ts'

const vault = useVault()
const AT = '/v1/vault/links'
const NOBODY = '01890000-0000-7000-8000-00000000ffff'
const made: Record<string, any> = {}

beforeAll(async () => {
  const { admin } = vault()
  for (const name of ['parent', 'child', 'other']) made[name] = await admin.create({ name })
  made.pair = await admin.create({ name: 'pair', algorithm: 'ec' })
  made.owned = await admin.create({ name: 'owned', meta: { permissions: { ReadKey: ['Key Users'] } } })
})

const link = (body: object): Promise<any> => vault().admin.ok('POST', AT, body)

test('a link is shown in the record of its source, beside those of a pair', async () => {
  const { admin, records } = vault()
  const one = await link({ type: 'child', source: 'parent', target: 'child' })
  expect(one).toMatchObject({ type: 'child', source: made.parent.id, target: made.child.id })
  expect(one.uri).toMatch(new RegExp(`:vault:links:${one.id}$`))
  expect((await admin.get('parent')).links).toEqual([{ type: 'child', target: made.child.id, id: one.id }])
  expect((await admin.get('child')).links).toEqual([])
  const two = await link({ type: 'previous', source: 'pair', target: made.other.id })
  expect((await admin.get('pair')).links).toEqual([
    ...made.pair.links,
    { type: 'previous', target: made.other.id, id: two.id },
  ])
  expect(await admin.names('?linkType=child')).toEqual(['parent'])
  const changed = await admin.ok('PATCH', `${AT}/${two.id}`, { type: 'next' }, { 'if-match': '"1"' })
  expect(changed).toMatchObject({ id: two.id, type: 'next' })
  expect((await admin.get('pair')).links[1].type).toBe('next')
  expect(await admin.ok('DELETE', `${AT}/${two.id}`)).toEqual({ status: 204 })
  expect((await admin.get('pair')).links).toEqual(made.pair.links)
  expectRefused(await admin.call('GET', `${AT}/${two.id}`), 404, 5)
  const told = await records('resource_uri=' + encodeURIComponent(two.uri as string))
  expect(told.map(({ message }) => message as string)).toEqual([
    'Create Key Link',
    'Update Key Link',
    'Delete Key Link',
  ])
  await admin.ok('DELETE', `${AT}/${one.id}`)
})

test('a key with links to or from it is deleted only after them', async () => {
  const { admin } = vault()
  for (const name of ['from', 'to']) await admin.create({ name, algorithm: 'ec' })
  const { id } = await link({ type: 'next', source: 'from', target: 'to' })
  for (const name of ['from', 'to', 'from?version=0']) {
    const refused = await admin.call('DELETE', `/v1/vault/keys2/${name}`)
    expectRefused(refused, 409, 9)
    expect(refused.body.detail).toContain('has 1 link: delete every link first')
  }
  const half = await link({ type: 'publicKey', source: 'to', target: 'from_public' })
  expectRefused(await admin.call('DELETE', pathOf('from')), 409, 9)
  await admin.ok('DELETE', `${AT}/${id}`)
  expectRefused(await admin.call('DELETE', pathOf('from')), 409, 9)
  await admin.ok('DELETE', `${AT}/${half.id}`)
  for (const name of ['from', 'to']) await admin.remove(name)
})

test('a new version has only the links between the halves of its pair', async () => {
  const { admin } = vault()
  await admin.create({ name: 'turning', algorithm: 'ec' })
  const { id, source } = await link({ type: 'parent', source: 'turning', target: 'other' })
  expect((await admin.act('turning', 'versions', {})).links).toHaveLength(1)
  expect((await admin.get(source as string)).links).toHaveLength(2)
  await admin.act('turning', 'versions', {}) // the other key of the pair is still found
  await admin.ok('DELETE', `${AT}/${id}`)
})

test.each([
  ['itself', { type: 'next', source: 'parent', target: 'parent' }, 422, '#/target'],
  ['a key that is none', { type: 'next', source: 'parent', target: 'none' }, 404, '#/target'],
  ['from a key that is none', { type: 'next', source: 'none', target: 'parent' }, 404, '#/source'],
  ['a public key that is none', { type: 'publicKey', source: 'parent', target: 'child' }, 422, '#/target'],
  ['an unknown type', { type: 'cousin', source: 'parent', target: 'child' }, 422, '#/type'],
])('a link to %s is refused', async (_what, body, status, at) => {
  expectRefused(await vault().admin.call('POST', AT, body), status, status === 404 ? 5 : 2, at)
})

test('two keys have at most one link of a type', async () => {
  const { admin } = vault()
  const one = await link({ type: 'next', source: 'parent', target: 'child' })
  expectRefused(await admin.call('POST', AT, { type: 'next', source: 'parent', target: 'child' }), 409, 7, '#/type')
  const other = await link({ type: 'child', source: 'parent', target: 'child' })
  expectRefused(await admin.call('PATCH', `${AT}/${other.id}`, { type: 'next' }), 409, 7, '#/type')
  expectRefused(await admin.call('PATCH', `${AT}/${other.id}`, { type: 'publicKey' }), 422, 2, '#/type')
  const { total, resources } = await admin.ok('GET', `${AT}?source=${made.parent.id}&type=child`)
  expect([total, resources]).toEqual([1, [other]])
  for (const { id } of [one, other]) await admin.ok('DELETE', `${AT}/${id}`)
})

test('Key Users see the links of keys that they may read, and write none', async () => {
  const { admin, user } = vault()
  const { holder } = await user('linker', ['Key Users'])
  const seen = await link({ type: 'next', source: 'owned', target: 'other' })
  const hidden = await link({ type: 'next', source: 'other', target: 'owned' })
  expect(await holder.ok('GET', AT)).toMatchObject({ total: 1, resources: [seen] })
  expect(await holder.ok('GET', `${AT}/${seen.id}`)).toEqual(seen)
  for (const id of [hidden.id, NOBODY]) expectRefused(await holder.call('GET', `${AT}/${id}`), 404, 5)
  expectRefused(await holder.call('POST', AT, { type: 'next', source: 'owned', target: 'other' }), 403, 4)
  expectRefused(await holder.call('DELETE', `${AT}/${seen.id}`), 403, 4)
  expect((await admin.ok('GET', AT)).total).toBe(2)
})
