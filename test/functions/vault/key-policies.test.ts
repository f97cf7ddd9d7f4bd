import { afterEach, expect, test } from 'vitest'
import { expectRefused, KEYS, pathOf, useVault } from './vault.ts'

const vault = useVault()
const AT = '/v1/vault/key-policies'
const made: string[] = []

const policy = async (body: object): Promise<any> => {
  const record = await vault().admin.ok('POST', AT, body)
  made.push(record.id as string)
  return record
}

afterEach(async () => {
  for (const id of made.splice(0)) await vault().admin.call('DELETE', `${AT}/${id}`)
})

const create = (body: object) => vault().admin.call('POST', KEYS, body)

test('an enabled policy applies to every new key: its algorithm, size, curve and uses', async () => {
  const { admin } = vault()
  const { id, uri } = await policy({
    name: 'strict',
    algorithms: ['AES', 'ec'],
    sizes: [256, 384],
    curveids: ['prime256v1', 'secp384r1'],
    usageMask: 127,
  })
  expect(uri).toMatch(new RegExp(`:vault:key-policies:${id}$`))
  await admin.create({ algorithm: 'aes' })
  await admin.create({ algorithm: 'ec', curveid: 'secp384r1' })
  expectRefused(await create({ algorithm: 'rsa' }), 422, 2, '#/algorithm')
  expectRefused(await create({ size: 128 }), 422, 2, '#/size')
  expectRefused(await create({ algorithm: 'ec', curveid: 'secp521r1' }), 422, 2, '#/curveid')
  expectRefused(await create({ usageMask: 4 + 128 }), 422, 2, '#/usageMask')
  const refused = await create({ material: '00'.repeat(16) })
  expectRefused(refused, 422, 2, '#/size')
  expect(JSON.stringify(refused.body.errors)).toContain('strict')
  await admin.ok('PATCH', `${AT}/${id}`, { enabled: false })
  await admin.create({ algorithm: 'rsa' })
})

test('it applies to new versions, clones and changed uses; existing keys stay', async () => {
  const { admin } = vault()
  await admin.create({ name: 'before', size: 128 })
  await policy({ name: 'large', algorithms: ['aes'], sizes: [256], usageMask: 124 })
  await admin.create({ name: 'after' })
  expectRefused(await admin.tryAct('before', 'versions', {}), 422, 2, '#/size')
  expectRefused(await admin.tryAct('before', 'clone', { newKeyName: 'copy' }), 422, 2, '#/size')
  expectRefused(await admin.tryAct('after', 'versions', { usageMask: 128 }), 422, 2, '#/usageMask')
  expectRefused(await admin.call('PATCH', pathOf('after'), { usageMask: 1 }), 422, 2, '#/usageMask')
  expect((await admin.update('before', { description: 'as ever' })).size).toBe(128)
  expect((await admin.act('after', 'versions', {})).version).toBe(1)
  expect((await admin.update('after', { usageMask: 4 })).usageMask).toBe(4)
})

test('of several enabled policies, one has to allow the key', async () => {
  const { admin } = vault()
  await policy({ name: 'symmetric', algorithms: ['aes'], sizes: [256] })
  await policy({ name: 'signing', algorithms: ['rsa'], sizes: [3072, 4096] })
  await policy({ name: 'asleep', enabled: false })
  await admin.create()
  await admin.create({ algorithm: 'rsa', size: 3072 })
  const refused = await create({ algorithm: 'rsa', size: 2048 })
  expectRefused(refused, 422, 2, '#/algorithm', '#/size')
  expectRefused(await create({ algorithm: 'ec' }), 422, 2, '#/algorithm')
})

test('defaults apply where neither body nor template has a value', async () => {
  const { admin } = vault()
  await policy({ name: 'own', defaults: { algorithm: 'rsa', size: 3072, usageMask: 3, unexportable: true } })
  await policy({ name: 'for aes', algorithms: ['aes'], defaults: { size: 192, rotationFrequencyDays: 30 } })
  expect(await admin.create()).toMatchObject({ algorithm: 'rsa', size: 3072, usageMask: 3, unexportable: true })
  expect(await admin.create({ algorithm: 'rsa', size: 2048, unexportable: false })).toMatchObject({
    size: 2048,
    unexportable: false,
    usageMask: 3,
  })
  expect(await admin.create({ algorithm: 'AES' })).toMatchObject({ size: 192, rotationFrequencyDays: 30 })
  expect(await admin.create({ algorithm: 'aes', material: '00'.repeat(16) })).toMatchObject({
    size: 128,
    rotationFrequencyDays: 30,
  })
  expect(await admin.create({ algorithm: 'ec' })).toMatchObject({ curveid: 'prime256v1', usageMask: 67 })
  const { id } = await admin.ok('POST', '/v1/vault/templates', { name: 'hmac', algorithm: 'hmac-sha256', size: 192 })
  expect(await admin.create({ templateId: id })).toMatchObject({ algorithm: 'hmac-sha256', size: 192 })
})

test.each([
  ['an unknown algorithm', { algorithms: ['aes', 'blowfish'] }, '#/algorithms/1'],
  ['an unknown curve', { curveids: ['p-1'] }, '#/curveids/0'],
  ['no size', { sizes: [] }, '#/sizes'],
  ['a default it does not allow', { algorithms: ['aes'], defaults: { algorithm: 'rsa' } }, '#/defaults/algorithm'],
  ['default uses it does not allow', { usageMask: 3, defaults: { usageMask: 4 } }, '#/defaults/usageMask'],
  ['a default size that no key has', { defaults: { size: 100 } }, '#/defaults/size'],
])('a policy with %s is refused, at save and at change', async (_what, fields, at) => {
  const { admin } = vault()
  expectRefused(await admin.call('POST', AT, { name: 'refused', ...fields }), 422, 2, at)
  const { id } = await policy({ name: 'to change', enabled: false })
  expectRefused(await admin.call('PATCH', `${AT}/${id}`, fields), 422, 2, at)
})

test('Key Admins write policies, Key Users read them; each change is on record', async () => {
  const { admin, user, records } = vault()
  const kim = (await user('kim', ['Key Admins'])).holder
  const ann = (await user('ann', ['Key Users'])).holder
  const { id, uri } = await kim.ok('POST', AT, { name: 'kept', enabled: false, sizes: [256] })
  made.push(id as string)
  expect((await ann.ok('GET', `${AT}?name=k*`)).resources).toEqual([await ann.ok('GET', `${AT}/${id}`)])
  expectRefused(await ann.call('POST', AT, { name: 'own' }), 403, 4)
  expectRefused(await ann.call('DELETE', `${AT}/${id}`), 403, 4)
  expectRefused(await kim.call('POST', AT, { name: 'kept' }), 409, 7, '#/name')
  expectRefused(await kim.call('PATCH', `${AT}/${id}`, { sizes: [1] }, { 'if-match': '"4"' }), 412, 8)
  expect(await kim.ok('PATCH', `${AT}/${id}`, { sizes: null })).not.toHaveProperty('sizes')
  await kim.ok('DELETE', `${AT}/${id}`)
  const told = await records('resource_uri=' + encodeURIComponent(uri as string))
  expect(told.filter(({ success }) => success as boolean).map(({ details }) => details.after)).toEqual([
    expect.objectContaining({ name: 'kept', sizes: [256] }),
    {},
    {},
  ])
  expect((await admin.ok('GET', AT)).total).toBe(0)
})
