import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { expectRefused, Holder, KEYS, useVault } from './vault.ts'

const vault = useVault()
const AT = '/v1/vault/templates'
const NOBODY = '01890000-0000-7000-8000-00000000ffff'
let rsa: any

beforeAll(async () => {
  rsa = await vault().admin.ok('POST', AT, {
    name: 'signing',
    algorithm: 'RSA',
    size: 3072,
    usageMask: 3,
    unexportable: true,
    labels: { use: 'signing' },
    meta: { team: 'blue' },
    description: 'signs',
  })
})

test('a template supplies the values that a body omits', async () => {
  const { admin } = vault()
  expect(rsa.uri).toMatch(new RegExp(`:vault:templates:${rsa.id}$`))
  const made = await admin.create({ name: 'by id', templateId: rsa.id, size: 1024 + 1024 })
  expect(made).toMatchObject({
    name: 'by id',
    algorithm: 'rsa',
    size: 2048,
    usageMask: 3,
    unexportable: true,
    labels: { use: 'signing' },
    meta: { team: 'blue' },
    description: 'signs',
  })
  expect(made).not.toHaveProperty('templateId')
  await admin.ok('POST', AT, { name: 'curves', algorithm: 'ec', curveid: 'secp384r1' })
  const other = { templateId: 'curves', curveid: 'secp521r1', labels: { a: 'b' }, unexportable: false }
  expect(await admin.create(other)).toMatchObject({ curveid: 'secp521r1', labels: { a: 'b' }, unexportable: false })
})

test('a template may demand a random keyId, unless the body has or refuses one', async () => {
  const { admin } = vault()
  await admin.ok('POST', AT, { name: 'known', generateKeyId: true, idSize: 20 })
  const [one, other] = [await admin.create({ templateId: 'known' }), await admin.create({ templateId: 'known' })]
  for (const { keyId } of [one, other]) expect(keyId).toMatch(/^[0-9a-f]{40}$/)
  expect(one.keyId).not.toBe(other.keyId)
  expect((await admin.create({ templateId: 'known', idSize: 8 })).keyId).toHaveLength(16)
  expect((await admin.create({ templateId: 'known', keyId: 'mine' })).keyId).toBe('mine')
  expect(await admin.create({ templateId: 'known', generateKeyId: false })).not.toHaveProperty('keyId')
  expectRefused(await admin.call('POST', KEYS, { templateId: 'signing', idSize: 8 }), 422, 2, '#/idSize')
})

test('a template applies only at creation: later changes do not affect its keys', async () => {
  const { admin } = vault()
  const made = await admin.ok('POST', AT, { name: 'changing', size: 128 })
  const key = await admin.create({ templateId: 'changing' })
  const changed = await admin.ok('PATCH', `${AT}/${made.id}`, { name: 'changed', size: null, description: 'new' })
  expect(changed).toMatchObject({ name: 'changed', description: 'new', id: made.id })
  expect(changed).not.toHaveProperty('size')
  expect((await admin.get(key.id as string)).size).toBe(128)
  expect((await admin.create({ templateId: 'changed' })).size).toBe(256)
  expect(await admin.ok('DELETE', `${AT}/${made.id}`)).toEqual({ status: 204 })
  expectRefused(await admin.call('POST', KEYS, { templateId: 'changed' }), 404, 5, '#/templateId')
  const records = await vault().records('resource_uri=' + encodeURIComponent(made.uri as string))
  expect(records.map(({ message }) => message as string)).toEqual([
    'Create Key Template',
    'Update Key Template',
    'Delete Key Template',
  ])
})

test.each([
  ['a size its algorithm does not have', { size: 100 }, 422, '#/size'],
  ['a curve for the default algorithm', { curveid: 'secp384r1' }, 422, '#/curveid'],
  ['an unknown algorithm', { algorithm: 'blowfish' }, 422, '#/algorithm'],
  ['a state that only imports have', { state: 'Compromised' }, 422, '#/state'],
  ['the size of an id that it does not have made', { idSize: 16 }, 422, '#/idSize'],
  ['an owner', { meta: { ownerId: 'x' } }, 422, '#/meta/ownerId'],
  ['material', { material: '00' }, 400, '#/material'],
  ['aliases', { aliases: [] }, 400, '#/aliases'],
])('a template with %s is refused, at save and at change', async (_what, fields, status, at) => {
  const { admin } = vault()
  const code = status === 400 ? 1 : 2
  expectRefused(await admin.call('POST', AT, { name: 'refused', ...fields }), status, code, at)
  const { id } = await admin.ok('POST', AT, { name: `for ${at} ${Object.values(fields).join()}` })
  expectRefused(await admin.call('PATCH', `${AT}/${id}`, fields), status, code, at)
})

test('body and template must not contradict each other', async () => {
  const { admin } = vault()
  expectRefused(await admin.call('POST', KEYS, { templateId: 'signing', size: 100 }), 422, 2, '#/size')
  expectRefused(await admin.call('POST', KEYS, { templateId: 'signing', algorithm: 'aes' }), 422, 2, '#/size')
  expectRefused(await admin.call('POST', KEYS, { templateId: 'none' }), 404, 5, '#/templateId')
})

test('templates are listed, found by name, kept unique and changed by revision', async () => {
  const { admin } = vault()
  const { total, resources } = await admin.ok('GET', `${AT}?name=sign*`)
  expect([total, resources]).toEqual([1, [rsa]])
  expect(await admin.ok('GET', `${AT}/${rsa.id}`)).toEqual(rsa)
  expectRefused(await admin.call('POST', AT, { name: 'signing' }), 409, 7, '#/name')
  expectRefused(await admin.call('GET', `${AT}/${NOBODY}`), 404, 5)
  const change = { description: 'no' }
  expectRefused(await admin.call('PATCH', `${AT}/${rsa.id}`, change, { 'if-match': '"7"' }), 412, 8)
  const right = await admin.call('PATCH', `${AT}/${rsa.id}`, {}, { 'if-match': '"1"' })
  expect([right.status, right.headers.get('etag')]).toEqual([200, '"2"'])
})

test('Key Users read templates and create keys from them; another domain has its own', async () => {
  const { service, user } = vault()
  const { holder, sub } = await user('maker', ['Key Users'])
  expect((await holder.ok('GET', `${AT}/${rsa.id}`)).name).toBe('signing')
  expectRefused(await holder.call('POST', AT, { name: 'own' }), 403, 4)
  expect((await holder.create({ templateId: 'signing' })).meta).toEqual({ team: 'blue', ownerId: sub })
  const child = new Holder(service, (await childAdmin(service)).logIn)
  expect((await child.ok('GET', AT)).total).toBe(0)
  expectRefused(await child.call('GET', `${AT}/${rsa.id}`), 404, 5)
  expectRefused(await child.call('POST', KEYS, { templateId: rsa.id }), 404, 5, '#/templateId')
})
