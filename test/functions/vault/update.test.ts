import { expect, test } from 'vitest'
import { DAY, expectRefused, HOUR, KEYS, pathOf, useVault } from './vault.ts'

const vault = useVault()
const material = '00'.repeat(32)
const patch = (reference: string, body: unknown, headers?: Record<string, string>) =>
  vault().admin.call('PATCH', pathOf(reference), body, headers)

test('only given fields change, and every change updates updatedAt and ETag', async () => {
  const { admin, advance } = vault()
  const made = await admin.create({ name: 'plain', labels: { a: 'b' }, meta: { x: 1 }, aliases: [{ alias: 'p' }] })
  let etag = (await admin.call('GET', pathOf('plain'))).headers.get('etag')
  let shown = made
  for (const change of [
    { rotationFrequencyDays: 30 },
    { description: 'words' },
    { defaultIV: '00112233445566778899aabbccddeeff' },
    { keyId: 'k' },
    { muid: 'm' },
    { usageMask: 4_194_303 },
    { undeletable: true },
    { undeletable: false },
    { unexportable: true },
  ]) {
    advance(1)
    const { status, body, headers } = await patch('plain', change)
    expect(status, JSON.stringify(body)).toBe(200)
    const computed = { usage: body.usage, updatedAt: body.updatedAt }
    const reached = 'rotationFrequencyDays' in body && { rotationDateReached: false }
    expect(body).toEqual({ ...shown, ...change, ...computed, ...reached })
    expect(body.updatedAt > shown.updatedAt).toBe(true)
    expect(headers.get('etag')).not.toBe(etag)
    etag = headers.get('etag')
    const got = await admin.call('GET', pathOf('plain'))
    expect([got.body, got.headers.get('etag')]).toEqual([body, etag])
    shown = body
  }
  expect(shown.usage).toBe('encryption/signing/mac/wrap/fpe')
})

test('null clears optional fields', async () => {
  const { admin, at } = vault()
  const dates = { processStartDate: at(HOUR), protectStopDate: at(DAY), deactivationDate: at(2 * DAY) }
  const words = { rotationFrequencyDays: 1, description: 'd', defaultIV: '00'.repeat(8), keyId: 'k' }
  await admin.create({ name: 'cleared', ...dates, ...words, destroyDate: at(3 * DAY), meta: { a: 1, b: 2 } })
  const fields = [...Object.keys(dates), ...Object.keys(words), 'destroyDate']
  for (const field of fields) expect(await admin.update('cleared', { [field]: null })).not.toHaveProperty(field)
  expect((await admin.update('cleared', { meta: { a: null } })).meta).toEqual({ b: 2 })
  expect((await admin.update('cleared', { meta: null })).meta).toEqual({})
  await admin.create({ name: 'someday', activationDate: at(DAY) })
  expect(await admin.update('someday', { activationDate: null })).not.toHaveProperty('activationDate')
  expect((await admin.get('someday')).state).toBe('Pre-Active')
})

test('labels are merged, null removes one', async () => {
  const { admin } = vault()
  await admin.create({ name: 'labelled', labels: { a: '1', b: '2' } })
  expect((await admin.update('labelled', { labels: { b: '3', c: '' } })).labels).toEqual({ a: '1', b: '3', c: '' })
  expect((await admin.update('labelled', { labels: { a: null, z: null } })).labels).toEqual({ b: '3', c: '' })
  const many = Object.fromEntries(Array.from({ length: 48 }, (_, at) => [`l${at}`, 'x']))
  expect(Object.keys((await admin.update('labelled', { labels: many })).labels as object)).toHaveLength(50)
  expectRefused(await patch('labelled', { labels: { more: 'x' } }), 422, 2, '#/labels')
  await admin.update('labelled', { labels: { more: 'x', b: null } })
})

test('meta is replaced per top-level key, permissions whole', async () => {
  const { admin } = vault()
  const permissions = { ReadKey: ['Key Users'], UseKey: ['Key Admins'] }
  await admin.create({ name: 'meta', meta: { free: { a: 1, b: 2 }, permissions } })
  expect((await admin.update('meta', { meta: { free: { c: 3 }, more: [1] } })).meta).toEqual({
    free: { c: 3 },
    more: [1],
    permissions,
  })
  const narrowed = { permissions: { UseKey: ['Key Users'] } }
  expect((await admin.update('meta', { meta: narrowed })).meta.permissions).toEqual({ UseKey: ['Key Users'] })
  expect((await admin.update('meta', { meta: { permissions: null } })).meta).not.toHaveProperty('permissions')
  expectRefused(await patch('meta', { meta: { permissions: 'all' } }), 400, 1, '#/meta/permissions')
  expectRefused(await patch('meta', { meta: { permissions: { SellKey: ['x'] } } }), 400, 1)
  expectRefused(await patch('meta', { meta: { ownerId: 7 } }), 400, 1, '#/meta/ownerId')
  await admin.update('meta', { meta: { half: 'x'.repeat(9_000) } })
  expectRefused(await patch('meta', { meta: { other: 'x'.repeat(9_000) } }), 422, 2, '#/meta')
  expect((await admin.get('meta')).meta.free).toEqual({ c: 3 })
})

test('aliases are added, changed and removed by a delta, and a taken one is pointed at', async () => {
  const { admin } = vault()
  await admin.create({ name: 'aliased', aliases: [{ alias: 'one' }] })
  await admin.create({ name: 'neighbour', aliases: [{ alias: 'next door' }] })
  const aliases = async (...changes: object[]) => (await admin.update('aliased', { aliases: changes })).aliases
  expect(await aliases({ alias: 'two' }, { alias: 'urn:three', type: 'uri' })).toEqual([
    { alias: 'one', type: 'string', index: 0 },
    { alias: 'two', type: 'string', index: 1 },
    { alias: 'urn:three', type: 'uri', index: 2 },
  ])
  expect(await aliases({ alias: 'zwei', index: 1 }, { index: 0 })).toEqual([
    { alias: 'zwei', type: 'string', index: 1 },
    { alias: 'urn:three', type: 'uri', index: 2 },
  ])
  expect((await aliases({ alias: 'one' })).at(-1)).toEqual({ alias: 'one', type: 'string', index: 3 })
  const { id } = await admin.get('aliased')
  for (const alias of ['zwei', 'urn:three', 'one']) expect((await admin.get(alias)).id).toBe(id)
  expectRefused(await admin.call('GET', pathOf('two')), 404, 5)
  await admin.create({ name: 'two' })
  for (const [changes, status, field] of [
    [[{ alias: 'one' }], 409, '#/aliases/0/alias'],
    [[{ alias: 'free' }, { alias: 'next door' }], 409, '#/aliases/1/alias'],
    [[{ alias: 'neighbour' }], 409, '#/aliases/0/alias'],
    [[{ alias: 'aliased' }], 409, '#/aliases/0/alias'],
    [[{ alias: 'two', index: 1 }], 409, '#/aliases/0/alias'],
    [[{ alias: 'twice' }, { alias: 'twice' }], 409, '#/aliases/1/alias'],
    [[{ index: 9 }], 422, '#/aliases/0/index'],
    [[{ alias: 'a<b' }], 422, undefined],
    [Array.from({ length: 18 }, (_, at) => ({ alias: `a${at}` })), 422, '#/aliases'],
  ] as const)
    expectRefused(
      await patch('aliased', { aliases: changes }),
      status,
      status === 409 ? 7 : 2,
      ...(field ? [field] : []),
    )
  expect((await admin.get('aliased')).aliases).toHaveLength(3)
  await admin.update('aliased', { aliases: [{ index: 1 }] })
  await admin.update('neighbour', { aliases: [{ alias: 'zwei' }] })
})

test.each([
  ['a name', { name: 'other' }, 400, '#/name'],
  ['an algorithm', { algorithm: 'aes' }, 400, '#/algorithm'],
  ['a size', { size: 256 }, 400, '#/size'],
  ['material', { material }, 400, '#/material'],
  ['a state', { state: 'Active' }, 400, '#/state'],
  ['an id', { id: 'x' }, 400, '#/id'],
  ['a date only archiving sets', { archiveDate: '2030-01-01T00:00:00Z' }, 400, '#/archiveDate'],
  ['an activation of what is Active', { activationDate: '2030-01-01T00:00:00Z' }, 422, '#/activationDate'],
  ['a stop in the past', { protectStopDate: '2020-01-01T00:00:00Z' }, 422, '#/protectStopDate'],
  ['a destruction in the past', { destroyDate: '2020-01-01T00:00:00Z' }, 422, '#/destroyDate'],
  ['a deactivation in the past', { deactivationDate: '2020-01-01T00:00:00Z' }, 422, '#/deactivationDate'],
  ['a deactivation before the stop', { deactivationDate: '2031-01-01T00:00:00Z' }, 422, '#/deactivationDate'],
  ['a stop after the deactivation', { protectStopDate: '2041-01-01T00:00:00Z' }, 422, '#/deactivationDate'],
  ['a mask of null', { usageMask: null }, 400, '#/usageMask'],
  ['a mask of too many bits', { usageMask: 2 ** 22 }, 422, '#/usageMask'],
  ['a flag in words', { undeletable: 'yes' }, 400, '#/undeletable'],
  ['exports that were ruled out', { unexportable: false }, 422, '#/unexportable'],
])('update refuses %s', async (_what, body, status, field) => {
  const { admin } = vault()
  if ((await admin.list('?name=fixed')).total === 0)
    await admin.create({
      name: 'fixed',
      unexportable: true,
      protectStopDate: '2032-01-01T00:00:00Z',
      deactivationDate: '2040-01-01T00:00:00Z',
    })
  const before = await admin.get('fixed')
  expectRefused(await patch('fixed', body), status, status === 400 ? 1 : 2, field)
  expect(await admin.get('fixed')).toEqual(before)
})

test('all errors of an update are reported at once', async () => {
  const refused = await patch('fixed', {
    unexportable: false,
    activationDate: '2020-01-01T00:00:00Z',
    destroyDate: '2020-01-01T00:00:00Z',
    deactivationDate: '2031-01-01T00:00:00Z',
  })
  expectRefused(refused, 422, 2, '#/unexportable', '#/activationDate', '#/destroyDate', '#/deactivationDate')
})

test('sending present values is no error in any state', async () => {
  const { admin, at, advance } = vault()
  const dates = { activationDate: at(HOUR), protectStopDate: at(2 * HOUR), deactivationDate: at(3 * HOUR) }
  await admin.create({ name: 'same', ...dates, unexportable: true, usageMask: 12 })
  const present = { ...dates, unexportable: true, undeletable: false, usageMask: 12 }
  for (let hour = 0; hour < 5; hour++) {
    expect(await admin.update('same', present)).toMatchObject(present)
    advance(HOUR)
  }
  expect((await admin.get('same')).state).toBe('Deactivated')
  expectRefused(await patch('same', { usageMask: 4 }), 422, 2, '#/usageMask')
  expectRefused(await patch('same', { activationDate: null }), 422, 2, '#/activationDate')
})

test('unexportable cannot be cleared', async () => {
  const { admin } = vault()
  await admin.create({ name: 'one way' })
  expect(await admin.update('one way', { unexportable: true })).toMatchObject({ unexportable: true, usageMask: 124 })
  expectRefused(await patch('one way', { unexportable: false }), 422, 2, '#/unexportable')
  expectRefused(await admin.tryAct('one way', 'export', {}), 403, 11)
})

test('a change with If-Match succeeds only on the revision that was seen', async () => {
  const { admin } = vault()
  await admin.create({ name: 'matched' })
  const first = (await admin.call('GET', pathOf('matched'))).headers.get('etag') ?? ''
  const second = (await patch('matched', { description: 'a' }, { 'if-match': first })).headers.get('etag') ?? ''
  expectRefused(await patch('matched', { description: 'b' }, { 'if-match': first }), 412, 8)
  expect((await admin.get('matched')).description).toBe('a')
  expect((await patch('matched', { description: 'c' }, { 'if-match': `${first}, ${second}` })).status).toBe(200)
  expect((await patch('matched', { description: 'd' }, { 'if-match': '*' })).status).toBe(200)
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) => patch('matched', { labels: { [`l${at}`]: '' } })),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
  expect(Object.keys((await admin.get('matched')).labels as object)).toHaveLength(6)
})

test('an update changes one version or all; aliases belong to the latest', async () => {
  const { admin } = vault()
  const first = await admin.create({ name: 'versions' })
  const second = await admin.act('versions', 'versions', {})
  expect(await admin.update('versions', { description: 'former' }, '?version=0')).toMatchObject({
    id: first.id,
    description: 'former',
  })
  expect(await admin.get('versions')).not.toHaveProperty('description')
  const answer = await admin.update(first.id as string, { labels: { all: '' }, allVersions: true })
  expect(answer).toMatchObject({ id: first.id, labels: { all: '' } })
  for (const { id } of [first, second]) expect((await admin.get(id as string)).labels).toEqual({ all: '' })
  expectRefused(await patch(first.id as string, { aliases: [{ alias: 'old' }] }), 422, 2, '#/aliases')
  await admin.update('versions', { aliases: [{ alias: 'both' }], usageMask: 12, allVersions: true })
  expect(await admin.get('both')).toMatchObject({ id: second.id, usageMask: 12 })
  expect(await admin.get(first.id as string)).toMatchObject({ aliases: [], usageMask: 12 })
  await admin.act('versions', 'revoke', { reason: 'Superseded' }, '?version=0')
  await admin.act('versions', 'destroy', undefined, '?version=0')
  expect(await admin.update('versions', { description: 'rest', allVersions: true })).toMatchObject({ version: 1 })
  expect((await admin.get('versions', '?version=0')).description).toBe('former')
  expectRefused(await admin.call('PATCH', pathOf('versions', '?version=0'), { description: 'x' }), 409, 8)
})

test('only owners and administrators change a key, and an owner cannot give it away', async () => {
  const { admin, user } = vault()
  const ann = await user('ann', ['Key Users'])
  const kim = await user('kim', ['Key Admins'])
  await admin.create({ name: 'shown', meta: { permissions: { UseKey: ['Key Users'] } } })
  expectRefused(await ann.holder.call('PATCH', pathOf('shown'), { description: 'mine' }), 403, 4)
  expectRefused(await ann.holder.call('PATCH', pathOf('shown'), { meta: { ownerId: ann.sub } }), 403, 4)
  await ann.holder.create({ name: 'hers', meta: { note: 1 } })
  expect((await ann.holder.update('hers', { meta: null })).meta).toEqual({ ownerId: ann.sub })
  for (const ownerId of [kim.sub, null])
    expectRefused(await ann.holder.call('PATCH', pathOf('hers'), { meta: { ownerId } }), 403, 4, '#/meta/ownerId')
  expect((await ann.holder.update('hers', { meta: { ownerId: ann.sub, a: 1 } })).meta.a).toBe(1)
  expect((await kim.holder.update('hers', { meta: { ownerId: kim.sub } })).meta.ownerId).toBe(kim.sub)
  expectRefused(await ann.holder.call('GET', pathOf('hers')), 404, 5)
})

test('changing all versions requires owning each', async () => {
  const { admin, user } = vault()
  const bob = await user('bob', ['Key Users'])
  await admin.create({ name: 'handed over', meta: { note: 1 } })
  await admin.act('handed over', 'versions', {})
  await admin.update('handed over', { meta: { ownerId: bob.sub } })
  expectRefused(await bob.holder.call('PATCH', pathOf('handed over'), { description: 'x', allVersions: true }), 403, 4)
  expectRefused(await bob.holder.call('DELETE', pathOf('handed over')), 403, 4)
  expectRefused(await bob.holder.call('GET', pathOf('handed over', '?version=0')), 404, 5)
  expect((await bob.holder.ok('GET', pathOf('handed over', '/versions'))).total).toBe(1)
  await bob.holder.update('handed over', { description: 'x' })
})

test('every write leaves one record with its subject, refused ones with their reason, reads none', async () => {
  const { admin, records, at } = vault()
  const seen = new Set((await records(`createdAfter=${at(-HOUR)}`)).map(({ id }) => id as string))
  /** The audit records since the last call of this function. */
  const left = async () => {
    const fresh = (await records(`createdAfter=${at(-HOUR)}`)).filter(({ id }) => !seen.has(id as string))
    for (const { id } of fresh) seen.add(id as string)
    return fresh
  }
  const { id, uri, name } = await admin.create({ name: 'audited', state: 'Pre-Active' })
  const [made, ...none] = await left()
  expect(none).toEqual([])
  expect(made).toMatchObject({ message: 'Create Key', success: true, service: 'vault', username: 'admin' })
  expect(made.details).toMatchObject({
    resource_uri: uri,
    resource_name: name,
    after: { state: 'Pre-Active', size: 256 },
  })

  const path = pathOf('audited')
  for (const [method, at, body, message] of [
    ['PATCH', path, { activationDate: '2026-01-01T00:00:00Z' }, 'Update Key'],
    ['POST', `${path}/export`, {}, 'Export Key'],
    ['POST', `${path}/archive`, undefined, 'Archive Key'],
    ['POST', `${path}/recover`, undefined, 'Recover Key'],
    ['POST', `${path}/revoke`, { reason: 'Unspecified' }, 'Revoke Key'],
    ['POST', `${path}/reactivate`, { reason: 'DeactivatedToActive' }, 'Reactivate Key'],
    ['POST', `${path}/revoke`, { reason: 'KeyCompromise' }, 'Revoke Key'],
    ['POST', `${path}/destroy`, undefined, 'Destroy Key'],
    ['DELETE', path, undefined, 'Delete Key'],
  ] as const) {
    await admin.ok(method, at, body)
    const [record, ...more] = await left()
    expect(more, message).toEqual([])
    expect(record).toMatchObject({ message, success: true, severity: 'info' })
    expect(record).not.toHaveProperty('errorMessage')
    expect(record.details).toMatchObject({ resource_uri: uri, resource_name: name })
  }

  await admin.create({ name: 'audited again', algorithm: 'ec' })
  expect(await left()).toHaveLength(1) // one record for the pair
  await admin.act('audited again', 'versions', {})
  const [rotated] = await left()
  expect(rotated).toMatchObject({ message: 'Rotate Key', details: { before: { version: 0 }, after: { version: 1 } } })

  for (const [method, at, body, message, why] of [
    ['POST', KEYS, { algorithm: 'seed' }, 'Create Key', 'seed'],
    ['POST', KEYS, { name: 'audited again' }, 'Create Key', 'audited again'],
    ['PATCH', pathOf('audited again'), { name: 'x' }, 'Update Key', '#/name'],
    ['POST', pathOf('audited again', '/destroy'), undefined, 'Destroy Key', 'revoke'],
    ['DELETE', path, undefined, 'Delete Key', 'no such key'],
  ] as const) {
    expect((await admin.call(method, at, body)).status).toBeGreaterThanOrEqual(400)
    const [record, ...more] = await left()
    expect(more).toEqual([])
    expect(record).toMatchObject({ message, success: false, severity: 'warning' })
    expect(record.errorMessage).toContain(why)
  }
  await admin.get('audited again')
  await admin.list('?name=audited*')
  await admin.ok('GET', pathOf('audited again', '/versions'))
  await admin.call('GET', pathOf(id as string))
  expect(await left()).toEqual([])
})

/** The time, as a clock two hours ahead of UTC writes it. */
const ahead = (time: string): string => new Date(Date.parse(time) + 2 * HOUR).toISOString().replace('Z', '+02:00')

test('a date with an offset becomes the same time in UTC when it is read, also in derived dates', async () => {
  const { admin, at, advance } = vault()
  const [activationDate, deactivationDate] = [at(HOUR), at(DAY)]
  const made = await admin.create({ name: 'offset', activationDate: ahead(activationDate) })
  expect(made).toMatchObject({ state: 'Pre-Active', activationDate })
  expect((await admin.update('offset', { deactivationDate: ahead(deactivationDate) })).deactivationDate).toBe(
    deactivationDate,
  )
  advance(HOUR + 1_000)
  expect(await admin.get('offset')).toMatchObject({ state: 'Active', updatedAt: activationDate })
  const late = await admin.tryAct('offset', 'revoke', {
    reason: 'KeyCompromise',
    compromiseOccurrenceDate: '9999-12-31T23:59:59-01:00',
  })
  expectRefused(late, 422, 2, '#/compromiseOccurrenceDate')
})

test.each([
  [
    'a deactivation before today, when it is active',
    { deactivationDate: '2020-01-01T00:00:00Z' },
    '#/deactivationDate',
  ],
  ['a stop before today, when it is active', { protectStopDate: '2020-01-01T00:00:00Z' }, '#/protectStopDate'],
  ['processing before today, when it is active', { processStartDate: '2020-01-01T00:00:00Z' }, '#/processStartDate'],
  [
    'a deactivated state of today after a later stop',
    { state: 'Deactivated', material, protectStopDate: '2999-01-01T00:00:00Z' },
    '#/deactivationDate',
  ],
])('a new key with %s is refused', async (_what, dates, pointer) => {
  expectRefused(await vault().admin.call('POST', '/v1/vault/keys2', dates), 422, 2, pointer)
})
