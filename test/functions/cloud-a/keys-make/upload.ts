import { SignCommand } from '@aws-sdk/client-kms'
import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { DAY, expectRefused } from '../../vault/vault.ts'
import { CLOUD_A, OTHER_REGION, REGION } from '../cloud-a.ts'
import { KINDS, keys, paramFor, cloudA, bytesIn, local, secret, keysInCloud } from './set-up.ts'

describe('upload', () => {
  test.each(KINDS)('imports the exact bytes of a local key into a %s', async (spec, { material }, usage, type) => {
    const name = `for ${spec}`
    const key = await keys.upload({ source_key_identifier: name, cloud_a_param: paramFor(spec, usage) })
    expect(key).toMatchObject({ key_type: type, key_material_origin: 'keymgr', local_key_name: name })
    expect(key.cloud_a_param).toMatchObject({
      CustomerMasterKeySpec: spec,
      KeyUsage: usage,
      KeyState: 'Enabled',
      Enabled: true,
      Origin: 'EXTERNAL',
      ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE',
    })
    expect(await cloudA().bytesOf(key)).toEqual(bytesIn(material))
  })

  test('imports a pair: the public half of the local key verifies the cloud’s signatures', async () => {
    const [, source] = KINDS.find(([spec]) => spec === 'ECC_NIST_P256') ?? []
    const key = await keys.upload({
      source_key_identifier: 'for ECC_NIST_P256',
      cloud_a_param: { CustomerMasterKeySpec: 'ECC_NIST_P256' },
    })
    const Message = Buffer.from('signed at the cloud')
    const signing = new SignCommand({ KeyId: key.cloud_a_param.KeyID, Message, SigningAlgorithm: 'ECDSA_SHA_256' })
    const { Signature = new Uint8Array() } = await cloudA().client().send(signing)
    expect(verify('sha256', Message, createPublicKey(source?.material ?? ''), Signature)).toBe(true)
  })

  test('returns the whole record, as it is read later', async () => {
    const { admin, account, kms } = cloudA()
    const source = await local('source of the whole', { ...secret(32) })
    const answered = await keys.tryUpload({
      source_key_tier: 'local',
      source_key_identifier: 'source of the whole',
      cloud_a_param: {
        Alias: 'whole/key_1',
        Description: 'the whole of it',
        Tags: [
          { TagKey: 'team', TagValue: 'a.b/c=d+e-f@g_1' },
          { TagKey: 'cost:center', TagValue: '' },
        ],
      },
    })
    const { body: key, headers } = answered
    const { id, uri, createdAt, cloud_a_param, ...rest } = key
    const { KeyID, Arn, CreationDate, CurrentKeyMaterialId, ...param } = cloud_a_param
    expect([answered.status, headers.get('etag')]).toEqual([201, '"1"'])
    expect(rest).toEqual({
      account: kms.account,
      application: kms.application,
      devAccount: kms.devAccount,
      updatedAt: createdAt,
      synced_at: createdAt,
      kms_id: kms.id,
      kms: 'main',
      region: REGION,
      cloud_name: 'cloud-a',
      key_type: 'symmetric',
      basic_view_enabled: false,
      gone: false,
      key_material_origin: 'keymgr',
      rotation_status: '',
      key_source: 'local',
      key_source_container_id: ROOT_DOMAIN_ID,
      key_source_container_name: 'local',
      local_key_id: source.id,
      local_key_name: 'source of the whole',
    })
    expect(param).toEqual({
      AccountId: account.id,
      CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
      KeyUsage: 'ENCRYPT_DECRYPT',
      KeyState: 'Enabled',
      Enabled: true,
      KeyManager: 'CUSTOMER',
      Origin: 'EXTERNAL',
      Description: 'the whole of it',
      ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE',
      EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'],
      MultiRegion: false,
      Policy: {
        Version: '2012-10-17',
        Id: expect.any(String),
        Statement: [
          {
            Sid: 'Enable IAM User Permissions',
            Effect: 'Allow',
            Principal: { AWS: `arn:aws:iam::${account.id}:root` },
            Action: 'kms:*',
            Resource: '*',
          },
        ],
      },
      Alias: ['whole/key_1'],
      Tags: [
        { TagKey: 'cost:center', TagValue: '' },
        { TagKey: 'keymgr_key_id', TagValue: id },
        { TagKey: 'team', TagValue: 'a.b/c=d+e-f@g_1' },
      ],
      KeyRotationEnabled: false,
    })
    expect(Arn).toBe(`arn:aws:kms:${REGION}:${account.id}:key/${KeyID}`)
    expect(CurrentKeyMaterialId).toMatch(/^[0-9a-f]{64}$/)
    expect(Date.parse(CreationDate as string)).toBeGreaterThan(0)
    expect(uri).toMatch(new RegExp(`^keymgr:[0-9a-f-]+:keymgr:cloud-a-key:${id}$`))
    const read = await admin.call('GET', `${CLOUD_A}/keys/${id}`)
    expect([read.body, read.headers.get('etag')]).toEqual([key, '"1"'])
    expect(cloudA().seen(key)).toMatchObject({ aliases: ['alias/whole/key_1'], description: 'the whole of it' })
    expect((await admin.get(source.id as string)).neverExported).toBe(false)
  })

  test('creates an expiring multi-region key in another region', async () => {
    const ValidTo = cloudA().at(30 * DAY)
    const key = await keys.upload({
      region: OTHER_REGION,
      source_key_identifier: 'for SYMMETRIC_DEFAULT',
      key_expiration: true,
      cloud_a_param: { ValidTo, MultiRegion: true },
    })
    expect(key.region).toBe(OTHER_REGION)
    expect(key.cloud_a_param).toMatchObject({
      KeyID: expect.stringMatching(/^mrk-/),
      ExpirationModel: 'KEY_MATERIAL_EXPIRES',
      ValidTo,
      MultiRegion: true,
      MultiRegionConfiguration: { MultiRegionKeyType: 'PRIMARY' },
    })
  })

  test.each([
    ['cloud-a-gov', 'us-gov-west-1', 'aws-us-gov', 32],
    ['cloud-a-cn', 'cn-north-1', 'aws-cn', 16],
  ])('works in %s', async (cloud_name, region, partition, bytes) => {
    const account = cloudA().cloud.accounts.find((each) => each.cloud_name === cloud_name)
    if (account === undefined) throw new Error(`The simulated cloud has no account of ${cloud_name}`)
    await cloudA().entry(cloud_name, { account, regions: [region] })
    const source = secret(bytes)
    await local(`for ${cloud_name}`, source)
    const key = await keys.upload({ kms: cloud_name, region, source_key_identifier: `for ${cloud_name}` })
    expect(key.cloud_a_param.Arn).toBe(`arn:${partition}:kms:${region}:${account.id}:key/${key.cloud_a_param.KeyID}`)
    expect(await cloudA().bytesOf(key)).toEqual(bytesIn(source.material))
    if (bytes === 32) return
    const wrong = await keys.tryUpload({ kms: cloud_name, region, source_key_identifier: 'for SYMMETRIC_DEFAULT' })
    expectRefused(wrong, 422, 2, '#/cloud_a_param/CustomerMasterKeySpec')
    expect(wrong.body.detail).toContain('algorithm aes of 128 bits')
  })

  test('applies the policy of a template and tags the key with it', async () => {
    const { admin } = cloudA()
    const template = await admin.ok('POST', `${CLOUD_A}/templates`, {
      name: 'for uploads',
      kms: 'main',
      key_users: ['bob'],
    })
    const body = { source_key_identifier: 'for SYMMETRIC_DEFAULT', policytemplate: template.id }
    const key = await keys.upload(body)
    expect(key).toMatchObject({ policy_template_id: template.id, cloud_a_param: { Policy: template.policy } })
    expect(cloudA().seen(key).tags).toEqual({ keymgr_key_id: key.id, keymgr_policy_template_id: template.id })
    expect((await admin.ok('GET', `${CLOUD_A}/templates/${template.id}`)).is_verified).toBe(true)
    const [, elsewhere] = cloudA().cloud.accounts
    await cloudA().entry('of another account', { account: elsewhere })
    expectRefused(await keys.tryUpload({ ...body, kms: 'of another account' }), 422, 2, '#/policytemplate')
  })

  test('that the cloud could not finish is finished by a repeated request', async () => {
    const body = { source_key_identifier: 'for SYMMETRIC_DEFAULT', cloud_a_param: { Alias: 'in-the-end' } }
    const made = keysInCloud()
    const broken = cloudA().cloud.inject({ fault: 'server-error', operation: 'ImportKeyMaterial' })
    const interrupted = await keys.tryUpload(body)
    broken()
    expectRefused(interrupted, 503, 16)
    const key = await keys.upload(body)
    expect(key.cloud_a_param).toMatchObject({ KeyState: 'Enabled', Alias: ['in-the-end'] })
    expect(keysInCloud()).toBe(made + 1)
  })

  test('repeated under its Idempotency-Key creates one key and returns one answer', async () => {
    const { length } = cloudA().cloud.keysIn(cloudA().account.id, REGION)
    const body = { source_key_identifier: 'for SYMMETRIC_DEFAULT' }
    const first = await keys.tryUpload(body, { 'idempotency-key': 'one-upload' })
    const again = await keys.tryUpload(body, { 'idempotency-key': 'one-upload' })
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    expect(keysInCloud()).toBe(length + 1)
    const other = await keys.tryUpload({ ...body, region: OTHER_REGION }, { 'idempotency-key': 'one-upload' })
    expectRefused(other, 422, 2, 'Idempotency-Key')
  })

  test('leaves an audit record that names the key and contains neither policy nor material', async () => {
    const source = secret(32)
    await local('audited source', source)
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Sid: 'told-to-nobody', Effect: 'Allow', Principal: '*', Action: 'kms:*', Resource: '*' }],
    })
    const key = await keys.upload({ source_key_identifier: 'audited source', cloud_a_param: { Policy } })
    expect(key.cloud_a_param.Policy).toEqual(JSON.parse(Policy))
    const [record] = await cloudA().records(`message=Upload%20Cloud-a%20Key&resource_uri=${key.uri}`)
    expect(record).toMatchObject({ success: true, message: 'Upload Cloud-a Key' })
    expect(record.details.after).toEqual({
      kms: 'main',
      region: REGION,
      gone: false,
      local_key_id: key.local_key_id,
      KeyID: key.cloud_a_param.KeyID,
      CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
      KeyUsage: 'ENCRYPT_DECRYPT',
      KeyState: 'Enabled',
      Origin: 'EXTERNAL',
      Description: key.cloud_a_param.Description,
      Alias: [],
    })
    expect(JSON.stringify(record)).not.toContain('told-to-nobody')
    expect(JSON.stringify(record)).not.toContain(source.material)
  })
})
