import {
  ConnectCustomKeyStoreCommand,
  CreateKeyCommand,
  DecryptCommand,
  DisconnectCustomKeyStoreCommand,
  EncryptCommand,
} from '@aws-sdk/client-kms'
import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import type { Answered } from '../../support/service.ts'
import { expectRefused, type Holder } from '../vault/vault.ts'
import { CLOUD_A, KEYS, keysOf, REGION, useCloudA } from './cloud-a.ts'

const HOSTED = `${CLOUD_A}/create-hyok-key`
const STORES = `${CLOUD_A}/custom-key-stores`
const LOCAL_KEYS = '/v1/vault/keys2'
const NOBODY = '01890000-0000-7000-8000-00000000ffff'
/** A block takes effect for every caller within 5 seconds. */
const TAKES_HOLD_MS = 5_001

// A busy machine is slower than the 250 ms limit of a real cloud: these tests check the calls, not their speed.
const tests = useCloudA({ tlsPort: 'any', proxyTimeoutMs: 10_000 })
let connected: any
let apart: any
/** Has all rights on hosted keys of the entry, and no others. */
let hoster: Holder

/** A local key that is suitable for a hosted key. */
const sourceKey = (name: string, more: object = {}, who = tests().admin): Promise<any> =>
  who.create({ name, algorithm: 'aes', size: 256, unexportable: true, undeletable: true, ...more })

const makeStore = (name: string, more: object = {}): Promise<any> =>
  tests().admin.ok('POST', STORES, {
    name,
    kms: 'main',
    region: REGION,
    cloud_a_param: { xks_proxy_uri_endpoint: 'https://xks.keymgr.test' },
    local_hosted_params: { health_check_key_id: 'health', max_credentials: 2 },
    ...more,
  })

/** Connects the store, which takes the cloud a few reads, and reads it until it is connected. */
async function connect({ id }: any): Promise<any> {
  const { admin } = tests()
  expect((await admin.call('POST', `${STORES}/${id}/connect`, {})).status).toBe(202)
  for (let looks = 1; looks < 10; looks++) {
    const store = await admin.ok('GET', `${STORES}/${id}`)
    if (store.cloud_a_param.connection_state === 'CONNECTED') return store
  }
  throw new Error('The store is not connected')
}

const hostedBody = (source: string, params: object = {}, more: object = {}) => ({
  local_hosted_params: { custom_key_store_id: apart.id as string, source_key_id: source, ...params },
  ...more,
})
const host = (source: string, params: object = {}, more: object = {}): Promise<any> =>
  tests().admin.ok('POST', HOSTED, hostedBody(source, params, more))
const tryHost = (body: object, who: Holder = tests().admin) => who.call('POST', HOSTED, body)
/** In the connected store. */
const inFront = (more: object = {}) => ({ custom_key_store_id: connected.id as string, ...more })

/**
 * The data plane has 150 ms for the table. On a busy machine the call to the cloud is repeated, as an application
 * would.
 */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      if (attempt === 10 || !String(error).includes('DependencyTimeoutException')) throw error
    }
}
const encrypt = (KeyId: string, text: string): Promise<Uint8Array> =>
  patiently(async () => {
    const command = new EncryptCommand({ KeyId, Plaintext: Buffer.from(text) })
    return (await tests().client().send(command)).CiphertextBlob ?? new Uint8Array()
  })
const decrypt = (KeyId: string, ciphertext: Uint8Array): Promise<string> =>
  patiently(async () => {
    const command = new DecryptCommand({ KeyId, CiphertextBlob: ciphertext })
    return Buffer.from((await tests().client().send(command)).Plaintext ?? []).toString()
  })
const recorded = async (): Promise<number> => (await keysOf(tests().admin).list()).total
const alive = (): number =>
  tests()
    .cloud.keysIn(tests().account.id, REGION)
    .filter(({ state }) => state !== 'PendingDeletion').length

beforeAll(async () => {
  const { admin, kms, user } = tests()
  await admin.create({ name: 'health', algorithm: 'aes', size: 256 })
  apart = await makeStore('apart')
  connected = await connect(await makeStore('in front', { linked_state: true }))
  const { holder, sub } = await user('hoster', ['keymgr Users', 'Key Users'])
  hoster = holder
  const actions = ['hyokkeycreate', 'hyokkeyblockunblock', 'hyokkeydelete', 'hyokkeylink']
  const acls = [{ user_id: sub, permit: true, actions }]
  await admin.ok('POST', `${CLOUD_A}/kms/${kms.id}/update-acls`, { acls })
})

test('a linked key encrypts and decrypts for the cloud with the local key, is rotated in itself, and stops while blocked', async () => {
  const { admin, advance, seen } = tests()
  const source = await sourceKey('whole chain')
  const cloud_a_param = { Alias: 'chain', Description: 'stays here', Tags: [{ TagKey: 'kind', TagValue: 'hosted' }] }
  const key = await host('whole chain', inFront({ linked_state: true }), { cloud_a_param, key_users: ['alice'] })
  expect(key).toMatchObject({
    region: REGION,
    kms: 'main',
    key_type: 'symmetric',
    key_material_origin: 'keymgr',
    key_source: 'local',
    key_source_container_id: ROOT_DOMAIN_ID,
    key_source_container_name: 'local',
    local_key_id: source.id,
    local_key_name: 'whole chain',
    rotation_status: '',
    gone: false,
    key_users: ['alice'],
    custom_key_store_id: connected.id,
    local_hosted_params: {
      blocked: false,
      linked_state: true,
      source_key_id: source.id,
      source_key_tier: 'local',
      custom_key_store_id: connected.id,
    },
    cloud_a_param: {
      Alias: ['chain'],
      Description: 'stays here',
      KeyState: 'Enabled',
      Enabled: true,
      Origin: 'EXTERNAL_KEY_STORE',
      CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
      KeyUsage: 'ENCRYPT_DECRYPT',
      CustomKeyStoreId: connected.cloud_a_param.custom_key_store_id,
      XksKeyConfiguration: { Id: key.id },
    },
  })
  expect(key.cloud_a_param.Tags).toContainEqual({ TagKey: 'kind', TagValue: 'hosted' })
  expect(seen(key).tags.keymgr_key_id).toBe(key.id)
  expect(Object.keys(key as object)).not.toEqual(expect.arrayContaining(['when_linked', 'linking']))

  const first = await encrypt('alias/chain', 'before')
  expect(await decrypt(key.cloud_a_param.KeyID, first)).toBe('before')

  const rotated = await admin.call('POST', `${KEYS}/${key.id}/rotate`, {})
  expect(rotated.status, JSON.stringify(rotated.body)).toBe(201)
  const latest = await admin.get('whole chain')
  expect(latest).toMatchObject({ version: 1, unexportable: true, undeletable: true })
  expect(rotated.body).toMatchObject({ id: key.id, local_key_id: latest.id, rotation_status: 'ACTIVE' })
  expect(rotated.body.rotated_at).toEqual(rotated.body.updatedAt)
  expect(rotated.body.local_hosted_params).toEqual(key.local_hosted_params)
  expect((await admin.ok('GET', `${KEYS}/${key.id}/versions`)).resources).toMatchObject([
    { id: key.id, version: 0, is_primary: false, local_key_id: source.id, local_key_version: 0, state: 'Active' },
    { id: key.id, version: 1, is_primary: true, local_key_id: latest.id, local_key_version: 1, state: 'Active' },
  ])
  const idsFrom = async (id: string): Promise<string[]> =>
    (await admin.ok('GET', `${KEYS}?local_key_id=${id}`)).resources.map((each: { id: string }) => each.id)
  expect([await idsFrom(latest.id as string), await idsFrom(source.id as string)]).toEqual([[key.id], []])
  advance(TAKES_HOLD_MS)
  const second = await encrypt('alias/chain', 'after')
  expect(await decrypt(key.cloud_a_param.KeyID, first)).toBe('before')
  expect(await decrypt(key.cloud_a_param.KeyID, second)).toBe('after')

  const blocked = await keysOf(admin).act(key.id, 'block')
  expect(blocked.local_hosted_params).toEqual({ ...key.local_hosted_params, blocked: true })
  advance(TAKES_HOLD_MS)
  await expect(encrypt('alias/chain', 'never')).rejects.toMatchObject({ name: 'KMSInvalidStateException' })
  await expect(decrypt(key.cloud_a_param.KeyID, first)).rejects.toMatchObject({ name: 'KMSInvalidStateException' })
  expect((await keysOf(admin).act(key.id, 'unblock')).local_hosted_params.blocked).toBe(false)
  advance(TAKES_HOLD_MS)
  expect(await decrypt(key.cloud_a_param.KeyID, await encrypt('alias/chain', 'again'))).toBe('again')

  expect((await admin.tryAct('whole chain', 'revoke', { reason: 'CessationOfOperation' })).status).toBe(200)
  advance(TAKES_HOLD_MS)
  await expect(encrypt('alias/chain', 'never')).rejects.toMatchObject({ name: 'KMSInvalidStateException' })
  await expect(decrypt(key.cloud_a_param.KeyID, second)).rejects.toMatchObject({ name: 'KMSInvalidStateException' })
})

test('a key that is not linked is a record alone, which the cloud learns of when it is linked, as was said then or later', async () => {
  const { admin, cloud } = tests()
  await sourceKey('later')
  const before = cloud.calls().length
  const wishes = { cloud_a_param: { Alias: 'first-wish', Description: 'kept' }, key_users: ['alice'] }
  const key = await host('later', inFront(), wishes)
  expect(cloud.calls()).toHaveLength(before)
  expect(key).toMatchObject({
    custom_key_store_id: connected.id,
    local_hosted_params: { blocked: false, linked_state: false },
    cloud_a_param: {
      AccountId: tests().account.id,
      Arn: '',
      KeyID: '',
      KeyState: 'Unlinked',
      Enabled: false,
      Origin: 'EXTERNAL_KEY_STORE',
      CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
      KeyUsage: 'ENCRYPT_DECRYPT',
      Alias: [],
      Tags: [],
      KeyRotationEnabled: false,
    },
  })
  expect(await keysOf(admin).get(key.id)).toEqual(key)
  for (const [action, body] of [
    ['enable', undefined],
    ['refresh', undefined],
    ['schedule-deletion', { days: 7 }],
    ['add-alias', { alias: 'early' }],
    ['get-key-rotation-status', undefined],
  ] as const)
    expectRefused(await keysOf(admin).tryAct(key.id, action, body), 409, 8)
  const linked = await keysOf(hoster).act(key.id, 'link', { cloud_a_param: { Alias: 'second-wish' } })
  expect(linked).toMatchObject({
    id: key.id,
    key_users: ['alice'],
    local_hosted_params: { linked_state: true },
    cloud_a_param: { Alias: ['second-wish'], Description: 'kept', KeyState: 'Enabled' },
  })
  expect(JSON.stringify(linked.cloud_a_param.Policy)).toContain('user/alice')
  expect(await decrypt('alias/second-wish', await encrypt('alias/second-wish', 'linked'))).toBe('linked')
  expectRefused(await keysOf(admin).tryAct(key.id, 'link', {}), 409, 8)
  expectRefused(await admin.call('DELETE', `${KEYS}/${key.id}`), 409, 8)
})

test('a policy that comes with the link takes the place of what the creation said', async () => {
  const { admin, account } = tests()
  await sourceKey('other policy')
  const key = await host('other policy', inFront(), { key_users: ['alice'] })
  const statement = {
    Sid: 'all',
    Effect: 'Allow',
    Principal: { AWS: `arn:aws:iam::${account.id}:root` },
    Action: 'kms:*',
    Resource: '*',
  }
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
  const linked = await keysOf(admin).act(key.id, 'link', {
    cloud_a_param: { Policy },
    BypassPolicyLockoutSafetyCheck: true,
  })
  expect(linked.cloud_a_param.Policy).toEqual(JSON.parse(Policy))
  expect(linked).not.toHaveProperty('key_users')
})

test('a creation that the cloud refuses leaves no record, a refused link leaves the unlinked record as it was', async () => {
  const { admin, cloud } = tests()
  await sourceKey('refused')
  const [keysBefore, recordsBefore] = [alive(), await recorded()]
  const takenAlias = { cloud_a_param: { Alias: 'taken' } }
  await keysOf(admin).create({ cloud_a_param: { Alias: 'taken' } })
  expectRefused(await tryHost(hostedBody('refused', inFront({ linked_state: true }), takenAlias)), 409, 16)
  cloud.inject({ fault: 'access-denied', operation: 'CreateKey', times: 1 })
  expectRefused(await tryHost(hostedBody('refused', inFront({ linked_state: true }))), 502, 16)
  expect([alive(), await recorded()]).toEqual([keysBefore + 1, recordsBefore + 1]) // the key with the alias
  const key = await host('refused', inFront())
  expectRefused(await keysOf(admin).tryAct(key.id, 'link', takenAlias), 409, 16)
  expect(await keysOf(admin).get(key.id)).toEqual(key)
  expect((await keysOf(admin).act(key.id, 'link', {})).local_hosted_params.linked_state).toBe(true)
})

test('the cloud is asked again when our side did not answer it, and nothing is left when that does not help', async () => {
  const { cloud, client } = tests()
  await sourceKey('no answer')
  const CustomKeyStoreId = connected.cloud_a_param.custom_key_store_id as string
  cloud.setDelays({ connection: 0 })
  await client().send(new DisconnectCustomKeyStoreCommand({ CustomKeyStoreId }))
  const [before, calls] = [await recorded(), cloud.calls().length]
  expectRefused(await tryHost(hostedBody('no answer', inFront({ linked_state: true }))), 409, 16)
  const asked = cloud.calls().slice(calls)
  expect(asked.filter(({ operation }) => operation === 'CreateKey')).toHaveLength(3)
  expect(await recorded()).toBe(before)
  await client().send(new ConnectCustomKeyStoreCommand({ CustomKeyStoreId }))
  expect(await host('no answer', inFront({ linked_state: true }))).toMatchObject({ local_key_name: 'no answer' })
})

test('a key that the cloud made and then refused to name waits for its end on record', async () => {
  const { admin, cloud } = tests()
  await sourceKey('half made')
  const before = await recorded()
  cloud.inject({ fault: 'quota', operation: 'CreateAlias', times: 1 })
  const body = hostedBody('half made', inFront({ linked_state: true }), { cloud_a_param: { Alias: 'half' } })
  expectRefused(await tryHost(body), 409, 16)
  const { total, resources } = await keysOf(admin).list('?sort=-createdAt')
  expect(total).toBe(before + 1)
  expect(resources[0]).toMatchObject({
    local_key_name: 'half made',
    local_hosted_params: { linked_state: true },
    cloud_a_param: { KeyState: 'PendingDeletion' },
  })
  expectRefused(await keysOf(admin).tryAct(resources[0].id, 'rotate', {}), 409, 8)
  await keysOf(admin).act(resources[0].id, 'cancel-deletion')
})

test.each([
  ['another algorithm', { algorithm: 'hmac-sha256', usageMask: 12 }, 'AES'],
  ['another size', { size: 128 }, 'AES'],
  ['a key of two', { xts: true }, 'xts'],
  ['a key that may leave', { unexportable: false }, 'unexportable'],
  ['a key that can be deleted', { undeletable: false }, 'undeletable'],
  ['a key that may not decrypt', { usageMask: 4 }, 'decrypt'],
  ['a key that is not active yet', { activationDate: '2100-01-01T00:00:00Z' }, 'Active'],
])('a source key must fit: %s is refused, saying why', async (what, more, says) => {
  await sourceKey(what, more)
  const refused = await tryHost(hostedBody(what))
  expectRefused(refused, 422, 2, '#/local_hosted_params/source_key_id')
  expect(refused.body.errors).toEqual([
    { pointer: '#/local_hosted_params/source_key_id', detail: expect.stringContaining(says) },
  ])
})

test('everything that a source key lacks is said at once', async () => {
  await tests().admin.create({ name: 'nothing fits', algorithm: 'hmac-sha256' })
  const { body } = await tryHost(hostedBody('nothing fits'))
  expect(body.errors).toHaveLength(4)
})

test('a creation names a store and a source key that are there, each source key once a store, in any of its versions', async () => {
  const { admin } = tests()
  const first = await sourceKey('once a store')
  expectRefused(await tryHost(hostedBody('none')), 404, 5, '#/local_hosted_params/source_key_id')
  const nowhere = hostedBody('once a store', { custom_key_store_id: NOBODY })
  expectRefused(await tryHost(nowhere), 404, 5, '#/local_hosted_params/custom_key_store_id')
  await host('once a store')
  await admin.act('once a store', 'versions', {})
  for (const source of ['once a store', first.id as string])
    expectRefused(await tryHost(hostedBody(source)), 409, 7, '#/local_hosted_params/source_key_id')
  const linkedToo = hostedBody('once a store', { linked_state: true })
  expectRefused(await tryHost(linkedToo), 409, 8) // the store itself is not linked
  expect(await host('once a store', inFront())).toMatchObject({ custom_key_store_id: connected.id })
  expectRefused(await tryHost(hostedBody('once a store', inFront({ linked_state: true }))), 409, 7)
})

test('bodies that cannot be meant are refused by field', async () => {
  await sourceKey('bodies')
  const blocked = hostedBody('bodies', { blocked: true, linked_state: true })
  expectRefused(await tryHost(blocked), 422, 2, '#/local_hosted_params/blocked')
  expectRefused(await tryHost({}), 422, 2, '#/local_hosted_params')
  expectRefused(
    await tryHost(hostedBody('bodies', { source_key_tier: 'hsm' })),
    422,
    2,
    '#/local_hosted_params/source_key_tier',
  )
  const twoPolicies = hostedBody('bodies', {}, { key_users: ['alice'], policytemplate: NOBODY })
  expectRefused(await tryHost(twoPolicies), 422, 2, '#/policytemplate')
  expectRefused(await tryHost(hostedBody('bodies', {}, { policytemplate: NOBODY })), 404, 5, '#/policytemplate')
})

test('to link takes a store that is linked, connected and not blocked, and a key that is not blocked', async () => {
  const { admin } = tests()
  await sourceKey('not yet')
  const key = await host('not yet', { blocked: true })
  expect(key.local_hosted_params.blocked).toBe(true)
  expectRefused(await keysOf(admin).tryAct(key.id, 'link', {}), 409, 8)
  await keysOf(admin).act(key.id, 'unblock')
  const notLinked = await keysOf(admin).tryAct(key.id, 'link', {})
  expectRefused(notLinked, 409, 8)
  expect(notLinked.body.detail).toContain('not linked')
  const store = await makeStore('not connected', { linked_state: true })
  await sourceKey('not connected')
  const refused = await tryHost(hostedBody('not connected', { custom_key_store_id: store.id, linked_state: true }))
  expectRefused(refused, 409, 8)
  expect(refused.body.detail).toContain('DISCONNECTED')
  await admin.ok('POST', `${STORES}/${connected.id}/block`)
  expectRefused(await tryHost(hostedBody('not connected', inFront({ linked_state: true }))), 409, 8)
  await admin.ok('POST', `${STORES}/${connected.id}/unblock`)
})

test('only hosted keys are blocked, unblocked and linked, and none twice', async () => {
  const { admin } = tests()
  const native = await keysOf(admin).create({})
  for (const [action, body] of [['block'], ['unblock'], ['link', {}]] as const) {
    expectRefused(await keysOf(admin).tryAct(native.id, action, body), 409, 8)
    expectRefused(await keysOf(admin).tryAct(NOBODY, action, body), 404, 5)
  }
  await sourceKey('twice')
  const key = await host('twice')
  expectRefused(await keysOf(admin).tryAct(key.id, 'unblock'), 409, 8)
  await keysOf(admin).act(key.id, 'block')
  expectRefused(await keysOf(admin).tryAct(key.id, 'block'), 409, 8)
})

test('a rotation of a hosted key has no details, and takes an active local key', async () => {
  const { admin } = tests()
  const source = await sourceKey('turns')
  const key = await host('turns')
  for (const detail of [{ source_key_id: 'turns' }, { description: 'new' }, { disable_encrypt: true }])
    expectRefused(await keysOf(admin).tryAct(key.id, 'rotate', detail), 422, 2, `#/${Object.keys(detail)[0]}`)
  expect((await keysOf(admin).act(key.id, 'rotate', { source_key_tier: 'local' })).local_key_id).not.toBe(source.id)
  await admin.act('turns', 'revoke', { reason: 'CessationOfOperation' })
  expectRefused(await keysOf(admin).tryAct(key.id, 'rotate', {}), 409, 8)
})

test('an unlinked key is deleted as a record; a linked one waits for its end at the cloud first', async () => {
  const { admin, advance } = tests()
  await sourceKey('goes')
  const key = await host('goes')
  expect(await hoster.ok('DELETE', `${KEYS}/${key.id}`)).toEqual({ status: 204 })
  expectRefused(await admin.call('GET', `${KEYS}/${key.id}`), 404, 5)
  const linked = await host('goes', inFront({ linked_state: true }))
  expectRefused(await admin.call('DELETE', `${KEYS}/${linked.id}`), 409, 8)
  await keysOf(admin).act(linked.id, 'schedule-deletion', { days: 7 })
  advance(8 * 24 * 3_600_000)
  const gone = await keysOf(admin).act(linked.id, 'refresh')
  expect(gone).toMatchObject({ gone: true, local_hosted_params: linked.local_hosted_params })
  expectRefused(await keysOf(admin).tryAct(linked.id, 'rotate', {}), 409, 8)
  expect(await admin.ok('DELETE', `${KEYS}/${linked.id}`)).toEqual({ status: 204 })
  expect(await host('goes', inFront({ linked_state: true }))).toMatchObject({ cloud_a_param: { KeyState: 'Enabled' } })
})

test('the local key behind a hosted key, and the one a store is checked with, cannot be deleted', async () => {
  const { admin } = tests()
  const first = await sourceKey('needed')
  const key = await host('needed')
  await admin.act('needed', 'versions', {})
  expectRefused(await admin.call('DELETE', `${LOCAL_KEYS}/needed`), 409, 10)
  await admin.update('needed', { undeletable: false, allVersions: true })
  for (const path of ['needed', `${first.id}?version=0`, 'needed?version=1', 'health']) {
    const refused = await admin.call('DELETE', `${LOCAL_KEYS}/${path}`)
    expectRefused(refused, 409, 9)
    expect(refused.body.detail).toMatch(path === 'health' ? /3 key stores/ : /1 hosted key\./)
  }
  await admin.ok('DELETE', `${KEYS}/${key.id}`)
  expect(await admin.remove('needed')).toEqual({ status: 204 })
})

test('lists tell hosted keys by store, link and block, and show them to those who may see hosted keys', async () => {
  const { admin, user, kms } = tests()
  await sourceKey('shown')
  const shown = await host('shown', { blocked: true })
  const idsOf = async (who: Holder, query: string) =>
    (await keysOf(who).list(`${query}&limit=-1`)).resources.map(({ id }: any) => id as string)
  expect(await idsOf(admin, `?custom_key_store_id=${apart.id}&blocked=true`)).toContain(shown.id)
  expect(await idsOf(admin, `?custom_key_store_id=${connected.id}`)).not.toContain(shown.id)
  expect(await idsOf(admin, '?linked_state=false')).toContain(shown.id)
  const linked = await idsOf(admin, '?linked_state=true')
  expect(linked).not.toContain(shown.id)
  const ref = connected.cloud_a_param.custom_key_store_id as string
  expect((await idsOf(admin, `?custom_key_store_id=${ref}`)).sort()).toEqual([...linked].sort())
  const native = await keysOf(admin).create({})
  expect(await idsOf(admin, '?blocked=false')).not.toContain(native.id)

  const { holder, sub } = await user('plain viewer', ['keymgr Users'])
  const acls = [{ user_id: sub, permit: true, actions: ['viewnative', 'viewbyok'] }]
  await admin.ok('POST', `${CLOUD_A}/kms/${kms.id}/update-acls`, { acls })
  const plain = await idsOf(holder, '?kms=main')
  expect(plain).toContain(native.id)
  expect(plain).not.toContain(shown.id)
  expectRefused(await holder.call('GET', `${KEYS}/${shown.id}`), 404, 5)
  const hosted = await idsOf(hoster, '?kms=main')
  expect(hosted).toContain(shown.id)
  expect(hosted).not.toContain(native.id)
})

test('each action on hosted keys takes its permission in the container', async () => {
  const { admin, user, kms } = tests()
  const { holder, sub } = await user('looker', ['keymgr Users', 'Key Users'])
  const acls = [{ user_id: sub, permit: true, actions: ['viewhyokkey'] }]
  await admin.ok('POST', `${CLOUD_A}/kms/${kms.id}/update-acls`, { acls })
  await sourceKey('of the looker', {}, holder)
  const own = await sourceKey('of the hoster', {}, hoster)
  expect(await tryHost(hostedBody('of the hoster'), holder)).toMatchObject({ status: 403 })
  const key = await hoster.ok('POST', HOSTED, hostedBody(own.id as string))
  expectRefused(await tryHost(hostedBody('of the looker'), hoster), 404, 5, '#/local_hosted_params/source_key_id')
  expect(await keysOf(holder).get(key.id)).toEqual(key)
  for (const [action, body] of [['block'], ['unblock'], ['link', {}], ['rotate', {}]] as const)
    expectRefused(await keysOf(holder).tryAct(key.id, action, body), 403, 4)
  expectRefused(await holder.call('DELETE', `${KEYS}/${key.id}`), 403, 4)
  expectRefused(await keysOf(hoster).tryAct(key.id, 'rotate', {}), 403, 4)
  await keysOf(hoster).act(key.id, 'block')
})

test('a synchronization keeps what we know of a hosted key, and makes no second record of it', async () => {
  const { admin, cloud, client, service } = tests()
  await sourceKey('read again')
  const key = await host('read again', inFront({ linked_state: true }))
  const before = await recorded()
  const foreign = new CreateKeyCommand({ Description: 'made outside' })
  await client().send(foreign)
  cloud.setDelays({ transit: 0 })
  await keysOf(admin).act(key.id, 'disable')
  await keysOf(admin).act(key.id, 'enable')
  await admin.ok('POST', `${CLOUD_A}/synchronization-jobs`, { kms: ['main'] })
  await service.deployment.flows.idle()
  expect(await recorded()).toBe(before + 1)
  expect(await keysOf(admin).get(key.id)).toMatchObject({
    custom_key_store_id: connected.id,
    local_hosted_params: key.local_hosted_params,
    local_key_name: 'read again',
    key_material_origin: 'keymgr',
  })
})

test('a store with hosted keys is not deleted', async () => {
  const { admin } = tests()
  expectRefused(await admin.call('DELETE', `${STORES}/${apart.id}`), 409, 9)
})

test('no key is put in a store that is just being deleted, or made', async () => {
  const { admin, cloud, advance, sweep } = tests()
  await sourceKey('homeless')
  const leaving = await makeStore('leaving', { linked_state: true })
  let beside: Answered | undefined
  cloud.inject({
    fault: 'observe',
    operation: 'DeleteCustomKeyStore',
    times: 1,
    after: async () => {
      beside = await tryHost(hostedBody('homeless', { custom_key_store_id: leaving.id }))
    },
  })
  expect(await admin.ok('DELETE', `${STORES}/${leaving.id}`)).toEqual({ status: 204 })
  expect(beside).toMatchObject({ status: 409, body: { code: 8 } })

  cloud.inject({ fault: 'server-error', operation: 'CreateCustomKeyStore', times: 20 })
  const cloud_a_param = { xks_proxy_uri_endpoint: 'https://xks.keymgr.test' }
  const local_hosted_params = { health_check_key_id: 'health', max_credentials: 2 }
  const body = { name: 'waiting', kms: 'main', region: REGION, linked_state: true, cloud_a_param, local_hosted_params }
  expectRefused(await admin.call('POST', STORES, body), 503, 16)
  const [waiting] = (await admin.ok('GET', `${STORES}?name=waiting`)).resources
  expectRefused(await tryHost(hostedBody('homeless', { custom_key_store_id: waiting.id })), 409, 8)
  cloud.reset()
  cloud.inject({ fault: 'quota', operation: 'CreateCustomKeyStore', times: 1 })
  advance(61_000)
  await sweep()
  expectRefused(await admin.call('GET', `${STORES}/${waiting.id}`), 404, 5)
  expect((await keysOf(admin).list(`?custom_key_store_id=${leaving.id},${waiting.id}`)).total).toBe(0)
})

test('a store is deleted, or a key put in it, never both', async () => {
  const { admin } = tests()
  await Promise.all(
    [1, 2, 3, 4].map(async (at) => {
      const name = `raced ${at}`
      await sourceKey(name)
      const { id } = await makeStore(name, { linked_state: at % 2 === 0 })
      const [hosting, removal] = await Promise.all([
        tryHost(hostedBody(name, { custom_key_store_id: id })),
        admin.call('DELETE', `${STORES}/${id}`),
      ])
      const kept = (await keysOf(admin).list(`?custom_key_store_id=${id}`)).total
      const there = (await admin.call('GET', `${STORES}/${id}`)).status
      expect([hosting.status === 201, removal.status === 200, kept, there]).toEqual(
        hosting.status === 201 ? [true, false, 1, 200] : [false, true, 0, 404],
      )
    }),
  )
})

test('while a key is being linked its entry is not archived', async () => {
  const { admin, cloud, kms, advance, sweep } = tests()
  await sourceKey('half linked')
  for (const begin of [
    () => tryHost(hostedBody('half linked', inFront({ linked_state: true }))),
    async () => {
      await sourceKey('linked later')
      return keysOf(admin).tryAct((await host('linked later', inFront())).id, 'link', {})
    },
  ]) {
    cloud.inject({ fault: 'server-error', operation: 'CreateKey', times: 20 })
    expectRefused(await begin(), 503, 16)
    const refused = await admin.call('POST', `${CLOUD_A}/kms/${kms.id}/archive`)
    expectRefused(refused, 409, 9)
    expect(refused.body.detail).toContain('is in progress')
    cloud.reset()
    advance(61_000)
    await sweep()
  }
})

test('in an archived entry a hosted key can still be blocked, and nothing else', async () => {
  const { admin, entry } = tests()
  const { id: kms } = await entry('put away')
  const store = await makeStore('put away', { kms: 'put away' })
  await sourceKey('put away')
  const key = await host('put away', { custom_key_store_id: store.id })
  await admin.ok('POST', `${STORES}/${store.id}/block`)
  await admin.ok('POST', `${CLOUD_A}/kms/${kms}/archive`)
  expect((await keysOf(admin).act(key.id, 'block')).local_hosted_params.blocked).toBe(true)
  expectRefused(await keysOf(admin).tryAct(key.id, 'unblock'), 409, 8)
  expectRefused(await admin.call('DELETE', `${KEYS}/${key.id}`), 409, 8)
})

test('every change of a hosted key has an audit record', async () => {
  const { admin, records } = tests()
  await sourceKey('told')
  const key = await host('told')
  await keysOf(admin).act(key.id, 'block')
  await keysOf(admin).act(key.id, 'rotate', {})
  const told = await records(`resource_uri=${encodeURIComponent(key.uri as string)}`)
  expect(told.map(({ message }: any) => message as string)).toEqual([
    'Create Hosted Cloud-a Key',
    'Block Hosted Cloud-a Key',
    'Rotate Cloud-a Key',
  ])
})
