import { createPrivateKey, createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { DAY, expectRefused, pathOf, useVault } from './vault.ts'

const vault = useVault()

const exported = async (name: string): Promise<string> => (await vault().admin.act(name, 'export', {})).material

test('a clone has the material of its source, its state and uses, and an identity of its own', async () => {
  const { admin, at } = vault()
  const source = await admin.create({
    name: 'source',
    size: 192,
    usageMask: 4 + 8 + 64,
    description: 'told',
    labels: { a: 'b' },
    aliases: [{ alias: 'known as' }],
    undeletable: true,
    keyId: 'of the source',
    deactivationDate: at(DAY),
    meta: { shoe: 1, ownerId: 'somebody', permissions: { ReadKey: ['Key Users'] } },
  })
  const made = await admin.call('POST', pathOf('source', '/clone'), { newKeyName: 'clone' })
  expect(made.status).toBe(201)
  const clone = made.body
  expect(clone).toMatchObject({
    name: 'clone',
    version: 0,
    algorithm: 'aes',
    size: 192,
    usageMask: 76,
    state: 'Active',
    description: 'told',
    labels: { a: 'b' },
    aliases: [],
    links: [],
    undeletable: false,
    neverExported: true,
    neverExportable: false,
    deactivationDate: source.deactivationDate,
    keyCheckValue: source.keyCheckValue,
    meta: { shoe: 1 },
  })
  expect(clone.meta).not.toHaveProperty('permissions')
  expect(clone).not.toHaveProperty('keyId')
  expect(clone).not.toHaveProperty('material')
  for (const field of ['id', 'uuid', 'muid', 'uri']) expect(clone[field], field).not.toBe(source[field])
  expect(await admin.get('clone')).toEqual(clone)
  expect(await exported('clone')).toBe(await exported('source'))
  const records = await vault().records('message=Clone%20Key')
  expect(records.map(({ details, success }) => [details.resource_name, success])).toEqual(
    expect.arrayContaining([
      ['source', true],
      ['clone', true],
    ]),
  )
  expect(records).toHaveLength(2)
  expect(records.find(({ details }) => details.resource_name === 'source').details.after.cloned_to).toBe(clone.uri)
})

test('a pair is cloned with both halves, or the public half alone', async () => {
  const { admin } = vault()
  await admin.create({ name: 'pair', algorithm: 'ec' })
  const clone = await admin.act('pair', 'clone', { newKeyName: 'pair clone', includeMaterial: true })
  expect(clone.material).toBe(await exported('pair'))
  const half = await admin.get('pair clone_public')
  expect(clone.links).toEqual([{ type: 'publicKey', target: half.id }])
  expect(half.links).toEqual([{ type: 'privateKey', target: clone.id }])
  const spki = createPublicKey(createPrivateKey(await exported('pair'))).export({ format: 'pem', type: 'spki' })
  expect(await exported('pair clone_public')).toBe(spki)
  const alone = await admin.act('pair_public', 'clone', { newKeyName: 'alone', meta: { own: true } })
  expect(alone).toMatchObject({ objectType: 'Public Key', links: [], meta: { own: true } })
})

test('a clone gets a keyId of its own when one is wanted', async () => {
  const { admin } = vault()
  const { id } = await admin.create({ name: 'with id', keyId: 'of the source' })
  const { keyId } = await admin.act(id as string, 'clone', { newKeyName: 'with its own', idSize: 8 })
  expect(keyId).toMatch(/^[0-9a-f]{16}$/)
})

test('material in the answer was exported, of source and clone', async () => {
  const { admin } = vault()
  await admin.create({ name: 'kept' })
  expect((await admin.act('kept', 'clone', { newKeyName: 'kept too' })).neverExported).toBe(true)
  expect((await admin.get('kept')).neverExported).toBe(true)
  const { material, neverExported } = await admin.act('kept', 'clone', { newKeyName: 'shown', includeMaterial: true })
  expect(neverExported).toBe(false)
  expect((await admin.get('kept')).neverExported).toBe(false)
  expect(await exported('kept')).toBe(material)
  expect((await admin.act('kept', 'clone', { newKeyName: 'late' })).neverExported).toBe(false)
})

test('a former version is cloned by its number, a revoked key in its state', async () => {
  const { admin } = vault()
  await admin.create({ name: 'turned' })
  const first = await exported('turned')
  await admin.act('turned', 'versions', {})
  await admin.act('turned', 'revoke', { reason: 'KeyCompromise' })
  await admin.act('turned', 'clone', { newKeyName: 'of the first' }, '?version=0')
  expect(await exported('of the first')).toBe(first)
  const { state, revocationReason } = await admin.act('turned', 'clone', { newKeyName: 'of the last' })
  expect([state, revocationReason]).toEqual(['Compromised', 'KeyCompromise'])
})

test('a clone is refused where an export would be', async () => {
  const { admin, user } = vault()
  const clone = (name: string, body: object = { newKeyName: `${name} too` }) => admin.tryAct(name, 'clone', body)
  await admin.create({ name: 'here', unexportable: true })
  await admin.create({ name: 'no export', usageMask: 4 })
  await admin.create({ name: 'empty', emptyMaterial: true })
  await admin.create({ name: 'put away' })
  await admin.act('put away', 'archive')
  for (const name of ['here', 'no export']) expectRefused(await clone(name), 403, 11)
  for (const name of ['empty', 'put away']) expectRefused(await clone(name), 409, 8)
  expectRefused(await clone('none'), 404, 5)
  await admin.create({ name: 'plain' })
  expectRefused(await clone('plain', { newKeyName: 'here' }), 409, 7, '#/newKeyName')
  expectRefused(await clone('plain', {}), 422, 2, '#/newKeyName')
  expectRefused(await clone('plain', { newKeyName: 'a', idSize: 7 }), 422, 2, '#/idSize')
  await admin.create({ name: 'long', algorithm: 'ec' })
  expectRefused(await clone('long', { newKeyName: 'x'.repeat(250) }), 422, 2, '#/newKeyName')

  const { holder, sub } = await user('cloner', ['Key Users'])
  await admin.create({ name: 'seen', meta: { permissions: { UseKey: ['Key Users'] } } })
  expectRefused(await holder.tryAct('seen', 'clone', { newKeyName: 'mine' }), 403, 4)
  expectRefused(await holder.tryAct('plain', 'clone', { newKeyName: 'mine' }), 404, 5)
  await admin.create({ name: 'given', meta: { ownerId: 'somebody', permissions: { ExportKey: ['Key Users'] } } })
  const other = { newKeyName: 'mine', meta: { ownerId: 'somebody' } }
  expectRefused(await holder.tryAct('given', 'clone', other), 403, 4, '#/meta/ownerId')
  const mine = await holder.act('given', 'clone', { newKeyName: 'mine' })
  expect(mine.meta).toEqual({ ownerId: sub })
})

const BULK = '/v1/vault/keys-bulk-export'

test('many keys are exported in one call; a refused one does not stop the others', async () => {
  const { admin, user, records } = vault()
  const first = await admin.create({ name: 'bulk 1' })
  await admin.create({ name: 'bulk 2', algorithm: 'ec' })
  await admin.create({ name: 'bulk here', unexportable: true })
  await admin.create({ name: 'bulk kek' })
  const ids = [first.id, 'none', 'bulk 2', 'bulk here', 'bulk 2_public']
  const answered = await admin.call('POST', BULK, { ids })
  expect(answered.status).toBe(200)
  expect(answered.headers.get('cache-control')).toBe('no-store')
  const [one, none, two, here, half] = answered.body
  expect(one).toEqual({ ...(await admin.get('bulk 1')), material: await exported('bulk 1') })
  expect(one.neverExported).toBe(false)
  expect([two.material, half.material]).toEqual([await exported('bulk 2'), await exported('bulk 2_public')])
  expect(none).toMatchObject({ id: 'none', error: { status: 404, code: 5 } })
  expect(here).toMatchObject({ id: 'bulk here', error: { status: 403, code: 11 } })
  expect(JSON.stringify(here)).not.toContain('material')

  const told = (await records('message=Export%20Key')).filter(({ details }) =>
    /^part of/.test(details.action as string),
  )
  expect(told.map(({ details, success }) => [details.resource_name, success]).sort()).toEqual([
    ['bulk 1', true],
    ['bulk 2', true],
    ['bulk 2_public', true],
    ['bulk here', false],
    ['none', false],
  ])
  expect(await records('message=Bulk%20Export%20Keys')).toMatchObject([{ success: true }])

  const wrapped = await admin.ok('POST', BULK, { ids: ['bulk 1'], wrapKeyName: 'bulk kek', encoding: 'hex' })
  expect(wrapped).toMatchObject([{ name: 'bulk 1', encoding: 'hex' }])
  const { holder } = await user('bulk user', ['Key Users'])
  expect(await holder.ok('POST', BULK, { ids: ['bulk 1'] })).toMatchObject([{ error: { status: 404 } }])
})

test.each([
  ['no keys', { ids: [] }, '#/ids'],
  ['no ids', {}, '#/ids'],
  ['a key twice', { ids: ['a', 'a'] }, '#/ids'],
  ['too many', { ids: Array.from({ length: 101 }, (_, at) => `k${at}`) }, '#/ids'],
  ['two ways to wrap', { ids: ['a'], wrapKeyName: 'k', wrapPublicKey: 'p' }, '#/wrapPublicKey'],
])('a bulk export of %s is refused', async (_what, body, field) => {
  expectRefused(await vault().admin.call('POST', BULK, body), 422, 2, field)
})

test('keys that exceed the answer are reported, and not exported', async () => {
  const { admin } = vault()
  const text = 'é'.repeat(120)
  const filled = (at: number) => ({
    name: `large ${at}`,
    meta: { text: 'x'.repeat(16_000) },
    labels: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`label ${n}`, text])),
    aliases: Array.from({ length: 20 }, (_, n) => ({ alias: `${text} ${at} ${n}` })),
  })
  const ids = await Promise.all(
    Array.from({ length: 96 }, async (_, at) => (await admin.create(filled(at))).id as string),
  )
  const members = await admin.ok('POST', BULK, { ids })
  const left = members.filter(({ error }: any) => error !== undefined)
  expect(left.length).toBeGreaterThan(0)
  expect(left.length).toBeLessThan(48)
  for (const { id, error } of left) {
    expect(error).toMatchObject({ status: 413, code: 13 })
    expect((await admin.get(id as string)).neverExported).toBe(true)
  }
})
