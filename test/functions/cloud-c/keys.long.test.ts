import { expect, test } from 'vitest'
import { CLOUD_C, keysOf, KEYS, refused, RING, useCloudC } from './cloud-c.ts'

const tests = useCloudC()
const keys = () => keysOf(tests().admin)
const NOTHING = '01890000-0000-7000-8000-00000000ffff'
const nameOf = (id: string): string => `${RING}/cryptoKeys/${id}`

test('a key is created with its first version, as requested', async () => {
  const { admin, ring, seen, at } = tests()
  const due = at(90 * 86_400_000)
  const key = await keys().create('orders', {
    labels: { team: 'shop' },
    rotation_period: '7776000s',
    next_rotation_time: due,
    destroy_scheduled_duration: '172800s',
  })
  expect(key).toMatchObject({
    key_ring: RING,
    key_ring_id: ring.id,
    create_status: 'success',
    state: 'ENABLED',
    key_material_origin: 'native',
    version_count: 1,
    cloud_c_params: {
      key_name: 'orders',
      purpose: 'ENCRYPT_DECRYPT',
      primary: `${nameOf('orders')}/cryptoKeyVersions/1`,
      rotation_period: '7776000s',
      destroy_scheduled_duration: '172800s',
      import_only: false,
      version_template: { protection_level: 'SOFTWARE', algorithm: 'SYMMETRIC_ENCRYPTION' },
    },
  })
  expect(key.cloud_c_params.labels).toMatchObject({ team: 'shop' })
  expect(key).not.toHaveProperty('versions_digest')
  expect(seen(key)).toMatchObject({ purpose: 'ENCRYPT_DECRYPT', rotationPeriodSeconds: 7_776_000 })
  expect(await keys().get(key.id)).toEqual(key)
  const [version] = await keys().versions(key.id)
  expect(version).toMatchObject({
    parent_key_id: key.id,
    parent_key_name: nameOf('orders'),
    is_primary: true,
    state: 'ENABLED',
    deleted: false,
    key_material_origin: 'native',
    cloud_c_params: { version: '1', algorithm: 'SYMMETRIC_ENCRYPTION', protection_level: 'SOFTWARE' },
  })
  expect(version.version_id).toBe(version.id)
  for (const reference of ['1', version.id])
    expect(await admin.ok('GET', `${KEYS}/${key.id}/versions/${reference}`)).toEqual(version)
})

test.each([
  ['ASYMMETRIC_SIGN', 'RSA_SIGN_PSS_2048_SHA256'],
  ['ASYMMETRIC_DECRYPT', 'RSA_DECRYPT_OAEP_2048_SHA256'],
  ['MAC', 'HMAC_SHA256'],
])('a key for %s has no primary', async (purpose, algorithm) => {
  const key = await keys().create(`made-${purpose}`, { purpose, algorithm })
  expect(key).toMatchObject({ state: 'NO_PRIMARY', version_count: 1 })
  expect(key.cloud_c_params).not.toHaveProperty('primary')
  expect(await keys().versions(key.id)).toMatchObject([{ is_primary: false, cloud_c_params: { algorithm } }])
})

test('a key for imported versions has no version at first', async () => {
  const key = await keys().create('import-only', { import_only: true })
  expect(key).toMatchObject({ state: 'NO_PRIMARY', version_count: 0, key_material_origin: 'unknown' })
  expect(await keys().versions(key.id)).toEqual([])
  await refused(tests().admin.call('POST', `${KEYS}/${key.id}/versions`, { is_native: true }), 409, 8, [])
})

test.each([
  ['aes', { algorithm: 'aes', size: 256 }, { purpose: 'ENCRYPT_DECRYPT' }],
  ['hmac', { algorithm: 'hmac-sha256', size: 256 }, { purpose: 'MAC' }],
  ['rsa', { algorithm: 'rsa', size: 2048 }, { purpose: 'ASYMMETRIC_SIGN', algorithm: 'RSA_SIGN_PKCS1_2048_SHA256' }],
  ['ec', { algorithm: 'ec', curveid: 'prime256v1' }, { purpose: 'ASYMMETRIC_SIGN' }],
])('a local key of algorithm %s is uploaded: the cloud has its bytes', async (name, local, params) => {
  const { admin, bytesOf } = tests()
  const source = await admin.create({ name: `source-${name}`, ...local })
  const key = await keys().upload(`uploaded-${name}`, `source-${name}`, params)
  expect(key).toMatchObject({
    create_status: 'success',
    key_material_origin: 'keymgr',
    local_key_id: source.id,
    local_key_name: `source-${name}`,
    version_count: 1,
  })
  expect(await keys().versions(key.id)).toMatchObject([
    { state: 'ENABLED', key_material_origin: 'keymgr', local_key_id: source.id, local_key_version: 0 },
  ])
  const isPair = params.purpose.startsWith('ASYMMETRIC_')
  const { material } = await admin.act(source.id, 'export', { format: isPair ? 'pkcs8' : 'raw', encoding: 'base64' })
  const bytes = (await bytesOf(key, 1))?.toString('base64')
  expect(isPair ? material.replaceAll(/-----[A-Z ]+-----|\s/g, '') : material).toBe(bytes)
  expect(await admin.get(source.id)).toMatchObject({ neverExported: false })
})

test.each([
  ['a name that cannot be one', { key_name: 'a b' }, ['#/cloud_c_params/key_name']],
  ['an algorithm of another purpose', { algorithm: 'HMAC_SHA256' }, ['#/cloud_c_params/algorithm']],
  ['a period without a time', { rotation_period: '7776000s' }, ['#/cloud_c_params/rotation_period']],
  [
    'a period below a day',
    { rotation_period: '60s', next_rotation_time: '2040-01-01T00:00:00Z' },
    ['#/cloud_c_params/rotation_period'],
  ],
  ['a purpose there is not', { purpose: 'SIGN' }, ['#/cloud_c_params/purpose']],
  [
    'rotation of what signs',
    { purpose: 'ASYMMETRIC_SIGN', rotation_period: '86400s', next_rotation_time: '2040-01-01T00:00:00Z' },
    ['#/cloud_c_params/rotation_period'],
  ],
  ['a label that is not one', { labels: { Team: 'x' } }, ['#/cloud_c_params/labels']],
  ["the service's own label", { labels: { keymgr_key_id: 'x' } }, ['#/cloud_c_params/labels']],
])('creation refuses %s', async (_what, params, fields) => {
  await refused(keys().tryCreate('refused', params), 422, 2, fields)
})

test('a creation names its ring, and refuses an existing key', async () => {
  const { admin, cloud } = tests()
  const params = { cloud_c_params: { key_name: 'x', purpose: 'MAC' } }
  await refused(admin.call('POST', KEYS, { key_ring: 'none', ...params }), 404, 5, ['#/key_ring'])
  await refused(admin.call('POST', KEYS, { key_ring: NOTHING, ...params }), 404, 5, ['#/key_ring'])
  await keys().create('twice')
  await refused(keys().tryCreate('twice'), 409, 7, ['#/cloud_c_params/key_name'])
  cloud.seed(RING, 1, () => ({ id: 'unknown-to-us' }))
  await refused(keys().tryCreate('unknown-to-us'), 409, 16, [])
  expect((await keys().list('?key_name=unknown-to-us')).total).toBe(0)
})

test('an upload refuses a local key that does not fit, is unexportable, or does not exist', async () => {
  const { admin } = tests()
  await admin.create({ name: 'short', algorithm: 'aes', size: 128 })
  await admin.create({ name: 'staying', algorithm: 'aes', size: 256, unexportable: true })
  await refused(keys().tryUpload('no', 'short'), 422, 2, ['#/source_key_id'])
  await admin.create({ name: 'of a disk', xts: true })
  await refused(keys().tryUpload('no', 'of a disk'), 422, 2, ['#/source_key_id'])
  await refused(keys().tryUpload('no', 'none'), 404, 5, ['#/source_key_id'])
  await refused(keys().tryUpload('no', 'staying'), 403, 11, [])
  expect((await keys().list('?key_name=no')).total).toBe(0)
})

test('material that the cloud refuses leaves a key recorded as failed, because the cloud cannot delete it', async () => {
  const { admin, cloud } = tests()
  await admin.create({ name: 'refused-source', algorithm: 'aes', size: 256 })
  cloud.inject({ fault: 'precondition', operation: 'ImportCryptoKeyVersion' })
  await refused(keys().tryUpload('half', 'refused-source'), 409, 16, [])
  cloud.reset()
  const { resources } = await keys().list('?create_status=failed')
  expect(resources).toMatchObject([{ cloud_c_params: { key_name: 'half' }, state: 'NO_PRIMARY', version_count: 0 }])
  expect(resources[0].error).toContain('FAILED_PRECONDITION')
})

test('lists answer their filters', async () => {
  const names = async (query: string): Promise<string[]> =>
    (await keys().list(`?limit=-1&${query}`)).resources.map(({ cloud_c_params }: any) => cloud_c_params.key_name).sort()
  const { ring, at } = tests()
  const all = await names('')
  expect(await names(`key_ring=${encodeURIComponent(RING)}`)).toEqual(all)
  expect(await names(`key_ring_id=${ring.id}`)).toEqual(all)
  expect(await names('key_ring=none')).toEqual([])
  expect(await names('purpose=MAC')).toEqual(['made-MAC', 'uploaded-hmac'])
  expect(await names('algorithm=EC_SIGN_P256_SHA256,HMAC_SHA256')).toEqual(['made-MAC', 'uploaded-ec', 'uploaded-hmac'])
  expect(await names('labels=team%3Dshop')).toEqual(['orders'])
  expect(await names('key_material_origin=keymgr&state=ENABLED')).toEqual(['uploaded-aes'])
  expect(await names('key_name=uploaded-*&purpose=ASYMMETRIC_SIGN')).toEqual(['uploaded-ec', 'uploaded-rsa'])
  expect(await names('gone=true')).toEqual([])
  expect(await names('rotation_job_enabled=true')).toEqual([])
  expect(await names(`project_id=shop-keys&location_id=europe-west3&createdBefore=${at(1_000)}`)).toEqual(all)
  const [first] = (await keys().list('?sort=-key_name&limit=1')).resources
  expect(first.cloud_c_params.key_name).toBe(all.at(-1))
  expect(await names(`id=${first.id}`)).toEqual([all.at(-1)])
  await refused(tests().admin.call('GET', `${KEYS}?keyid=1`), 400, 1, ['keyid'])
})

test('labels, the cloud’s own rotation and the primary are changed; invalid changes are refused', async () => {
  const { seen, at, admin } = tests()
  const key = await keys().create('changing', { labels: { a: '1', b: '2' } })
  const due = at(30 * 86_400_000)
  const changed = await keys().update(key.id, {
    labels: { a: '3' },
    rotation_period: '2592000s',
    next_rotation_time: due,
  })
  expect(changed.cloud_c_params).toMatchObject({ rotation_period: '2592000s' })
  expect(changed.cloud_c_params.labels).toEqual({ a: '3', keymgr_key_id: key.id })
  expect(seen(key)).toMatchObject({ rotationPeriodSeconds: 2_592_000 })
  expect((await keys().update(key.id, { labels: changed.cloud_c_params.labels })).cloud_c_params).toMatchObject({
    labels: changed.cloud_c_params.labels,
  })
  await refused(keys().tryUpdate(key.id, { labels: { keymgr_key_id: 'another' } }), 422, 2, ['#/labels'])
  const cleared = await keys().update(key.id, { labels: null, rotation_period: null, next_rotation_time: null })
  expect(cleared.cloud_c_params).not.toHaveProperty('rotation_period')
  expect(cleared.cloud_c_params.labels).toEqual({ keymgr_key_id: key.id })
  const second = await keys().addVersion(key.id)
  expect(second).toMatchObject({ is_primary: true, cloud_c_params: { version: '2' } })
  expect((await keys().update(key.id, { primary_version_id: '1' })).cloud_c_params.primary).toMatch(/\/1$/)
  expect((await keys().update(key.id, { primary_version_id: second.id })).cloud_c_params.primary).toMatch(/\/2$/)
  await keys().act(key.id, 'versions/1/disable')
  await refused(keys().tryUpdate(key.id, { primary_version_id: '1' }), 409, 16, [])
  await refused(keys().tryUpdate(key.id, { primary_version_id: '9' }), 404, 5, ['#/primary_version_id'])
  await refused(keys().tryUpdate(key.id, { rotation_period: '2592000s' }), 422, 2, ['#/rotation_period'])
  await refused(keys().tryUpdate(key.id, { version_template_algorithm: 'HMAC_SHA256' }), 422, 2, [
    '#/version_template_algorithm',
  ])
  await refused(keys().tryUpdate(key.id, { key_name: 'other' }), 400, 1, ['#/key_name'])
  const stale = await admin.call('PATCH', `${KEYS}/${key.id}`, { labels: {} }, { 'if-match': '"1"' })
  expect(stale.status).toBe(412)
})

test('the policy is read and set, and a stale policy is not replaced', async () => {
  const { admin, seen } = tests()
  const key = await keys().create('policed')
  const path = `${KEYS}/${key.id}/policy`
  const before = await admin.ok('GET', path)
  const binding = { role: 'roles/cloudkms.cryptoKeyEncrypterDecrypter', members: ['user:alice@shop.example'] }
  const after = await admin.ok('POST', path, { bindings: [binding], etag: before.etag })
  expect(after.bindings).toEqual([binding])
  expect(seen(key).bindings).toEqual([binding])
  await refused(admin.call('POST', path, { bindings: [], etag: before.etag }), 409, 16, [])
  expect(await admin.ok('POST', path, { bindings: [] })).toMatchObject({ bindings: [] })
  await refused(admin.call('POST', path, { bindings: [{ role: 'owner', members: [] }] }), 422, 2, [
    '#/bindings/0/role',
    '#/bindings/0/members',
  ])
})

test('a refresh finds changes by others, and that the key is deleted', async () => {
  const { cloud } = tests()
  const key = await keys().create('refreshed')
  cloud.alter(nameOf('refreshed'), { newVersions: 35 })
  expect(await keys().act(key.id, 'refresh')).toMatchObject({ version_count: 36 })
  expect(await keys().versions(key.id, '?limit=-1')).toHaveLength(36)
  cloud.forget(nameOf('refreshed'))
  expect(await keys().act(key.id, 'refresh')).toMatchObject({ gone: true })
  const versions = await keys().versions(key.id, '?limit=-1')
  expect([versions.length, versions.every(({ gone }) => gone === true)]).toEqual([36, true])
  await refused(keys().tryUpdate(key.id, { labels: {} }), 409, 8, [])
})

test('a key is deleted version by version, once their material is destroyed, and its record stays', async () => {
  const { admin, advance, cloud } = tests()
  const key = await keys().create('deleted')
  const at = `${KEYS}/${key.id}`
  await keys().addVersion(key.id)
  await refused(admin.call('DELETE', at), 409, 16, [])
  await refused(admin.call('DELETE', `${at}/versions/1`), 409, 8, [])
  for (const version of [1, 2]) await keys().act(key.id, `versions/${version}/schedule-destroy`)
  advance(31 * 86_400_000)
  for (const version of [1, 2])
    expect(await admin.call('DELETE', `${at}/versions/${version}`)).toMatchObject({
      status: 200,
      body: { status: 204 },
    })
  expect(await keys().versions(key.id)).toMatchObject([{ gone: true }, { gone: true }])
  await refused(admin.call('DELETE', at, undefined, { 'if-match': '"1"' }), 412, 8, [])
  expect(await admin.call('DELETE', at)).toMatchObject({ status: 200, body: { status: 204 } })
  expect(cloud.keyOf(nameOf('deleted'))).toBeUndefined()
  expect(await keys().get(key.id)).toMatchObject({ gone: true })
  await refused(admin.call('DELETE', at), 409, 8, [])
  const again = await refused(keys().tryCreate('deleted'), 409, 7, ['#/cloud_c_params/key_name'])
  expect(again.detail).toContain('the cloud gives no name twice')
  const messages = (await tests().records('service=keymgr&message=Delete*')).map(
    ({ message }: any) => message as string,
  )
  expect(new Set(messages)).toEqual(new Set(['Delete Cloud-c Key', 'Delete Cloud-c Key Version']))
})

test('a version that was imported is kept by the cloud for good', async () => {
  const { admin, advance } = tests()
  await admin.create({ name: 'imported-source', algorithm: 'aes', size: 256 })
  const key = await keys().upload('imported-for-good', 'imported-source')
  await keys().act(key.id, 'versions/1/schedule-destroy')
  advance(31 * 86_400_000)
  await refused(admin.call('DELETE', `${KEYS}/${key.id}/versions/1`), 409, 16, [])
})

test('each action needs its permission, and without a view no key exists', async () => {
  const { admin, ring, user } = tests()
  const key = await keys().create('guarded')
  const { holder, sub } = await user('keyholder', ['keymgr Users'])
  const permit = (...actions: string[]) =>
    admin.ok('POST', `${CLOUD_C}/key-rings/${ring.id}/update-acls`, { acls: [{ user_id: sub, permit: true, actions }] })
  const theirs = keysOf(holder)
  await refused(holder.call('GET', `${KEYS}/${key.id}`), 404, 5, [])
  expect((await theirs.list()).total).toBe(0)
  await permit('view')
  expect(await theirs.get(key.id)).toMatchObject({ id: key.id })
  for (const [method, path, body] of [
    ['PATCH', `${KEYS}/${key.id}`, { labels: {} }],
    ['POST', `${KEYS}/${key.id}/refresh`, undefined],
    ['POST', `${KEYS}/${key.id}/policy`, { bindings: [] }],
    ['POST', `${KEYS}/${key.id}/versions`, { is_native: true }],
    ['POST', `${KEYS}/${key.id}/versions/1/disable`, undefined],
    ['POST', `${KEYS}/${key.id}/versions/1/schedule-destroy`, undefined],
    ['POST', `${KEYS}/${key.id}/versions/1/cancel-schedule-destroy`, undefined],
    ['POST', `${KEYS}/${key.id}/versions/1/re-import`, {}],
    ['DELETE', `${KEYS}/${key.id}/versions/1`, undefined],
    ['DELETE', `${KEYS}/${key.id}`, undefined],
    ['POST', `${CLOUD_C}/update-all-versions-jobs`, { key_id: key.id, operation: 'disable' }],
    ['POST', `${CLOUD_C}/synchronization-jobs`, { key_rings: [RING] }],
  ] as const)
    await refused(holder.call(method, path, body), 403, 4, [])
  await refused(theirs.tryCreate('theirs'), 403, 4, [])
  await permit('keycreate', 'keyupdate')
  expect(await theirs.create('theirs')).toMatchObject({ version_count: 1 })
  expect(await theirs.update(key.id, { labels: { by: 'them' } })).toBeDefined()
})

test('the audit records show the history of a key', async () => {
  const key = await keys().create('audited')
  await keys().update(key.id, { labels: { a: '1' } })
  await keys().act(key.id, 'versions/1/disable')
  const records = (await tests().records('service=keymgr')).filter(
    ({ details }: any) => details.resource_name === 'audited',
  )
  expect(records.map(({ message }: any) => message)).toEqual([
    'Create Cloud-c Key',
    'Update Cloud-c Key',
    'Disable Cloud-c Key Version',
  ])
  expect(records[2].details).toMatchObject({ before: { state: 'ENABLED' }, after: { state: 'DISABLED' } })
})

test('an upload whose credentials are revoked midway is kept, and finished by a repeated request', async () => {
  const { admin, cloud } = tests()
  await admin.create({ name: 'revoked-source', algorithm: 'aes', size: 256 })
  const revoke = () => void cloud.inject({ fault: 'access-denied' })
  cloud.inject({ fault: 'observe', operation: 'CreateCryptoKey', times: 1, after: revoke })
  await refused(keys().tryUpload('revoked', 'revoked-source'), 502, 16, [])
  await refused(keys().tryUpload('revoked', 'revoked-source'), 502, 16, [])
  cloud.reset()
  const made = await keys().tryUpload('revoked', 'revoked-source')
  expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201, body: { create_status: 'success' } })
})
