import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Answered } from '../../support/service.ts'
import { CLOUD_B, refused, SUBSCRIPTION, VAULTS } from './cloud-b.ts'
import { IN, keyBody, KEYS, keysOf, useKeys, vaultsBody } from './keys.ts'
import { atCloud, synchronized } from './other-people.ts'

/** Each refusal has its status and a sentence that states the remedy, and changes neither the cloud nor the records. */
const tests = useKeys({ flowPauseMs: () => 1 })
const keys = () => keysOf(tests().admin)
const ask = (method: string, path: string, body?: object): Promise<Answered> => tests().admin.call(method, path, body)

beforeAll(async () => {
  const { admin } = tests()
  await admin.create({ name: 'rsa', algorithm: 'rsa', size: 2048 })
  await admin.create({ name: 'ec', algorithm: 'ec', curveid: 'prime256v1' })
})
beforeEach(() => tests().cloud.reset())

/** A refusal, with a message that matches. */
async function told(
  answer: Promise<Answered>,
  [status, code]: readonly [number, number],
  words: RegExp,
  fields: string[] = [],
) {
  const { detail, errors = [] } = await refused(answer, status, code, fields)
  expect([detail, ...errors.map((one: any) => one.detail)].join(' ')).toMatch(words)
}

const OF_CLOUD = { conflict: [409, 16], invalid: [422, 16], missing: [404, 16], denied: [502, 16] } as const
const RULE = [422, 2] as const

const GONE = /VaultNotFound: .*recover it at the cloud, or remove it here/

test('all work in a deleted vault is refused, and no record shows that its keys are deleted', async () => {
  const { cloud, admin } = tests()
  const key = await keys().create('housed', {}, 'spare')
  const soft = await keys().create('housed-deleted', {}, 'spare')
  await keys().act(soft.id, 'soft-delete')
  cloud.deleteVault(IN.spare)
  await told(keys().tryCreate('housed', {}, 'spare'), OF_CLOUD.missing, GONE)
  await told(keys().tryUpload('housed', 'ec', { key_vault: IN.spare }), OF_CLOUD.missing, GONE)
  await told(keys().tryUpdate(key.id, { tags: { a: 'b' } }), OF_CLOUD.missing, GONE)
  for (const action of ['refresh', 'soft-delete']) await told(keys().tryAct(key.id, action), OF_CLOUD.missing, GONE)
  for (const action of ['recover', 'hard-delete']) await told(keys().tryAct(soft.id, action), OF_CLOUD.missing, GONE)
  await told(keys().tryAct(key.id, 'backups', {}), OF_CLOUD.missing, GONE)
  const job = await synchronized(tests(), `${CLOUD_B}/synchronization-jobs`, { key_vaults: [IN.spare] })
  expect(job).toMatchObject({ overall_status: 'failed', gone: 0 })
  expect(job.detailed_status[IN.spare]).toMatch(/gone from the subscription .* recover it at the cloud/)
  expect(await admin.ok('GET', `${VAULTS}/${tests().vaults.spare.id}`)).toMatchObject({ gone: true })
  expect(await keys().get(key.id)).toMatchObject({ status: 'ACTIVE', gone: false, version_count: 1 })
  expect(await keys().get(soft.id)).toMatchObject({ status: 'SOFT-DELETED', gone: false })
  cloud.recoverVault(IN.spare)
  expect(await keys().act(soft.id, 'recover')).toMatchObject({ status: 'ACTIVE' })
  expect(await keys().act(key.id, 'refresh')).toMatchObject({ status: 'ACTIVE' })
  await synchronized(tests(), `${CLOUD_B}/synchronization-jobs`, { key_vaults: [IN.spare] })
  expect(await admin.ok('GET', `${VAULTS}/${tests().vaults.spare.id}`)).toMatchObject({ gone: false })
})

test('secrets and certificates of a deleted vault keep their state', async () => {
  const { admin, cloud } = tests()
  const policy = { issuer: { name: 'Self' }, key_props: { kty: 'EC' }, x509_props: { subject: 'CN=shop.example' } }
  const made = [
    [`${CLOUD_B}/secrets`, { secret_name: 'housed-secret', cloud_b_param: { value: 'the value' } }],
    [`${CLOUD_B}/certificates`, { cert_name: 'housed-certificate', cloud_b_param: { policy } }],
  ] as const
  for (const [family, body] of made) {
    const item = await admin.ok('POST', family, { ...body, key_vault: IN.spare })
    cloud.deleteVault(IN.spare)
    for (const action of ['refresh', 'soft-delete'])
      await told(ask('POST', `${family}/${item.id}/${action}`), OF_CLOUD.missing, GONE)
    cloud.recoverVault(IN.spare)
    expect(await admin.ok('POST', `${family}/${item.id}/refresh`)).toMatchObject({ status: 'ACTIVE', gone: false })
  }
})

test('a vault that was moved to another subscription is reported as missing from its own', async () => {
  const { cloud, admin, vaults } = tests()
  const [, bank] = cloud.subscriptions()
  const key = await keys().create('moving', {}, 'overseas')
  cloud.alterVault(IN.overseas, { subscription: bank?.id ?? '', resourceGroup: 'bank-keys' })
  const job = await synchronized(tests(), `${CLOUD_B}/synchronization-jobs`, { key_vaults: [IN.overseas] })
  expect(job).toMatchObject({ overall_status: 'failed', gone: 0 })
  expect(job.detailed_status[IN.overseas]).toContain(
    `gone from the subscription ${SUBSCRIPTION}. If it is soft-deleted, recover it at the cloud; if it was moved, remove it here and add it from its subscription.`,
  )
  // The key keeps its address, so the cloud still answers for it.
  expect(await keys().act(key.id, 'refresh')).toMatchObject({ status: 'ACTIVE', gone: false })
  await admin.ok('POST', `${VAULTS}/${vaults.overseas.id}/remove-vault`)
  const { vaults: added } = await admin.ok('POST', `${CLOUD_B}/add-vaults`, vaultsBody([IN.overseas], bank?.id))
  expect(added).toMatchObject([{ subscription_id: bank?.id, gone: false }])
  const again = await synchronized(tests(), `${CLOUD_B}/synchronization-jobs`, { key_vaults: [added[0].id] })
  expect(again).toMatchObject({ overall_status: 'completed', added: 1 })
  cloud.alterVault(IN.overseas, { subscription: SUBSCRIPTION, resourceGroup: 'shop-overseas' })
  await admin.ok('POST', `${VAULTS}/${added[0].id}/remove-vault`)
  await admin.ok('POST', `${CLOUD_B}/add-vaults`, vaultsBody([IN.overseas]))
})

test('a vault that was created again in another region has its new region, and the former keys are gone', async () => {
  const { cloud, admin, vaults } = tests()
  const key = await keys().create('of-before', {}, 'locked')
  const before = cloud.vaultNamed(IN.locked)
  if (before === undefined) throw new Error('The cloud has the vault')
  cloud.purgeVault(IN.locked)
  cloud.putVault({ ...before, location: 'germanywestcentral', purgeProtection: false })
  const job = await synchronized(tests(), `${CLOUD_B}/synchronization-jobs`, { key_vaults: [IN.locked] })
  expect(job).toMatchObject({ overall_status: 'completed', gone: 1 })
  const path = `${VAULTS}/${vaults.locked.id}`
  expect(await admin.ok('GET', path)).toMatchObject({ region: 'germanywestcentral', purge_protection: false })
  expect(await keys().get(key.id)).toMatchObject({ status: 'DELETED', gone: true, region: 'westeurope' })
  expect(await keys().create('of-before', {}, 'locked')).toMatchObject({ region: 'germanywestcentral' })
  cloud.putVault(before)
})

test('purge protection that was enabled meanwhile keeps a deleted key, which can be recovered', async () => {
  const { cloud } = tests()
  const key = await keys().create('protected', {}, 'premium')
  await keys().act(key.id, 'soft-delete')
  cloud.alterVault(IN.premium, { purgeProtection: true })
  await told(
    keys().tryAct(key.id, 'hard-delete'),
    OF_CLOUD.conflict,
    /purge protection .* automatically purge it after/,
  )
  expect(await keys().get(key.id)).toMatchObject({ status: 'SOFT-DELETED' })
  expect(await keys().act(key.id, 'recover')).toMatchObject({ status: 'ACTIVE' })
  cloud.alterVault(IN.premium, { purgeProtection: false })
})

test('a soft-deleted name is refused to creation, upload and restore alike, and the refusal states it', async () => {
  const { cloud } = tests()
  const key = await keys().create('waiting')
  await keys().act(key.id, 'backups', {})
  const theirs = await keys().create('waiting', {}, 'spare')
  await keys().act(theirs.id, 'soft-delete')
  const recover = /ObjectIsDeletedButRecoverable: .*Recover or purge what was deleted under this name first/
  await told(keys().tryCreate('waiting', {}, 'spare'), OF_CLOUD.conflict, recover)
  await told(keys().tryUpload('waiting', 'ec', { key_vault: IN.spare }), OF_CLOUD.conflict, recover)
  await told(keys().tryAct(key.id, 'restore', { key_vault: IN.spare }), OF_CLOUD.conflict, recover)
  expect(await keys().versions('waiting', `&key_vault=${IN.spare}`)).toMatchObject([
    { id: theirs.id, status: 'SOFT-DELETED' },
  ])
  await keys().act(theirs.id, 'recover')
  const live =
    /already in use in this vault\. Restore it into another vault, or delete and purge the item with this name first/
  await told(keys().tryAct(key.id, 'restore', { key_vault: IN.spare }), OF_CLOUD.conflict, live)
  expect(cloud.keyOf(IN.spare, 'waiting')?.versions).toHaveLength(1)
})

test('a name that others deleted before it was read is recorded as deleted after a refused upload', async () => {
  const { cloud } = tests()
  const first = await keys().create('deleted-there')
  const second = await keys().create('deleted-there')
  await atCloud(cloud, IN.premium, 'DELETE', '/keys/deleted-there')
  await told(keys().tryUpload('deleted-there', 'ec'), OF_CLOUD.conflict, /Recover or purge/)
  for (const { id } of [first, second]) expect(await keys().get(id)).toMatchObject({ status: 'SOFT-DELETED' })
  expect(await keys().act(first.id, 'recover')).toMatchObject({ status: 'ACTIVE' })
  expect(await keys().upload('deleted-there', 'ec')).toMatchObject({ is_latest: true })
})

test('a backup can be restored only in its geography, and the refusal names the vaults', async () => {
  const key = await keys().create('travelling')
  await keys().act(key.id, 'backups', {})
  const where = /Cannot decrypt backup blob\. A backup can be restored into vaults .* subscription and geography/
  for (const key_vault of [IN.overseas, IN.hsm])
    await told(keys().tryAct(key.id, 'restore', { key_vault }), OF_CLOUD.invalid, where)
  const hardware = await keys().create('travelling-in-hardware', { kty: 'EC-HSM' })
  await keys().act(hardware.id, 'backups', {})
  const kind =
    /'EC-HSM' is not supported by vaults of sku standard\. A backup can be restored into vaults that hold its kind/
  await told(keys().tryAct(hardware.id, 'restore', { key_vault: IN.standard }), OF_CLOUD.invalid, kind)
  for (const vault of [IN.overseas, IN.hsm, IN.standard]) {
    expect((await keys().list(`?key_vault=${vault}&key_name=travelling*`)).total).toBe(0)
    expect(tests().cloud.keyOf(vault, 'travelling')).toBeUndefined()
  }
})

test.each<[string, string, () => unknown, RegExp]>([
  [
    'disabled',
    'kek-1',
    () => tests().cloud.alterKey(IN.premium, 'kek-1', { enabled: false }),
    /names a key that is disabled or expired/,
  ],
  ['expired', 'kek-2', () => tests().cloud.alterKey(IN.premium, 'kek-2', { nbf: 1, exp: 2 }), /is disabled or expired/],
  ['deleted', 'kek-3', () => atCloud(tests().cloud, IN.premium, 'DELETE', '/keys/kek-3'), /no longer has/],
  ['forgotten', 'kek-4', () => tests().cloud.forgetKey(IN.premium, 'kek-4'), /no longer has/],
])(
  'a key-exchange key that is %s after it was looked up is named, and the material stays here',
  async (_how, name, change, words) => {
    const { cloud, admin } = tests()
    const made = await keys().create(name, { kty: 'RSA-HSM', key_ops: ['import'] })
    const { name: local, id } = await admin.create({ name: `for-${name}`, algorithm: 'ec', curveid: 'prime256v1' })
    const after = async () => {
      await change()
    }
    cloud.inject({ fault: 'observe', operation: 'KeyGet', times: 1, after, when: ({ path }) => path.includes(name) })
    const upload = () => keys().tryUpload(`under-${name}`, local as string, { kek_kid: made.cloud_b_param.key.kid })
    await told(upload(), RULE, words, ['#/kek_kid'])
    expect(cloud.keyOf(IN.premium, `under-${name}`)).toBeUndefined()
    expect((await keys().list(`?key_name=under-${name}`)).total).toBe(0)
    expect(await admin.get(id as string)).toMatchObject({ neverExported: true })
    await refused(upload(), 422, 2, ['#/kek_kid']) // detected in advance
  },
)

test.each([
  ['without a version', { anyOf: [] }],
  ['without conditions', { version: '1.0.0' }],
  ['with nothing in it', {}],
])('a release policy %s is refused with the rule', async (_what, data) => {
  const more = { exportable: true, release_policy: { data } }
  const rule = /The release policy needs a version, and anyOf or allOf/
  await told(keys().tryCreate('unreleasable', { kty: 'EC-HSM' }, 'premium', more), OF_CLOUD.invalid, rule)
  await told(keys().tryUpload('unreleasable', 'ec', more), OF_CLOUD.invalid, rule)
  expect(tests().cloud.keyOf(IN.premium, 'unreleasable')).toBeUndefined()
  const plain = await keys().create('unreleasable-later')
  const update = keys().tryUpdate(plain.id, { release_policy: { data: { version: '1.0.0', anyOf: [] } } })
  await told(update, OF_CLOUD.invalid, /can only be set on an exportable key/)
})

const HELD = /names a key that cannot be uploaded here\. Vaults take private RSA keys of 2048, 3072 or 4096 bits/
test.each<[string, object, object, RegExp, string]>([
  ['a curve', { algorithm: 'ec', curveid: 'secp224r1' }, {}, HELD, 'local_key_identifier'],
  ['an Edwards curve', { algorithm: 'ec', curveid: 'curve25519' }, {}, HELD, 'local_key_identifier'],
  [
    'a curve, for hardware',
    { algorithm: 'ec', curveid: 'brainpoolP256r1' },
    { hsm: true },
    HELD,
    'local_key_identifier',
  ],
  ['an AES key, for a vault', { algorithm: 'aes', size: 256 }, {}, HELD, 'local_key_identifier'],
  [
    'a MAC key, for a pool',
    { algorithm: 'hmac-sha256', size: 256 },
    { key_vault: IN.hsm },
    HELD,
    'local_key_identifier',
  ],
  [
    'hardware of a standard vault',
    { algorithm: 'ec' },
    { key_vault: IN.standard, hsm: true },
    /needs a premium vault or a managed HSM pool/,
    'hsm',
  ],
  [
    'software of a pool',
    { algorithm: 'ec' },
    { key_vault: IN.hsm, hsm: false },
    /must be of hardware: shop-hsm is a managed HSM pool/,
    'hsm',
  ],
])('material that does not fit is refused before the cloud is asked: %s', async (_what, local, more, words, field) => {
  const { admin, cloud } = tests()
  const { id } = await admin.create({ ...local })
  await told(keys().tryUpload('unfit', id as string, more), RULE, words, [`#/${field}`])
  expect(cloud.counts().KeyImport ?? 0).toBe(0)
  expect(await admin.get(id as string)).toMatchObject({ neverExported: true })
})

test('a denial of the cloud states whose permission is missing, and who can grant it', async () => {
  const { cloud } = tests()
  cloud.inject({ fault: 'access-denied', operation: 'KeyCreate' })
  await told(
    keys().tryCreate('denied'),
    OF_CLOUD.denied,
    /ForbiddenByRbac: .*The application of the connection needs a role/,
  )
  cloud.reset()
  cloud.alterVault(IN.plain, { closed: true })
  const body = keyBody('denied', {}, 'plain')
  await told(ask('POST', KEYS, body), OF_CLOUD.denied, /ForbiddenByFirewall: .*firewall must let this service through/)
  cloud.alterVault(IN.plain, { closed: false })
  expect((await keys().list('?key_name=denied')).total).toBe(0)
})
