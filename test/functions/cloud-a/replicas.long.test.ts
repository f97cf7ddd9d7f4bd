import { DecryptCommand, EncryptCommand } from '@aws-sdk/client-kms'
import { randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answered } from '../../support/service.ts'
import { DAY, expectRefused } from '../vault/vault.ts'
import { CLOUD_A, keysOf, OTHER_REGION, REGION, useCloudA } from './cloud-a.ts'

/** Multi-region keys: replicas with the primary's id and material. */
const tests = useCloudA()
let keys: ReturnType<typeof keysOf>

const EXPORT = 64
const BYTES = randomBytes(32)

beforeAll(async () => {
  keys = keysOf(tests().admin)
  await tests().admin.create({ name: 'source', material: BYTES.toString('hex'), usageMask: EXPORT + 12 })
})
beforeEach(() => {
  tests().cloud.reset()
  tests().cloud.setDelays({ transit: 0 })
})

const primary = (param: object = {}, more: object = {}): Promise<any> =>
  keys.create({ cloud_a_param: { MultiRegion: true, ...param }, ...more })
const imported = (param: object = {}): Promise<any> =>
  keys.upload({ source_key_identifier: 'source', cloud_a_param: { MultiRegion: true, ...param } })
const replicate = (key: any, body: object = {}): Promise<any> =>
  keys.act(key.id as string, 'replicate-key', { replica_region: OTHER_REGION, ...body })
const tryReplicate = (key: any, body: object = {}): Promise<Answered> =>
  keys.tryAct(key.id as string, 'replicate-key', { replica_region: OTHER_REGION, ...body })
const refresh = (key: any): Promise<any> => keys.act(key.id as string, 'refresh')

describe('replicate-key', () => {
  test('creates a record of the replica as the cloud describes it, with its own description, tags and policy', async () => {
    tests().cloud.setDelays({ transit: 1_000 })
    const key = await primary({ Description: 'first', Alias: 'the-first', Tags: [{ TagKey: 'a', TagValue: 'b' }] })
    const copy = await replicate(key, {
      cloud_a_param: { Description: 'second', Tags: [{ TagKey: 'c', TagValue: 'd' }] },
      key_users: ['bob'],
    })
    const { account } = tests()
    expect(copy.id).not.toBe(key.id)
    expect(copy).toMatchObject({
      kms_id: key.kms_id,
      region: OTHER_REGION,
      key_material_origin: 'native',
      rotation_status: '',
      key_users: ['bob'],
      gone: false,
      cloud_a_param: {
        KeyID: key.cloud_a_param.KeyID,
        Arn: `arn:aws:kms:${OTHER_REGION}:${account.id}:key/${key.cloud_a_param.KeyID}`,
        KeyState: 'Creating',
        Description: 'second',
        Alias: [],
        Tags: [
          { TagKey: 'c', TagValue: 'd' },
          { TagKey: 'keymgr_key_id', TagValue: copy.id },
        ],
        MultiRegionConfiguration: { MultiRegionKeyType: 'REPLICA', PrimaryKey: { Region: REGION } },
      },
    })
    expect(JSON.stringify(copy.cloud_a_param.Policy)).toContain(`arn:aws:iam::${account.id}:user/bob`)
    expect(copy.replica_policy).toEqual(copy.cloud_a_param.Policy)
    expect((await keys.get(key.id as string)).cloud_a_param.MultiRegionConfiguration).toMatchObject({
      MultiRegionKeyType: 'PRIMARY',
      ReplicaKeys: [{ Region: OTHER_REGION }],
    })
    tests().advance(61_000)
    expect((await refresh(copy)).cloud_a_param.KeyState).toBe('Enabled')
    expect((await keys.list(`?keyid=${key.cloud_a_param.KeyID}`)).total).toBe(2)
    const [record] = (await tests().records('message=Replicate%20Cloud-a%20Key')).slice(-1)
    expect(record).toMatchObject({ success: true, details: { resource_uri: copy.uri } })
  })

  test('imports the material into the replica, which decrypts ciphertexts of the primary', async () => {
    tests().cloud.setDelays({ transit: 8 })
    const key = await imported()
    const copy = await replicate(key, { key_expiration: true, valid_to: tests().at(DAY) })
    expect(copy).toMatchObject({
      key_material_origin: 'keymgr',
      local_key_id: key.local_key_id,
      local_key_name: 'source',
      cloud_a_param: {
        KeyState: 'Enabled',
        ExpirationModel: 'KEY_MATERIAL_EXPIRES',
        CurrentKeyMaterialId: key.cloud_a_param.CurrentKeyMaterialId,
      },
    })
    expect(await tests().bytesOf(copy)).toEqual(BYTES)
    const { KeyID: KeyId } = key.cloud_a_param
    const { CiphertextBlob } = await tests()
      .client(REGION)
      .send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('hello') }))
    const opened = await tests().client(OTHER_REGION).send(new DecryptCommand({ KeyId, CiphertextBlob }))
    expect(Buffer.from(opened.Plaintext ?? []).toString()).toBe('hello')
  })

  test('imports every generation of material, and replicates kinds of keys with a single one', async () => {
    const key = await imported()
    const rotate = `${CLOUD_A}/keys/${key.id}/rotate-material`
    expect((await tests().admin.call('POST', rotate, {})).status).toBe(202)
    await tests().admin.ok('GET', `${rotate}/status`)
    const rotated = await refresh(key)
    const copy = await replicate(key)
    expect(copy).toMatchObject({ local_key_id: rotated.local_key_id, cloud_a_param: { KeyState: 'Enabled' } })
    expect(
      tests()
        .seen(copy)
        .materials.map(({ there }) => there),
    ).toEqual([true, true])
    const { resources } = await tests().admin.ok('GET', `${CLOUD_A}/keys/${copy.id}/rotations`)
    expect(resources.map(({ source_key_identifier: id }: any) => id)).toEqual([key.local_key_id, rotated.local_key_id])
    const mac = await keys.create({
      cloud_a_param: { MultiRegion: true, Origin: 'EXTERNAL', CustomerMasterKeySpec: 'HMAC_256' },
    })
    const filled = await keys.act(mac.id as string, 'import-material', {})
    expect(await replicate(mac)).toMatchObject({
      local_key_id: filled.local_key_id,
      key_type: 'hmac',
      cloud_a_param: { KeyState: 'Enabled' },
    })
  })

  test('continues in the background while the cloud is slow, and answers a repeated request', async () => {
    const { cloud } = tests()
    const key = await imported()
    cloud.inject({ fault: 'server-error', operation: 'ImportKeyMaterial' })
    expect((await tryReplicate(key)).status).toBe(503)
    expect((await keys.list(`?keyid=${key.cloud_a_param.KeyID}`)).total).toBe(1)
    expectRefused(await keys.tryAct(key.id as string, 'disable'), 409, 8)
    cloud.reset()
    tests().advance(61_000)
    await tests().sweep()
    const { resources } = await keys.list(`?keyid=${key.cloud_a_param.KeyID}&region=${OTHER_REGION}`)
    expect(resources).toMatchObject([{ local_key_name: 'source', cloud_a_param: { KeyState: 'Enabled' } }])
    expect(await tests().bytesOf(resources[0])).toEqual(BYTES)
    const again = await replicate(key)
    expect(again.id).toBe(resources[0].id)
    expect(Object.keys(again as object)).not.toContain('materials')
  })

  test('that the cloud refuses at its end leaves a recorded replica that waits for its deletion', async () => {
    const key = await imported()
    tests().cloud.inject({ fault: 'quota', operation: 'ImportKeyMaterial' })
    expectRefused(await tryReplicate(key), 409, 16)
    tests().cloud.reset()
    const { resources } = await keys.list(`?keyid=${key.cloud_a_param.KeyID}&region=${OTHER_REGION}`)
    expect(resources).toMatchObject([{ cloud_a_param: { KeyState: 'PendingDeletion' } }])
    expect((await refresh(key)).cloud_a_param.KeyState).toBe('Enabled')
  })

  test('creates a replica that is rotated with its primary, once both have the new material', async () => {
    const key = await imported()
    const copy = await replicate(key)
    const rotate = (one: any, body: object = {}) =>
      tests().admin.call('POST', `${CLOUD_A}/keys/${one.id}/rotate-material`, body)
    expectRefused(await rotate(copy), 409, 8)
    expectRefused(await rotate(key), 409, 8)
    await tests().admin.create({ name: 'next', algorithm: 'aes', size: 256, usageMask: EXPORT + 12 })
    const next = { source_key_identifier: 'next' }
    await keys.act(key.id as string, 'import-material', { ...next, import_type: 'NEW_KEY_MATERIAL' })
    expectRefused(await rotate(key), 409, 16)
    await keys.act(copy.id as string, 'import-material', { ...next, import_type: 'EXISTING_KEY_MATERIAL' })
    expect((await rotate(key)).status).toBe(202)
    await refresh(key)
    for (const one of [key, copy]) expect(await refresh(one)).toMatchObject({ local_key_name: 'next' })
  })

  test('gives its copy the policy of a template, and a tag that says so', async () => {
    const template = await tests().admin.ok('POST', `${CLOUD_A}/templates`, {
      name: 'for copies',
      kms: 'main',
      key_users: ['bob'],
    })
    const copy = await replicate(await primary(), { policytemplate: template.id })
    expect(copy).toMatchObject({ policy_template_id: template.id })
    expect(copy.cloud_a_param.Policy).toEqual(template.policy)
    expect(await tests().admin.ok('GET', `${CLOUD_A}/templates/${template.id}`)).toMatchObject({ is_verified: true })
  })
})

describe('a copy', () => {
  test('that was deleted can be replaced in its region by a new one with the same id', async () => {
    const { cloud, account, admin } = tests()
    const key = await primary()
    const former = await replicate(key)
    cloud.alter(account.id, OTHER_REGION, key.cloud_a_param.KeyID as string, { deletionInDays: 0 })
    expect((await refresh(former)).gone).toBe(true)
    await refresh(key)
    const copy = await replicate(key, { cloud_a_param: { Description: 'anew' } })
    expect(copy).toMatchObject({ gone: false, region: OTHER_REGION, cloud_a_param: { Description: 'anew' } })
    expectRefused(await admin.call('GET', `${CLOUD_A}/keys/${former.id}`), 404, 5)
    const { resources } = await keys.list(`?keyid=${key.cloud_a_param.KeyID}`)
    expect(new Set(resources.map(({ id }: any) => id))).toEqual(new Set([key.id, copy.id]))
    await keys.act(key.id as string, 'disable')
  })

  test('and its primary are both recorded with the other part, after they exchanged roles', async () => {
    const key = await primary()
    const copy = await replicate(key)
    const partOf = ({ cloud_a_param: { MultiRegionConfiguration: shape } }: any) => shape.MultiRegionKeyType as string
    expect([partOf(await keys.get(key.id as string)), partOf(copy)]).toEqual(['PRIMARY', 'REPLICA'])
    const handed = await keys.act(key.id as string, 'update-primary-region', { PrimaryRegion: OTHER_REGION })
    expect(handed.id).toBe(key.id)
    expect([partOf(handed), partOf(await keys.get(copy.id as string))]).toEqual(['REPLICA', 'PRIMARY'])
    const [record] = (await tests().records(`resource_uri=${key.uri}`)).slice(-1)
    expect(record).toMatchObject({ message: 'Update Cloud-a Key Primary Region', success: true })
  })
})

describe('replicate-key is refused', () => {
  test('for a region outside the entry, or where the key is', async () => {
    const key = await primary()
    expectRefused(await tryReplicate(key, { replica_region: 'eu-central-1' }), 422, 2, '#/replica_region')
    expectRefused(await tryReplicate(key, { replica_region: REGION }), 409, 8)
    await replicate(key)
    expectRefused(await tryReplicate(key), 409, 8)
  })

  test('if the cloud has an unknown replica, which stays unchanged', async () => {
    const key = await primary()
    await tests().replicate(key)
    expectRefused(await tryReplicate(key), 409, 8)
    const { account, cloud } = tests()
    expect(cloud.keyOf(account.id, OTHER_REGION, key.cloud_a_param.KeyID as string)?.state).toBe('Enabled')
  })

  test('for every key except the primary of an enabled multi-region key', async () => {
    expectRefused(await tryReplicate(await keys.create({})), 409, 8)
    const key = await primary()
    const copy = await replicate(key)
    expectRefused(await tryReplicate(copy, { replica_region: REGION }), 409, 8)
    const disabled = await primary()
    await keys.act(disabled.id as string, 'disable')
    expectRefused(await tryReplicate(disabled), 409, 8)
  })

  test('for imported material whose local key was deleted; nothing is created', async () => {
    const own = await tests().admin.create({ algorithm: 'aes', size: 256, usageMask: EXPORT + 12 })
    const key = await keys.upload({ source_key_identifier: own.id, cloud_a_param: { MultiRegion: true } })
    await tests().admin.act(own.id as string, 'revoke', { reason: 'CessationOfOperation' })
    await tests().admin.act(own.id as string, 'destroy', undefined, '?force=true')
    expectRefused(await tryReplicate(key), 409, 8)
    const { account, cloud } = tests()
    expect(cloud.keyOf(account.id, OTHER_REGION, key.cloud_a_param.KeyID as string)).toBeUndefined()
  })

  test('with fields that contradict each other or the key', async () => {
    const key = await primary()
    expectRefused(await tryReplicate(key, { valid_to: tests().at(DAY) }), 422, 2, '#/valid_to')
    expectRefused(await tryReplicate(key, { key_expiration: true }), 422, 2, '#/valid_to')
    const two = { cloud_a_param: { Policy: '{}' }, key_users: ['bob'] }
    expectRefused(await tryReplicate(key, two), 422, 2, '#/policytemplate')
    const malformed = await tryReplicate(key, { cloud_a_param: { Policy: '{"Version":"2012-10-17"}' } })
    expectRefused(malformed, 422, 16)
    expect(malformed.body.detail).toContain('MalformedPolicyDocumentException')
  })

  test('without permission in the container, and for a key that does not exist', async () => {
    const { holder, sub } = await tests().user('copier', ['keymgr Users'])
    const permit = (...actions: string[]) =>
      tests().admin.ok('POST', `${CLOUD_A}/kms/${tests().kms.id}/update-acls`, {
        acls: [{ user_id: sub, permit: true, actions }],
      })
    const key = await primary()
    const theirs = keysOf(holder)
    const body = { replica_region: OTHER_REGION }
    expectRefused(await theirs.tryAct(key.id as string, 'replicate-key', body), 404, 5)
    await permit('keyupload', 'viewnative')
    expectRefused(await theirs.tryAct(key.id as string, 'replicate-key', body), 403, 4)
    await permit('keycreate')
    expect((await theirs.act(key.id as string, 'replicate-key', body)).region).toBe(OTHER_REGION)
    expectRefused(await tryReplicate({ id: '01890000-0000-7000-8000-00000000ffff' }), 404, 5)
  })
})
