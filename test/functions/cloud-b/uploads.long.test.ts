import { createPrivateKey, createPublicKey, privateDecrypt, publicEncrypt, constants } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { PFX } from '../../infra/simulators/cloud-b/certificates/pfx-file.ts'
import { CLOUD_B, refused } from './cloud-b.ts'
import { IN, keysOf, uploadBody, useKeys } from './keys.ts'

const tests = useKeys()
const keys = () => keysOf(tests().admin)
const POLICY = { data: { version: '1.0.0', anyOf: [{ authority: 'https://attest.example', allOf: [] }] } }
const FIELD = '#/local_key_identifier'

let kek = ''
beforeAll(async () => {
  const { admin } = tests()
  await admin.create({ name: 'rsa', algorithm: 'rsa', size: 2048 })
  await admin.create({ name: 'ec', algorithm: 'ec', curveid: 'secp384r1' })
  await admin.create({ name: 'koblitz', algorithm: 'ec', curveid: 'secp256k1' })
  await admin.create({ name: 'aes', algorithm: 'aes', size: 256 })
  const made = await keys().create('kek', { kty: 'RSA-HSM', key_ops: ['import'] })
  kek = made.cloud_b_param.key.kid
})

/** A local key's bytes: PKCS #8 of a pair. */
async function exported(name: string): Promise<Buffer> {
  const isPair = name !== 'aes'
  const how = { format: isPair ? 'pkcs8' : 'raw', encoding: 'base64' }
  const { material } = await tests().admin.act(name, 'export', how)
  return Buffer.from(material.replaceAll(/-----[A-Z ]+-----|\s/g, ''), 'base64')
}

test.each<[string, string, object, object]>([
  ['rsa', 'RSA', {}, {}],
  ['rsa', 'RSA-HSM', { hsm: true }, {}],
  ['rsa', 'RSA-HSM', {}, { kek: true }],
  ['rsa', 'RSA-HSM', { key_vault: IN.hsm }, {}],
  ['ec', 'EC', {}, {}],
  ['ec', 'EC', { key_vault: IN.standard }, {}],
  ['ec', 'EC-HSM', { hsm: true }, {}],
  ['ec', 'EC-HSM', {}, { kek: true }],
  ['koblitz', 'EC-HSM', {}, { kek: true }],
  ['koblitz', 'EC', {}, {}],
  ['aes', 'oct-HSM', { key_vault: IN.hsm }, {}],
])('the local key %s is uploaded as %s with %j %j: the cloud has its bytes', async (local, kty, more, how) => {
  const { admin, cloud } = tests()
  const name = `up-${local}-${kty}-${JSON.stringify([more, how]).replaceAll(/[^a-z]/g, '')}`
  const key = await keys().upload(name, local, {
    ...more,
    ...('kek' in how && { kek_kid: kek }),
    cloud_b_param: { tags: { from: local }, ...(kty.startsWith('EC') && { key_ops: ['sign'] }) },
  })
  const source = await admin.get(local)
  expect(key).toMatchObject({
    status: 'ACTIVE',
    is_latest: true,
    key_material_origin: 'keymgr',
    local_key_id: source.id,
    local_key_name: local,
    cloud_b_param: { key: { kty }, tags: { from: local } },
  })
  expect(key).not.toHaveProperty('kek_kid')
  if (kty.startsWith('EC')) expect(key.cloud_b_param.key.key_ops).toEqual(['sign'])
  expect(source.neverExported).toBe(false)
  const held = await cloud.materialOf(key.key_vault as string, name)
  const bytes = await exported(local)
  if (local === 'aes') expect(held?.equals(bytes)).toBe(true)
  else {
    const ours = createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' })
    expect(createPrivateKey({ key: held ?? bytes, format: 'der', type: 'pkcs8' }).equals(ours)).toBe(true)
  }
})

test('the cloud encrypts with an uploaded key, and the local key decrypts', async () => {
  const { cloud } = tests()
  await keys().upload('used', 'rsa')
  const { value } = await cloud.encryptAs(IN.premium, 'used', 'RSA-OAEP', Buffer.from('hello'))
  const key = createPrivateKey({ key: await exported('rsa'), format: 'der', type: 'pkcs8' })
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }
  expect(privateDecrypt({ key, ...padding }, value).toString()).toBe('hello')
  expect(publicEncrypt({ key: createPublicKey(key), ...padding }, Buffer.from('x'))).toHaveLength(256)
})

test('an upload under an existing name creates another version', async () => {
  const first = await keys().create('mixed')
  const second = await keys().upload('mixed', 'ec', { cloud_b_param: { attributes: { enabled: false } } })
  expect(await keys().get(first.id)).toMatchObject({
    is_latest: false,
    key_material_origin: 'native',
    version_count: 2,
  })
  expect(await keys().get(second.id)).toMatchObject({
    is_latest: true,
    version_count: 2,
    cloud_b_param: { attributes: { enabled: false } },
  })
})

test('an exportable upload is imported into hardware, with its release policy', async () => {
  const key = await keys().upload('released', 'rsa', { exportable: true, release_policy: POLICY })
  expect(key).toMatchObject({ exportable: true, cloud_b_param: { key: { kty: 'RSA-HSM' }, release_policy: POLICY } })
  const wrapped = await keys().upload('released', 'ec', { exportable: true, release_policy: POLICY, kek_kid: kek })
  expect(wrapped).toMatchObject({ exportable: true, cloud_b_param: { key: { kty: 'EC-HSM' } } })
})

const pfxBody = (key_name: string, more: object = {}): object => ({
  key_name,
  key_vault: IN.premium,
  source_key_tier: 'pfx',
  pfx: PFX.base64,
  password: PFX.password,
  ...more,
})
const uploadPfx = (body: object) => tests().admin.call('POST', `${CLOUD_B}/upload-key`, body)

test('a PFX imports its private key, and neither it nor its password is stored', async () => {
  const { cloud, admin } = tests()
  const body = { ...pfxBody('of-pfx'), hsm: true }
  const { status, body: key } = await uploadPfx(body)
  expect([status, key.cloud_b_param?.key.kty], JSON.stringify(key)).toEqual([201, 'EC-HSM'])
  for (const field of ['local_key_id', 'pfx', 'password']) expect(key).not.toHaveProperty(field)
  const held = await cloud.materialOf(IN.premium, 'of-pfx')
  expect(
    createPrivateKey({ key: held ?? Buffer.of(), format: 'der', type: 'pkcs8' }).equals(createPrivateKey(PFX.pem)),
  ).toBe(true)
  const records = JSON.stringify(await tests().records('service=keymgr'))
  for (const secret of [PFX.base64, PFX.password]) expect(records).not.toContain(`"${secret}"`)
  const again = { 'idempotency-key': 'pfx-twice' }
  const path = `${CLOUD_B}/upload-key`
  const one = await admin.call('POST', path, pfxBody('pfx-twice'), again)
  const two = await admin.call('POST', path, pfxBody('pfx-twice'), again)
  expect([one.status, two.status, two.body.id]).toEqual([201, 201, one.body.id])
})

test.each<[string, object, number, number, string[]]>([
  ['a wrong password', { password: 'wrong' }, 422, 2, ['#/password']],
  ['no password', { password: undefined }, 422, 2, ['#/password']],
  ['what is no PFX', { pfx: Buffer.from('nothing').toString('base64') }, 422, 2, ['#/pfx']],
  ['what is no Base64', { pfx: 'ä' }, 422, 2, ['#/pfx']],
  ['no PFX', { pfx: undefined, password: undefined }, 422, 2, ['#/pfx']],
  ['a local key besides', { local_key_identifier: 'rsa' }, 422, 2, ['#/pfx']],
  ['a PFX of the tier local', { source_key_tier: 'local', local_key_identifier: 'rsa' }, 422, 2, ['#/pfx', '#/pfx']],
  ['a tier there is not', { source_key_tier: 'hsm' }, 422, 2, ['#/source_key_tier']],
])('an upload of a PFX refuses %s', async (_what, more, status, code, fields) => {
  await refused(uploadPfx(pfxBody('no-pfx', more)), status, code, fields)
  expect(tests().cloud.keyOf(IN.premium, 'no-pfx')).toBeUndefined()
})

test.each<[string, object, number, number, string[]]>([
  ['no local key', { local_key_identifier: undefined }, 422, 2, [FIELD]],
  ['a local key that is not there', { local_key_identifier: 'none' }, 404, 5, [FIELD]],
  ['a password without a PFX', { password: 'x' }, 422, 2, ['#/password']],
  ['hardware of a standard vault', { key_vault: IN.standard, hsm: true }, 422, 2, ['#/hsm']],
  ['software in a managed HSM', { key_vault: IN.hsm, hsm: false }, 422, 2, ['#/hsm']],
  [
    'a wrapped key for a standard vault',
    { key_vault: IN.standard, kek_kid: 'https://a/keys/b' },
    422,
    2,
    ['#/kek_kid'],
  ],
  ['exportable without policy', { exportable: true }, 422, 2, ['#/release_policy']],
  ['a policy alone', { release_policy: POLICY }, 422, 2, ['#/release_policy']],
  [
    'exportable in a standard vault',
    { key_vault: IN.standard, exportable: true, release_policy: POLICY },
    422,
    2,
    ['#/exportable'],
  ],
  ['exportable software', { hsm: false, exportable: true, release_policy: POLICY }, 422, 2, ['#/hsm']],
  ['import as operation', { cloud_b_param: { key_ops: ['import'] } }, 422, 2, ['#/cloud_b_param/key_ops/0']],
  ['a kind', { cloud_b_param: { kty: 'RSA' } }, 400, 1, ['#/cloud_b_param/kty']],
  ['a tag with :', { cloud_b_param: { tags: { a: ':' } } }, 422, 2, ['#/cloud_b_param/tags']],
  [
    'an end before the beginning',
    { cloud_b_param: { attributes: { nbf: 2, exp: 1 } } },
    422,
    2,
    ['#/cloud_b_param/attributes'],
  ],
])('an upload refuses %s', async (_what, more, status, code, fields) => {
  await refused(keys().tryUpload('no-upload', 'rsa', more), status, code, fields)
  for (const vault of Object.values(IN)) expect(tests().cloud.keyOf(vault, 'no-upload')).toBeUndefined()
})

test('a local key that does not fit, is unexportable or not usable is not uploaded', async () => {
  const { admin } = tests()
  await admin.create({ name: 'hmac', algorithm: 'hmac-sha256', size: 256 })
  await admin.create({ name: 'staying', algorithm: 'rsa', size: 2048, unexportable: true })
  await admin.create({ name: 'disabled', algorithm: 'ec', curveid: 'prime256v1' })
  await admin.act('disabled', 'revoke', { reason: 'CessationOfOperation' })
  for (const local of ['aes', 'hmac']) await refused(keys().tryUpload('no', local), 422, 2, [FIELD])
  await refused(keys().tryUpload('no', 'hmac', { key_vault: IN.hsm }), 422, 2, [FIELD])
  await refused(keys().tryUpload('no', 'staying'), 403, 11, [])
  await refused(keys().tryUpload('no', 'disabled'), 409, 8, [])
  expect((await keys().list('?key_name=no')).total).toBe(0)
  expect(await admin.get('staying')).toMatchObject({ neverExported: true })
})

test('a key-exchange key must belong to the vault, be usable, and have no other use', async () => {
  const { vaults, at } = tests()
  const upload = (kek_kid: string, more: object = {}) =>
    refused(keys().tryUpload('no-kek', 'rsa', { kek_kid, ...more }), 422, 2, ['#/kek_kid'])
  const made = async (name: string, attributes: object, vault: 'premium' | 'spare' = 'premium') =>
    (await keys().create(name, { kty: 'RSA-HSM', key_ops: ['import'], attributes }, vault)).cloud_b_param.key
      .kid as string
  const other = await keys().create('no-kek-key', { kty: 'RSA-HSM' })
  const past = Math.floor(Date.parse(at(-60_000)) / 1_000)
  for (const kid of [
    await made('kek-elsewhere', {}, 'spare'),
    await made('kek-disabled', { enabled: false }),
    await made('kek-expired', { exp: past }),
    await made('kek-later', { nbf: past + 3_600 }),
    other.cloud_b_param.key.kid as string,
    `${vaults.premium.vault_url}/keys/none`,
    `${vaults.premium.vault_url}/secrets/kek`,
    'https://elsewhere.example/keys/kek',
  ])
    await upload(kid)
  await refused(
    keys().tryUpload('no-kek', 'rsa', { kek_kid: 'http://shop-premium.vault.azure.net/keys/kek' }),
    422,
    2,
    ['#/kek_kid'],
  )
  await refused(keys().tryUpload('no-kek', 'rsa', { kek_kid: kek, hsm: false }), 422, 2, ['#/hsm'])
  expect(tests().cloud.keyOf(IN.premium, 'no-kek')).toBeUndefined()
  const latest = kek.slice(0, kek.lastIndexOf('/'))
  expect(await keys().upload('by-latest-kek', 'rsa', { kek_kid: latest })).toMatchObject({ status: 'ACTIVE' })
})

test('a refused upload leaves nothing, and a repeated request finishes one that had begun', async () => {
  const { cloud, admin } = tests()
  cloud.inject({ fault: 'access-denied', operation: 'KeyImport' })
  await refused(keys().tryUpload('denied', 'rsa'), 502, 16, [])
  cloud.reset()
  expect((await keys().list('?key_name=denied')).total).toBe(0)
  const revoke = () => void cloud.inject({ fault: 'access-denied' })
  cloud.inject({ fault: 'observe', operation: 'KeyImport', times: 1, after: revoke })
  const path = `${CLOUD_B}/upload-key`
  const first = await admin.call('POST', path, uploadBody('revoked', 'rsa'))
  cloud.reset()
  const again = first.status === 201 ? first : await admin.call('POST', path, uploadBody('revoked', 'rsa'))
  expect(again.status, JSON.stringify(again.body)).toBe(201)
  expect(cloud.keyOf(IN.premium, 'revoked')?.versions).toHaveLength(1)
  expect(await keys().versions('revoked')).toHaveLength(1)
})

test('a local key is kept for as long as the cloud has a key with its material', async () => {
  const { admin } = tests()
  await admin.create({ name: 'kept-for-b', algorithm: 'rsa', size: 2048 })
  await keys().upload('needs-kept', 'kept-for-b')
  const refusal = await admin.call('DELETE', '/v1/vault/keys2/kept-for-b')
  expect([refusal.status, refusal.body.code]).toEqual([409, 9])
  expect(refusal.body.detail).toMatch(/^The key kept-for-b is used by 1 cloud-b key version\. Users: .*\/needs-kept\.$/)
})
