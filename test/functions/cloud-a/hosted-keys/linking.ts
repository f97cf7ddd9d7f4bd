import { ConnectCustomKeyStoreCommand, DisconnectCustomKeyStoreCommand } from '@aws-sdk/client-kms'
import { expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { expectRefused } from '../../vault/vault.ts'
import { KEYS, keysOf, REGION } from '../cloud-a.ts'
import {
  tests,
  sourceKey,
  host,
  inFront,
  connected,
  encrypt,
  decrypt,
  TAKES_HOLD_MS,
  hoster,
  alive,
  recorded,
  tryHost,
  hostedBody,
} from './set-up.ts'

test('a linked key encrypts and decrypts for the cloud with the local key, is rotated in place, and stops while blocked', async () => {
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

test('an unlinked key is only a record; the link creates the cloud’s key with the settings of then or of the creation', async () => {
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

test('the policy of the link replaces that of the creation', async () => {
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

test('a refused creation leaves no record, and a refused link leaves the unlinked record unchanged', async () => {
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

test('the call to the cloud is repeated when our side did not answer, and a final failure leaves nothing', async () => {
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

test('a key that the cloud created and then refused to name is recorded, and waits for its deletion', async () => {
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
