import { createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { refused } from '../cloud-b.ts'
import { IN, keyBody, KEYS, type In } from '../keys.ts'
import { tests, seconds, keys, PARAM, POLICY, NOTHING } from './set-up.ts'

test('a key is created with all requested properties, and its record shows them', async () => {
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
])('%s with %j returns its public key', async (kty, how, is) => {
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

test('a second key under a name is another version, which becomes the latest', async () => {
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

test('concurrent requests for versions of a name run one after the other', async () => {
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

test('an exportable key has its release policy, and stays exportable', async () => {
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

test('a release policy is given directly, or as data', async () => {
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

test('a key shows the author of its last change, and its callers’ free data', async () => {
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

test('a name consists of letters, digits and dashes, and the vault must exist', async () => {
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
