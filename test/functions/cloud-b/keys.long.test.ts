import { createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { CLOUD_B, refused } from './cloud-b.ts'
import { IN, keyBody, KEYS, keysOf, useKeys, vaultsBody, type In } from './keys.ts'

const tests = useKeys()
const keys = () => keysOf(tests().admin)
const NOTHING = '01890000-0000-7000-8000-00000000ffff'
const PARAM = '#/cloud_b_param'
const POLICY = { data: { version: '1.0.0', anyOf: [{ authority: 'https://attest.example', allOf: [] }] } }
const seconds = (ms: number): number => Math.floor(Date.parse(tests().at(ms)) / 1_000)

test('a key is created with all that was asked for, and its record tells all of it', async () => {
  const { seen, vaults } = tests()
  const attributes = { enabled: false, nbf: seconds(0), exp: seconds(86_400_000) }
  const key = await keys().create('orders', {
    kty: 'RSA',
    key_size: 3072,
    key_ops: ['sign', 'verify'],
    attributes,
    tags: { team: "b/l u&e'" },
  })
  const [version] = seen(key).versions
  expect(version).toMatchObject({ kty: 'RSA', bits: 3072, ops: ['sign', 'verify'], ...attributes })
  const kid = `https://${IN.premium}.vault.azure.net/keys/orders/${version?.id}`
  const created = Math.floor((version?.createdAt.getTime() ?? 0) / 1_000)
  const at = (of: number): string => new Date(of * 1_000).toISOString()
  expect(key).toEqual({
    id: key.id,
    uri: `keymgr:keymgr:cloud-b-key:${key.id}`.replace('keymgr:keymgr', key.uri.split(':').slice(0, -2).join(':')),
    account: key.account,
    ...('application' in key && { application: key.application, devAccount: key.devAccount }),
    createdAt: key.createdAt,
    updatedAt: key.createdAt,
    syncedAt: key.createdAt,
    key_vault: IN.premium,
    key_vault_id: vaults.premium.id,
    tenant: vaults.premium.tenant,
    region: 'westeurope',
    cloud_name: 'cloud-b',
    key_name: 'orders',
    version: version?.id,
    is_latest: true,
    status: 'ACTIVE',
    gone: false,
    deleted: false,
    soft_delete_enabled: true,
    key_soft_deleted_in_azure: false,
    key_size: 3072,
    azure_created_at: at(created),
    azure_updated_at: at(created),
    azure_expire_at: at(attributes.exp),
    created_by: 'admin',
    key_material_origin: 'native',
    cloud_b_param: {
      key: { kid, kty: 'RSA', key_ops: ['sign', 'verify'], n: expect.any(String), e: 'AQAB' },
      attributes: {
        ...attributes,
        created,
        updated: created,
        recoveryLevel: 'Recoverable+Purgeable',
        recoverableDays: 90,
        exportable: false,
      },
      tags: { team: "b/l u&e'", keymgr_key_id: key.id },
    },
    exportable: false,
  })
  expect(await keys().get(key.id)).toEqual({ ...key, version_count: 1 })
})

test.each([
  ['EC', {}, { crv: 'P-256' }],
  ['EC', { crv: 'P-384' }, { crv: 'P-384' }],
  ['EC-HSM', { crv: 'P-521' }, { crv: 'P-521' }],
  ['EC', { crv: 'SECP256K1' }, { crv: 'SECP256K1' }],
  ['RSA', {}, { bits: 2048 }],
  ['RSA-HSM', { key_size: 4096 }, { bits: 4096 }],
])('%s with %j has its public key told', async (kty, how, is) => {
  const { seen, admin } = tests()
  const key = await keys().create(`kind-${kty}-${Object.values(how).join('')}`, { kty, ...how })
  const [version] = seen(key).versions
  expect(version).toMatchObject({ kty, ...('bits' in is ? is : { crv: is.crv.replace('SECP256K1', 'P-256K') }) })
  expect(key.cloud_b_param.key).toMatchObject({ kty, ...('crv' in is && is) })
  expect(key.key_size).toBe('bits' in is ? is.bits : undefined)
  const pem = (await admin.call('GET', `${KEYS}/${key.id}/download-public-key`)).body as string
  const details = createPublicKey(pem).asymmetricKeyDetails
  const curve = 'crv' in is ? { 'P-256': 'prime256v1', SECP256K1: 'secp256k1' }[is.crv as 'P-256'] : undefined
  expect(details).toMatchObject('bits' in is ? { modulusLength: is.bits } : curve ? { namedCurve: curve } : {})
})

test('a second key under a name is another version, which takes the place of the one before', async () => {
  const { seen } = tests()
  const first = await keys().create('twice', { tags: { a: '1' } })
  const second = await keys().create('twice', { kty: 'RSA' })
  expect(second.id).not.toBe(first.id)
  expect(seen(first).versions.map(({ id }) => id)).toEqual([first.version, second.version])
  const before = await keys().get(first.id)
  expect(before).toMatchObject({ is_latest: false, status: 'ACTIVE', version_count: 2 })
  expect(before.cloud_b_param).toEqual(first.cloud_b_param)
  expect(await keys().get(second.id)).toMatchObject({ is_latest: true, version_count: 2, key_size: 2048 })
  const other = await keys().create('twice', {}, 'spare')
  expect(await keys().get(other.id)).toMatchObject({ version_count: 1, region: 'northeurope' })
})

test('of versions of a name that are asked for at once, one is made at a time', async () => {
  const { seen } = tests()
  const tried = await Promise.all([1, 2, 3].map((n) => keys().tryCreate('at-once', { tags: { n: String(n) } })))
  const made = tried.filter(({ status }) => status === 201)
  expect(made.length).toBeGreaterThan(0)
  for (const one of tried) if (!made.includes(one)) await refused(Promise.resolve(one), 409, 8, [])
  const versions = await keys().versions('at-once')
  expect(versions.map(({ id }) => id).sort()).toEqual(made.map(({ body }) => body.id).sort())
  const latest = versions.filter(({ is_latest }) => is_latest).map(({ version }) => version)
  expect(latest).toEqual([seen(made[0]?.body).versions.at(-1)?.id])
})

test('the managed HSM holds keys in hardware', async () => {
  const key = await keys().create('of-hsm', { kty: 'RSA-HSM' }, 'hsm')
  expect(key).toMatchObject({ key_vault: IN.hsm, status: 'ACTIVE', soft_delete_enabled: true })
  expect(key.cloud_b_param.key.kid).toMatch(/^https:\/\/shop-hsm\.managedhsm\.azure\.net\/keys\/of-hsm\//)
  await refused(keys().tryCreate('no', { kty: 'RSA' }, 'hsm'), 422, 2, [`${PARAM}/kty`])
})

test('an exportable key has its release policy, and is exportable for good', async () => {
  const { seen } = tests()
  const key = await keys().create('exportable', { kty: 'RSA-HSM' }, 'premium', {
    exportable: true,
    release_policy: POLICY,
  })
  expect(key).toMatchObject({
    exportable: true,
    release_policy: POLICY,
    cloud_b_param: { release_policy: POLICY },
    created_by: 'admin',
  })
  expect(seen(key).versions).toMatchObject([{ exportable: true }])
  const data = { version: '1.0.0', allOf: [] }
  const after = await keys().update(key.id, { release_policy: { data, immutable: true } })
  expect(after.cloud_b_param.release_policy).toEqual({ data, immutable: true })
  const { detail } = await refused(keys().tryUpdate(key.id, { release_policy: POLICY }), 409, 8, [])
  expect(detail).toMatch(/is immutable: create another version/)
  await refused(keys().tryUpdate(key.id, { exportable: false }), 400, 1, ['#/exportable'])
})

test('a release policy is given as it is, or as data', async () => {
  const { data } = POLICY
  const key = await keys().create('policy-as-it-is', { kty: 'EC-HSM' }, 'premium', {
    exportable: true,
    release_policy: data,
  })
  expect(key.release_policy).toMatchObject(POLICY)
  const changed = { version: '1.0.0', allOf: [] }
  expect((await keys().update(key.id, { release_policy: changed })).release_policy.data).toEqual(changed)
  await refused(keys().tryUpdate(key.id, { release_policy: { data, immutable: 'yes' } }), 400, 1, [
    '#/release_policy/immutable',
  ])
  await refused(keys().tryUpdate(key.id, { release_policy: { data, version: '1' } }), 422, 2, ['#/release_policy'])
})

test('a key shows who changed it last, and the free data of its callers', async () => {
  const key = await keys().create('of-callers', { kty: 'EC' })
  expect(key).not.toHaveProperty('modified_by')
  const after = await keys().update(key.id, { meta: { team: 'payments' } })
  expect(after).toMatchObject({ modified_by: 'admin', meta: { team: 'payments' } })
  expect(await keys().update(key.id, { tags: { a: 'b' } })).toMatchObject({ meta: { team: 'payments' } })
  expect((await keys().update(key.id, { meta: {} })).meta).toEqual({})
})

test.each<[string, In, object, object, string[]]>([
  ['hardware in a standard vault', 'standard', { kty: 'EC-HSM' }, {}, [`${PARAM}/kty`]],
  ['a size of EC', 'premium', { kty: 'EC', key_size: 2048 }, {}, [`${PARAM}/key_size`]],
  ['a curve of RSA', 'premium', { kty: 'RSA', crv: 'P-256' }, {}, [`${PARAM}/crv`]],
  ['a size there is not', 'premium', { kty: 'RSA', key_size: 1024 }, {}, [`${PARAM}/key_size`]],
  ['a curve there is not', 'premium', { crv: 'P-256K' }, {}, [`${PARAM}/crv`]],
  ['a kind there is not', 'premium', { kty: 'oct-HSM' }, {}, [`${PARAM}/kty`]],
  ['no kind', 'premium', { kty: undefined }, {}, [`${PARAM}/kty`]],
  ['encryption by EC', 'premium', { key_ops: ['sign', 'encrypt'] }, {}, [`${PARAM}/key_ops`]],
  ['import into software', 'premium', { kty: 'RSA', key_ops: ['import'] }, {}, [`${PARAM}/key_ops`]],
  ['import beside others', 'premium', { kty: 'RSA-HSM', key_ops: ['import', 'sign'] }, {}, [`${PARAM}/key_ops`]],
  ['an operation there is not', 'premium', { kty: 'RSA', key_ops: ['export'] }, {}, [`${PARAM}/key_ops/0`]],
  ['no operation', 'premium', { key_ops: [] }, {}, [`${PARAM}/key_ops`]],
  ['a tag with :', 'premium', { tags: { a: 'b:c' } }, {}, [`${PARAM}/tags`]],
  ['a tag with %', 'premium', { tags: { a: '50%' } }, {}, [`${PARAM}/tags`]],
  ["the service's own tag", 'premium', { tags: { keymgr_key_id: 'x' } }, {}, [`${PARAM}/tags`]],
  ['an end before the beginning', 'premium', { attributes: { nbf: 2, exp: 1 } }, {}, [`${PARAM}/attributes`]],
  ['a time that is none', 'premium', { attributes: { exp: -1 } }, {}, [`${PARAM}/attributes/exp`]],
  [
    'an end beyond those of the cloud',
    'premium',
    { attributes: { exp: 5_000_000_000 } },
    {},
    [`${PARAM}/attributes/exp`],
  ],
  ['exportable without policy', 'premium', { kty: 'EC-HSM' }, { exportable: true }, ['#/release_policy']],
  ['a policy without exportable', 'premium', { kty: 'EC-HSM' }, { release_policy: POLICY }, ['#/release_policy']],
  ['exportable software', 'premium', {}, { exportable: true, release_policy: POLICY }, ['#/exportable']],
])('creation refuses %s', async (_what, vault, param, more, fields) => {
  await refused(keys().tryCreate('refused', param, vault, more), 422, 2, fields)
  expect(tests().cloud.keyOf(IN[vault], 'refused')).toBeUndefined()
})

test('a name is of letters, digits and dashes, and the vault one that is there', async () => {
  const { admin } = tests()
  for (const name of ['a b', 'a_b', 'ä', '', 'x'.repeat(128)])
    await refused(keys().tryCreate(name), 422, 2, ['#/key_name'])
  for (const key_vault of ['none', NOTHING, `${IN.premium}::${NOTHING}`])
    await refused(admin.call('POST', KEYS, { ...keyBody('no'), key_vault }), 404, 5, ['#/key_vault'])
  await refused(admin.call('POST', KEYS, { ...keyBody('no'), more: 1 }), 400, 1, ['#/more'])
  const { premium } = tests().vaults
  for (const key_vault of [premium.id, `${IN.premium}::${premium.subscription_id}`])
    expect(await admin.ok('POST', KEYS, { ...keyBody('by-reference'), key_vault })).toMatchObject({
      key_vault_id: premium.id,
    })
})

test('lists answer their filters', async () => {
  const { vaults, at } = tests()
  const exp = seconds(3_600_000)
  await keys().create('list-old', { tags: { list: 'yes', by: 'a' }, attributes: { enabled: false } }, 'overseas')
  await keys().create('list-old', { kty: 'RSA', tags: { list: 'yes' }, attributes: { exp } }, 'overseas')
  const signing = await keys().create('list-sign', { kty: 'RSA', key_ops: ['sign'], tags: { list: 'yes' } }, 'overseas')
  await keys().create('list-ec', { kty: 'EC-HSM', tags: { list: 'yes', by: 'a' } }, 'overseas')
  const gone = await keys().create('list-gone', { tags: { list: 'yes' } }, 'overseas')
  await keys().act(gone.id, 'soft-delete')
  const names = async (query: string): Promise<string[]> => {
    const { total, resources } = await keys().list(`?limit=-1&sort=createdAt&key_vault=${IN.overseas}&${query}`)
    expect(total).toBe(resources.length)
    return resources.map(({ key_name }: any) => key_name)
  }
  const all = ['list-old', 'list-old', 'list-sign', 'list-ec', 'list-gone']
  for (const query of [
    '',
    `key_vault_id=${vaults.overseas.id}`,
    'tags=list%3Dyes',
    `tenant=${vaults.overseas.tenant}&region=eastus&cloud_name=cloud-b`,
    'key_name=list-*',
    'status=ACTIVE,SOFT-DELETED',
    'key_material_origin=native&gone=false&deleted=false&backup=false&rotation_job_enabled=false',
    `createdBefore=${at(60_000)}`,
  ])
    expect(await names(query), query).toEqual(all)
  for (const [query, wanted] of [
    ['version=-1', all.slice(1)],
    [`version=${signing.version}`, ['list-sign']],
    ['status=AVAILABLE', all.slice(0, 4)],
    ['status=SOFT-DELETED', ['list-gone']],
    ['status=DELETED', []],
    ['deleted=true', []],
    ['gone=true', []],
    ['enabled=false', ['list-old']],
    ['kty=RSA', ['list-old', 'list-sign']],
    ['kty=RSA,EC-HSM', ['list-old', 'list-sign', 'list-ec']],
    ['key_ops=sign,encrypt', ['list-old']],
    ['key_ops=verify', ['list-old', 'list-old', 'list-ec', 'list-gone']],
    ['tags=list%3Dyes,by', ['list-old', 'list-ec']],
    ['tags=by%3Db', []],
    [`expires_before=${at(3_000_000)}`, []],
    [`expires_before=${at(7_200_000)}`, ['list-old']],
    ['key_name=list-old', ['list-old', 'list-old']],
    [`id=${signing.id}`, ['list-sign']],
    [`local_key_id=${NOTHING}`, []],
    [`job_config_id=${NOTHING}`, []],
    ['rotation_job_enabled=true', []],
    ['backup=true', []],
    ['cloud_name=cloud-b-gov', []],
    ['region=westeurope', []],
  ] as const)
    expect(await names(query), query).toEqual(wanted)
  const both = `${IN.overseas}::${vaults.overseas.subscription_id}`
  expect((await keys().list(`?key_vault=${both}`)).total).toBe(5)
  expect((await keys().list(`?key_vault=${vaults.overseas.id},${IN.plain}`)).total).toBe(5)
  expect((await keys().list('?key_vault=none')).total).toBe(0)
  const [first] = (await keys().list(`?key_vault=${IN.overseas}&sort=kty,-createdAt&limit=1`)).resources
  expect(first.key_name).toBe('list-gone')
  await refused(tests().admin.call('GET', `${KEYS}?keyid=1`), 400, 1, ['keyid'])
  for (const wrong of ['kty=AES', 'key_ops=export', 'status=GONE', 'enabled=2', 'expires_before=soon'])
    await refused(tests().admin.call('GET', `${KEYS}?${wrong}`), 400, 1, [wrong.split('=')[0] ?? ''])
})

test('a version is edited, the one that is meant', async () => {
  const { seen, admin } = tests()
  const first = await keys().create('edited', { tags: { a: '1', b: '2' } })
  const second = await keys().create('edited')
  const exp = seconds(86_400_000)
  const after = await keys().update(first.id, {
    attributes: { enabled: false, exp },
    key_ops: ['verify'],
    tags: { a: '3' },
  })
  expect(after).toMatchObject({ is_latest: false, azure_expire_at: new Date(exp * 1_000).toISOString() })
  expect(after.cloud_b_param.tags).toEqual({ a: '3', keymgr_key_id: first.id })
  expect(after.cloud_b_param.key.key_ops).toEqual(['verify'])
  expect(seen(first).versions).toMatchObject([{ enabled: false, exp, ops: ['verify'] }, { enabled: true }])
  expect((await keys().get(second.id)).cloud_b_param).toEqual(second.cloud_b_param)
  const again = await keys().update(first.id, { attributes: { enabled: true } })
  expect(again.cloud_b_param).toMatchObject({ attributes: { enabled: true, exp }, tags: { a: '3' } })
  await refused(keys().tryUpdate(first.id, { attributes: { nbf: exp + 1, exp } }), 422, 2, ['#/attributes'])
  await refused(keys().tryUpdate(first.id, { tags: { a: ':' } }), 422, 2, ['#/tags'])
  await refused(keys().tryUpdate(first.id, { key_ops: ['encrypt'] }), 422, 16, [])
  await refused(keys().tryUpdate(first.id, { key_name: 'other' }), 400, 1, ['#/key_name'])
  await refused(keys().tryUpdate(NOTHING, {}), 404, 5, [])
  const at = `${KEYS}/${first.id}`
  const etag = (await admin.call('GET', at)).headers.get('etag') ?? ''
  await refused(admin.call('PATCH', at, { tags: {} }, { 'if-match': '"1"' }), 412, 8, [])
  await refused(admin.call('POST', `${at}/soft-delete`, undefined, { 'if-match': '"1"' }), 412, 8, [])
  const changed = await admin.call('PATCH', at, { tags: {} }, { 'if-match': etag })
  expect([changed.status, changed.body.cloud_b_param.tags]).toEqual([200, { keymgr_key_id: first.id }])
})

test('a deletion takes every version, and a recovery brings all of them back', async () => {
  const { seen, at } = tests()
  const first = await keys().create('deleted')
  const second = await keys().create('deleted')
  await refused(keys().tryAct(first.id, 'recover'), 409, 8, [])
  await refused(keys().tryAct(first.id, 'hard-delete'), 409, 8, [])
  const after = await keys().act(first.id, 'soft-delete')
  const purged = Date.parse(after.purge_date)
  expect(Math.abs(purged - Date.parse(at(90 * 86_400_000)))).toBeLessThan(60_000)
  const status = { status: 'SOFT-DELETED', key_soft_deleted_in_azure: true, gone: false, deleted: false }
  for (const id of [first.id, second.id])
    expect(await keys().get(id)).toMatchObject({ ...status, deletion_date: after.deletion_date, version_count: 2 })
  expect((await keys().get(second.id)).is_latest).toBe(true)
  expect(seen(first).deleted).toBe(true)
  for (const [action, body] of [
    ['soft-delete'],
    ['enable-rotation-job', { job_config_id: NOTHING, auto_rotate_key_source: 'native' }],
  ] as const)
    await refused(keys().tryAct(second.id, action, body), 409, 8, [])
  await refused(keys().tryUpdate(first.id, { attributes: { enabled: false } }), 409, 8, [])
  await refused(keys().tryCreate('deleted'), 409, 16, [])
  const back = await keys().act(second.id, 'recover')
  expect(back).toMatchObject({ status: 'ACTIVE', is_latest: true, key_soft_deleted_in_azure: false })
  for (const field of ['deletion_date', 'purge_date']) expect(back).not.toHaveProperty(field)
  expect(await keys().get(first.id)).toMatchObject({ status: 'ACTIVE', is_latest: false })
  expect(seen(first)).toMatchObject({ deleted: false, versions: [{ id: first.version }, { id: second.version }] })
})

test('a purged key is gone for good, and its name is free', async () => {
  const { cloud } = tests()
  const first = await keys().create('purged')
  const second = await keys().create('purged')
  await keys().act(second.id, 'soft-delete')
  expect(await keys().act(first.id, 'hard-delete')).toMatchObject({ status: 'DELETED', deleted: true, gone: true })
  expect(await keys().get(second.id)).toMatchObject({ status: 'DELETED', deleted: true, gone: true })
  expect(cloud.keyOf(IN.premium, 'purged')).toBeUndefined()
  for (const action of ['recover', 'soft-delete', 'hard-delete'])
    await refused(keys().tryAct(second.id, action), 409, 8, [])
  const third = await keys().create('purged')
  expect(await keys().get(third.id)).toMatchObject({ status: 'ACTIVE', is_latest: true })
  expect((await keys().list('?key_name=purged&version=-1')).resources).toMatchObject([{ id: third.id }])
})

test('purge protection keeps a deleted key, and without soft delete a deletion is final', async () => {
  const { cloud } = tests()
  const locked = await keys().create('kept', {}, 'locked')
  await keys().act(locked.id, 'soft-delete')
  const { detail } = await refused(keys().tryAct(locked.id, 'hard-delete'), 409, 8, [])
  expect(detail).toContain('purge protection')
  expect(await keys().act(locked.id, 'recover')).toMatchObject({ status: 'ACTIVE' })
  const plain = await keys().create('final', {}, 'plain')
  expect(plain.soft_delete_enabled).toBe(false)
  await keys().create('final', {}, 'plain')
  expect(await keys().act(plain.id, 'soft-delete')).toMatchObject({ status: 'DELETED', deleted: true, gone: true })
  expect(cloud.keyOf(IN.plain, 'final')).toBeUndefined()
  expect((await keys().list('?key_name=final&status=DELETED')).total).toBe(2)
})

test('a refresh finds what others did to every version', async () => {
  const { cloud, others, seen } = tests()
  const key = await keys().create('refreshed')
  cloud.alterKey(IN.premium, 'refreshed', { enabled: false, tags: { by: 'others' } })
  cloud.alterKey(IN.premium, 'refreshed', { newVersions: 2 })
  const after = await keys().act(key.id, 'refresh')
  expect(after).toMatchObject({
    is_latest: false,
    cloud_b_param: { attributes: { enabled: false }, tags: { by: 'others' } },
  })
  const versions = await keys().versions('refreshed')
  expect(versions.map(({ version }) => version).sort()).toEqual(
    seen(key)
      .versions.map(({ id }) => id)
      .sort(),
  )
  expect(versions.filter(({ is_latest }) => is_latest).map(({ version }) => version)).toEqual([
    seen(key).versions.at(-1)?.id,
  ])
  expect(versions.filter(({ key_material_origin }) => key_material_origin === 'unknown')).toHaveLength(2)
  await (await others.keys(IN.premium).beginDeleteKey('refreshed')).pollUntilDone()
  expect(await keys().act(key.id, 'refresh')).toMatchObject({ status: 'SOFT-DELETED', gone: false })
  expect((await keys().list('?key_name=refreshed&status=SOFT-DELETED')).total).toBe(3)
  await (await others.keys(IN.premium).beginRecoverDeletedKey('refreshed')).pollUntilDone()
  expect(await keys().act(key.id, 'refresh')).toMatchObject({ status: 'ACTIVE', gone: false })
  expect((await keys().list('?key_name=refreshed&status=ACTIVE')).total).toBe(3)
  cloud.forgetKey(IN.premium, 'refreshed')
  expect(await keys().act(key.id, 'refresh')).toMatchObject({ status: 'DELETED', gone: true })
  expect((await keys().list('?key_name=refreshed&gone=true')).total).toBe(3)
  const { detail } = await refused(keys().tryUpdate(key.id, { tags: {} }), 409, 8, [])
  expect(detail).toContain('no longer has')
})

test('the key of a certificate is seen and not changed', async () => {
  const { others, admin } = tests()
  const poller = await others.certificates(IN.premium).beginCreateCertificate('of-certificate', {
    issuerName: 'Self',
    subject: 'CN=shop.example',
  })
  await poller.pollUntilDone()
  const any = await keys().create('of-certificate-neighbour')
  await admin.ok('POST', `${CLOUD_B}/synchronization-jobs`, { key_vaults: [IN.premium] })
  await tests().service.deployment.flows.idle()
  expect(any).toBeDefined()
  const [key] = await keys().versions('of-certificate')
  expect(key).toMatchObject({ cloud_b_param: { managed: true } })
  await refused(keys().tryUpdate(key.id, { tags: {} }), 409, 8, [])
  await refused(keys().tryAct(key.id, 'soft-delete'), 409, 8, [])
  expect(await keys().act(key.id, 'refresh')).toMatchObject({ status: 'ACTIVE' })
})

test('each action takes its permission, and without a view nothing is there', async () => {
  const { admin, user, vaults } = tests()
  const key = await keys().create('guarded')
  const { holder, sub } = await user('keyholder', ['keymgr Users'])
  const permit = (...actions: string[]) =>
    admin.ok('POST', `${CLOUD_B}/vaults/${vaults.premium.id}/update-acls`, {
      acls: [{ user_id: sub, permit: true, actions }],
    })
  const theirs = keysOf(holder)
  await refused(holder.call('GET', `${KEYS}/${key.id}`), 404, 5, [])
  await refused(theirs.tryCreate('theirs'), 404, 5, ['#/key_vault'])
  expect((await theirs.list()).total).toBe(0)
  await permit('view')
  expect(await theirs.get(key.id)).toMatchObject({ id: key.id })
  expect((await theirs.list(`?key_vault=${IN.spare}`)).total).toBe(0)
  expect((await theirs.list()).resources.every(({ key_vault_id }: any) => key_vault_id === vaults.premium.id)).toBe(
    true,
  )
  expect((await holder.call('GET', `${KEYS}/${key.id}/download-public-key`)).status).toBe(200)
  const rotation = { job_config_id: NOTHING, auto_rotate_key_source: 'native' }
  for (const [action, method, path, body] of [
    ['keycreate', 'POST', '', keyBody('theirs')],
    ['keyupdate', 'PATCH', `/${key.id}`, { tags: { by: 'them' } }],
    ['keyupdate', 'POST', `/${key.id}/enable-rotation-job`, rotation],
    ['keyupdate', 'POST', `/${key.id}/disable-rotation-job`, undefined],
    ['keysynchronize', 'POST', `/${key.id}/refresh`, undefined],
    ['keydelete', 'POST', `/${key.id}/soft-delete`, undefined],
    ['keyrecover', 'POST', `/${key.id}/recover`, undefined],
    ['keydelete', 'POST', `/${key.id}/soft-delete`, undefined],
    ['keypurge', 'POST', `/${key.id}/hard-delete`, undefined],
  ] as const) {
    const isHeld = (await admin.ok('GET', `${CLOUD_B}/vaults/${vaults.premium.id}`)).acls.some(
      ({ user_id, actions }: any) => user_id === sub && actions.includes(action),
    )
    if (isHeld) {
      if (!path.includes('rotation')) await holder.ok(method, `${KEYS}${path}`, body)
      continue
    }
    await refused(holder.call(method, `${KEYS}${path}`, body), 403, 4, [])
    await permit(action)
    expect([200, 201], action).toContain((await holder.call(method, `${KEYS}${path}`, body)).status)
  }
  await refused(theirs.tryUpload('theirs', 'none'), 403, 4, [])
})

test('another domain sees none of it', async () => {
  const { service } = tests()
  const key = await keys().create('of-root')
  const { child } = await childAdmin(service)
  const call = (method: string, path: string, body?: unknown) => service.call(method, path, { token: child, body })
  expect((await call('GET', KEYS)).body.total).toBe(0)
  await refused(call('GET', `${KEYS}/${key.id}`), 404, 5, [])
  await refused(call('PATCH', `${KEYS}/${key.id}`, { tags: {} }), 404, 5, [])
  await refused(call('POST', KEYS, keyBody('of-child')), 404, 5, ['#/key_vault'])
})

test('the audit records tell what became of a key', async () => {
  const key = await keys().create('audited')
  await keys().update(key.id, { attributes: { enabled: false } })
  for (const action of ['soft-delete', 'recover', 'refresh']) await keys().act(key.id, action)
  await refused(keys().tryAct(key.id, 'hard-delete'), 409, 8, [])
  const records = (await tests().records('service=keymgr')).filter(
    ({ details }: any) => details.resource_name === 'audited',
  )
  expect(records.map(({ message, success }: any) => [message, success])).toEqual([
    ['Create Cloud-b Key', true],
    ['Update Cloud-b Key', true],
    ['Delete Cloud-b Key', true],
    ['Recover Cloud-b Key', true],
    ['Refresh Cloud-b Key', true],
    ['Purge Cloud-b Key', false],
  ])
  expect(records[1].details).toMatchObject({
    before: { version: key.version, attributes: { enabled: true } },
    after: { attributes: { enabled: false } },
  })
  expect(records[2].details).toMatchObject({ before: { status: 'ACTIVE' }, after: { status: 'SOFT-DELETED' } })
})

test('a vault of another subscription may have the same name of a key', async () => {
  const { admin, cloud } = tests()
  const bank = vaultsBody(['bank-premium'], cloud.subscriptions()[1]?.id)
  const { vaults } = await admin.ok('POST', `${CLOUD_B}/add-vaults`, bank)
  const ours = await keys().create('in-both')
  const theirs = await admin.ok('POST', KEYS, { ...keyBody('in-both'), key_vault: vaults[0].id })
  expect(await keys().get(theirs.id)).toMatchObject({ version_count: 1, key_vault: 'bank-premium', is_latest: true })
  expect(await keys().get(ours.id)).toMatchObject({ version_count: 1, is_latest: true })
})

test('a removed vault takes its records along, and leaves the cloud alone', async () => {
  const { admin, vaults, cloud, sweep } = tests()
  const key = await keys().create('stays-there', {}, 'spare')
  await admin.ok('POST', `${CLOUD_B}/vaults/${vaults.spare.id}/remove-vault`)
  await refused(admin.call('GET', `${KEYS}/${key.id}`), 404, 5, [])
  await sweep()
  expect((await keys().list('?key_name=stays-there')).total).toBe(0)
  expect(cloud.keyOf(IN.spare, 'stays-there')).toMatchObject({ deleted: false })
  const again = await admin.ok('POST', `${CLOUD_B}/add-vaults`, vaultsBody([IN.spare]))
  expect(again.vaults).toHaveLength(1)
  expect((await keys().list(`?key_vault=${IN.spare}`)).total).toBe(0)
})
