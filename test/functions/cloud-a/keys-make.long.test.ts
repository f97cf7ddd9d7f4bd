import { SignCommand } from '@aws-sdk/client-kms'
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { childAdmin } from '../../support/callers.ts'
import { DAY, expectRefused } from '../vault/vault.ts'
import { CLOUD_A, keysOf, OTHER_REGION, REGION, useCloudA } from './cloud-a.ts'

const cloudA = useCloudA()
let keys: ReturnType<typeof keysOf>

/** Usage mask: export, combined with other uses. */
const EXPORT = 64
const secret = (bytes: number, algorithm = 'aes') => ({ algorithm, material: randomBytes(bytes).toString('hex') })
const pem = (pair: { privateKey: any }): string => pair.privateKey.export({ format: 'pem', type: 'pkcs8' })
const rsa = (modulusLength: number) => ({
  algorithm: 'rsa',
  material: pem(generateKeyPairSync('rsa', { modulusLength })),
})
const ec = (namedCurve: string) => ({ algorithm: 'ec', material: pem(generateKeyPairSync('ec', { namedCurve })) })

/** A local key for each kind of cloud key, and the resulting key in the cloud. */
const KINDS = [
  ['SYMMETRIC_DEFAULT', secret(32), 'ENCRYPT_DECRYPT', 'symmetric'],
  ['RSA_2048', rsa(2048), 'SIGN_VERIFY', 'asymmetric'],
  ['RSA_3072', rsa(3072), 'ENCRYPT_DECRYPT', 'asymmetric'],
  ['RSA_4096', rsa(4096), 'SIGN_VERIFY', 'asymmetric'],
  ['ECC_NIST_P256', ec('prime256v1'), 'SIGN_VERIFY', 'asymmetric'],
  ['ECC_NIST_P384', ec('secp384r1'), 'SIGN_VERIFY', 'asymmetric'],
  ['ECC_NIST_P521', ec('secp521r1'), 'SIGN_VERIFY', 'asymmetric'],
  ['ECC_SECG_P256K1', ec('secp256k1'), 'SIGN_VERIFY', 'asymmetric'],
  ['HMAC_224', secret(28, 'hmac-sha1'), 'GENERATE_VERIFY_MAC', 'hmac'],
  ['HMAC_256', secret(32, 'hmac-sha256'), 'GENERATE_VERIFY_MAC', 'hmac'],
  ['HMAC_384', secret(48, 'hmac-sha384'), 'GENERATE_VERIFY_MAC', 'hmac'],
  ['HMAC_512', secret(64, 'hmac-sha512'), 'GENERATE_VERIFY_MAC', 'hmac'],
] as const

const paramFor = (spec: string, usage: string) => ({
  CustomerMasterKeySpec: spec,
  ...(spec.startsWith('RSA_') && { KeyUsage: usage }),
})

const usageMaskOf = (algorithm: string): number => EXPORT + (algorithm.startsWith('hmac') ? 384 : 15)

/** A new local key for each test that changes one. */
const local = (name: string, more: object = {}): Promise<any> =>
  cloudA().admin.create({ name, algorithm: 'aes', usageMask: EXPORT + 12, ...more })

const keysInCloud = (region: string = REGION): number => cloudA().cloud.keysIn(cloudA().account.id, region).length

beforeAll(async () => {
  keys = keysOf(cloudA().admin)
  for (const [spec, body] of KINDS) await local(`for ${spec}`, { ...body, usageMask: usageMaskOf(body.algorithm) })
})

/** Bytes of material as written: raw material in hex, a private key as PKCS #8. */
const bytesIn = (material: string): Buffer =>
  material.startsWith('-----')
    ? createPrivateKey(material).export({ format: 'der', type: 'pkcs8' })
    : Buffer.from(material, 'hex')

describe('upload', () => {
  test.each(KINDS)('brings the very bytes of a local key into a %s', async (spec, { material }, usage, type) => {
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

  test('the cloud signs with a pair whose public half the local key shows', async () => {
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

  test('answers the whole record, as it can be read again', async () => {
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

  test('makes a key that expires, in another region, with relatives to come', async () => {
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

  test('takes the policy of a template and tags the key with it', async () => {
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

  test('that the cloud could not finish is finished when it is asked for again', async () => {
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

  test('asked again under its Idempotency-Key makes one key and gives one answer', async () => {
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

  test('the audit record names the key and holds neither policy nor material', async () => {
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

describe('upload refuses', () => {
  const NOT_THERE = '01890000-0000-7000-8000-00000000ffff'
  const AES = { source_key_identifier: 'for SYMMETRIC_DEFAULT' }
  const tags = (count: number) => Array.from({ length: count }, (_, n) => ({ TagKey: `t${n}`, TagValue: '' }))

  test.each<[string, object, number, number, string[]]>([
    [
      'neither container nor region nor key',
      { kms: undefined, region: undefined },
      422,
      2,
      ['#/kms', '#/region', '#/source_key_identifier'],
    ],
    ['a tier there is not', { ...AES, source_key_tier: 'hsm' }, 422, 2, ['#/source_key_tier']],
    [
      'fields of another kind',
      { ...AES, key_name: 'x', cloud_a_param: { Name: 'x' } },
      400,
      1,
      ['#/key_name', '#/cloud_a_param/Name'],
    ],
    ['an entry that is not there', { ...AES, kms: 'nowhere' }, 404, 5, ['#/kms']],
    ['a region the entry does not have', { ...AES, region: 'eu-north-1' }, 422, 2, ['#/region']],
    ['a local key that is not there', { source_key_identifier: 'nothing' }, 404, 5, ['#/source_key_identifier']],
    ['a template that is not there', { ...AES, policytemplate: NOT_THERE }, 404, 5, ['#/policytemplate']],
    [
      'a kind there is not',
      { ...AES, cloud_a_param: { CustomerMasterKeySpec: 'SM2' } },
      422,
      2,
      ['#/cloud_a_param/CustomerMasterKeySpec'],
    ],
    [
      'RSA without a usage',
      { source_key_identifier: 'for RSA_2048', cloud_a_param: { CustomerMasterKeySpec: 'RSA_2048' } },
      422,
      2,
      ['#/cloud_a_param/KeyUsage'],
    ],
    [
      'a usage the kind does not have',
      { ...AES, cloud_a_param: { KeyUsage: 'SIGN_VERIFY' } },
      422,
      2,
      ['#/cloud_a_param/KeyUsage'],
    ],
    [
      'material of another kind',
      { source_key_identifier: 'for RSA_2048' },
      422,
      2,
      ['#/cloud_a_param/CustomerMasterKeySpec'],
    ],
    [
      'material of another size',
      { source_key_identifier: 'for HMAC_256', cloud_a_param: { CustomerMasterKeySpec: 'HMAC_512' } },
      422,
      2,
      ['#/cloud_a_param/CustomerMasterKeySpec'],
    ],
    [
      'a curve of another key',
      { source_key_identifier: 'for ECC_NIST_P256', cloud_a_param: { CustomerMasterKeySpec: 'ECC_SECG_P256K1' } },
      422,
      2,
      ['#/cloud_a_param/CustomerMasterKeySpec'],
    ],
    ['an alias with its prefix', { ...AES, cloud_a_param: { Alias: 'alias/x' } }, 422, 2, ['#/cloud_a_param/Alias']],
    ["an alias of the cloud's own", { ...AES, cloud_a_param: { Alias: 'aws/x' } }, 422, 2, ['#/cloud_a_param/Alias']],
    ['an alias with a space', { ...AES, cloud_a_param: { Alias: 'a b' } }, 422, 2, ['#/cloud_a_param/Alias']],
    [
      'a tag value with a colon',
      { ...AES, cloud_a_param: { Tags: [{ TagKey: 'a', TagValue: 'b:c' }] } },
      422,
      2,
      ['#/cloud_a_param/Tags/0/TagValue'],
    ],
    [
      'a tag that only the service sets',
      { ...AES, cloud_a_param: { Tags: [{ TagKey: 'keymgr_policy_template_id', TagValue: 'x' }] } },
      422,
      2,
      ['#/cloud_a_param/Tags/0/TagKey'],
    ],
    [
      "a tag of the cloud's own",
      { ...AES, cloud_a_param: { Tags: [{ TagKey: 'AWS:x', TagValue: 'x' }] } },
      422,
      2,
      ['#/cloud_a_param/Tags/0/TagKey'],
    ],
    [
      'more tags than a key has room for',
      { ...AES, cloud_a_param: { Tags: tags(50) } },
      422,
      2,
      ['#/cloud_a_param/Tags'],
    ],
    [
      'a policy that is no JSON',
      { ...AES, cloud_a_param: { Policy: 'allow all' } },
      422,
      2,
      ['#/cloud_a_param/Policy'],
    ],
    [
      'a policy and a template',
      { ...AES, cloud_a_param: { Policy: '{}' }, policytemplate: NOT_THERE },
      422,
      2,
      ['#/policytemplate'],
    ],
    ['a template and lists', { ...AES, policytemplate: NOT_THERE, key_users: ['alice'] }, 422, 2, ['#/policytemplate']],
    ['a list member that is no name', { ...AES, key_users: ['alice', 'two words'] }, 422, 2, ['#/key_users/1']],
    ['an account that is none', { ...AES, external_accounts: ['12'] }, 422, 2, ['#/external_accounts/0']],
    ['expiry without a time', { ...AES, key_expiration: true }, 422, 2, ['#/cloud_a_param/ValidTo']],
    [
      'a time that is not to count',
      { ...AES, key_expiration: false, cloud_a_param: { ValidTo: '2030-01-01T00:00:00Z' } },
      422,
      2,
      ['#/cloud_a_param/ValidTo'],
    ],
  ])('%s', async (_what, body, status, code, fields) => {
    const made = keysInCloud()
    expectRefused(await keys.tryUpload(body), status, code, ...fields)
    expect(keysInCloud()).toBe(made)
  })

  test('a time in the past, or further ahead than the cloud keeps material', async () => {
    const { counts } = cloudA().cloud
    const before = counts().CreateKey
    for (const days of [-1, 366]) {
      const cloud_a_param = { ValidTo: cloudA().at(days * DAY) }
      expectRefused(await keys.tryUpload({ ...AES, cloud_a_param }), 422, 2, '#/cloud_a_param/ValidTo')
    }
    expect(counts().CreateKey).toBe(before)
  })

  test.each<[string, (id: string) => Promise<unknown>, object, number, number]>([
    ['is flagged unexportable', () => Promise.resolve(), { unexportable: true }, 403, 11],
    ['has no export use', () => Promise.resolve(), { usageMask: 12 }, 403, 11],
    ['has no material', () => Promise.resolve(), { emptyMaterial: true }, 409, 8],
    ['is no key', () => Promise.resolve(), { usageMask: EXPORT, ...secret(32, 'opaque') }, 422, 2],
    ['is archived', (id) => cloudA().admin.act(id, 'archive'), {}, 409, 8],
    ['is compromised', (id) => cloudA().admin.act(id, 'revoke', { reason: 'KeyCompromise' }), {}, 409, 8],
    ['is destroyed', (id) => cloudA().admin.act(id, 'destroy'), { state: 'Deactivated', ...secret(32) }, 409, 8],
  ])('a local key that %s', async (what, change, more, status, code) => {
    const { id } = await local(`key that ${what}`, more)
    await change(id as string)
    const made = keysInCloud()
    expectRefused(await keys.tryUpload({ source_key_identifier: id }), status, code)
    expect(keysInCloud()).toBe(made)
  })

  test('an alias that another key has, before anything is made', async () => {
    await keys.create({ cloud_a_param: { Alias: 'taken' } })
    const made = keysInCloud()
    const refused = await keys.tryUpload({ ...AES, cloud_a_param: { Alias: 'taken' } })
    expectRefused(refused, 409, 16)
    expect(refused.body.detail).toContain('taken')
    expect(keysInCloud()).toBe(made)
    await keys.create({ region: OTHER_REGION, cloud_a_param: { Alias: 'taken' } })
  })

  test("what the cloud refuses, with the cloud's own code", async () => {
    const { cloud } = cloudA()
    const made = keysInCloud()
    const malformed = await keys.tryUpload({ ...AES, cloud_a_param: { Policy: '{"Version":"2012-10-17"}' } })
    expectRefused(malformed, 422, 16)
    expect(malformed.body.detail).toContain('MalformedPolicyDocumentException')
    const denied = cloud.inject({ fault: 'access-denied', operation: 'CreateKey' })
    const refused = await keys.tryUpload(AES)
    denied()
    expectRefused(refused, 502, 16)
    expect(refused.body.detail).toContain('AccessDeniedException')
    expect(keysInCloud()).toBe(made)
  })

  test('half way: what was made waits for its deletion, and is on record', async () => {
    const denied = cloudA().cloud.inject({ fault: 'quota', operation: 'ImportKeyMaterial' })
    const { id: source } = await local('source of half a key')
    const refused = await keys.tryUpload({ source_key_identifier: source, cloud_a_param: { Description: 'half way' } })
    denied()
    expectRefused(refused, 409, 16)
    // The cloud may have received the material.
    expect((await cloudA().admin.get(source as string)).neverExported).toBe(false)
    const { resources } = await keys.list('?key_state=PendingDeletion')
    expect(resources).toMatchObject([
      { cloud_a_param: { Description: 'half way', KeyState: 'PendingDeletion' }, deletion_date: expect.any(String) },
    ])
    expect(cloudA().seen(resources[0]).state).toBe('PendingDeletion')
    const [record] = (await cloudA().records('message=Upload%20Cloud-a%20Key&success=false')).slice(-1)
    expect(record.errorMessage).toContain('LimitExceededException')
  })
})

describe('creation', () => {
  test.each(KINDS)('leaves the material of a %s to the cloud', async (spec, _source, usage, type) => {
    const key = await keys.create({ cloud_a_param: paramFor(spec, usage) })
    expect(key).toMatchObject({ key_type: type, key_material_origin: 'native', rotation_status: '' })
    expect(key).not.toHaveProperty('local_key_id')
    expect(key.cloud_a_param).toMatchObject({
      CustomerMasterKeySpec: spec,
      KeyUsage: usage,
      KeyState: 'Enabled',
      Origin: 'CLOUD_A_KMS',
    })
  })

  test('makes a shell that waits for material', async () => {
    const key = await keys.create({ cloud_a_param: { Origin: 'EXTERNAL', Alias: 'shell' } })
    expect(key.key_material_origin).toBe('unknown')
    expect(key.cloud_a_param).toMatchObject({
      KeyState: 'PendingImport',
      Enabled: false,
      Origin: 'EXTERNAL',
      Alias: ['shell'],
    })
  })

  test('makes a policy from lists, which the record shows', async () => {
    const [{ id }, { id: other }] = cloudA().cloud.accounts as any
    const lists = {
      external_accounts: [other],
      key_admins: ['alice'],
      key_admins_roles: [`arn:aws:iam::${id}:role/keymgr-operator`],
      key_users: ['bob'],
      key_users_roles: ['orders-service'],
    }
    const key = await keys.create(lists)
    expect(key).toMatchObject(lists)
    const [owner, administrators, users] = key.cloud_a_param.Policy.Statement as any[]
    expect(owner.Principal).toEqual({ AWS: [`arn:aws:iam::${id}:root`] })
    expect(administrators.Principal.AWS).toEqual([
      `arn:aws:iam::${id}:user/alice`,
      `arn:aws:iam::${id}:role/keymgr-operator`,
    ])
    expect(users.Principal.AWS).toEqual([
      `arn:aws:iam::${id}:user/bob`,
      `arn:aws:iam::${id}:role/orders-service`,
      `arn:aws:iam::${other}:root`,
    ])
  })

  test.each<[string, object, number, string[]]>([
    ['an origin there is not', { cloud_a_param: { Origin: 'CLOUD_A_HSM' } }, 422, ['#/cloud_a_param/Origin']],
    ['a time of expiry', { cloud_a_param: { ValidTo: '2030-01-01T00:00:00Z' } }, 400, ['#/cloud_a_param/ValidTo']],
    ['a source key', { source_key_identifier: 'x' }, 400, ['#/source_key_identifier']],
    [
      'RSA without a usage',
      { cloud_a_param: { CustomerMasterKeySpec: 'RSA_4096' } },
      422,
      ['#/cloud_a_param/KeyUsage'],
    ],
    ['a region the entry does not have', { region: 'eu-north-1' }, 422, ['#/region']],
  ])('refuses %s', async (_what, body, status, fields) => {
    const made = keysInCloud()
    expectRefused(await keys.tryCreate(body), status, status === 400 ? 1 : 2, ...fields)
    expect(keysInCloud()).toBe(made)
  })
})

describe('a caller', () => {
  test('may upload and create only where the container says so', async () => {
    const { admin, user } = cloudA()
    const { holder, sub } = await user('uploader', ['keymgr Users', 'Key Users'])
    const entry = await cloudA().entry('guarded')
    const theirs = keysOf(holder)
    const permit = (...actions: string[]) =>
      admin.ok('POST', `${CLOUD_A}/kms/${entry.id}/update-acls`, { acls: [{ user_id: sub, permit: true, actions }] })
    const own = await holder.create({ algorithm: 'aes', usageMask: EXPORT + 12 })
    const upload = { kms: 'guarded', source_key_identifier: own.id }
    expectRefused(await theirs.tryUpload(upload), 404, 5, '#/kms')
    await permit('viewbyok')
    expectRefused(await theirs.tryUpload(upload), 403, 4)
    expectRefused(await theirs.tryCreate({ kms: 'guarded' }), 403, 4)
    await permit('keyupload')
    const key = await theirs.upload(upload)
    expect(await theirs.get(key.id as string)).toEqual(key)
    expectRefused(
      await theirs.tryUpload({ ...upload, source_key_identifier: 'for SYMMETRIC_DEFAULT' }),
      404,
      5,
      '#/source_key_identifier',
    )
    expectRefused(await theirs.tryCreate({ kms: 'guarded' }), 403, 4)
    await permit('keycreate')
    await theirs.create({ kms: 'guarded' })
  })

  test('belongs to another domain sees nothing of it', async () => {
    const { service } = cloudA()
    const key = await keys.create({})
    const { child: token } = await childAdmin(service)
    const ask = (method: string, path: string, body?: object) =>
      service.call(method, `${CLOUD_A}${path}`, { token, body })
    expect((await ask('GET', `/keys/${key.id}`)).status).toBe(404)
    expect((await ask('DELETE', `/keys/${key.id}`)).status).toBe(404)
    expect((await ask('POST', `/keys/${key.id}/disable`)).status).toBe(404)
    expect((await ask('POST', `/keys/${key.id}/rotate`, {})).status).toBe(404)
    expect((await ask('GET', '/keys')).body).toMatchObject({ total: 0, resources: [] })
    expectRefused(await ask('POST', '/keys', { kms: 'main', region: REGION }), 404, 5, '#/kms')
    expect(cloudA().seen(key).state).toBe('Enabled')
  })

  test('asks for an archived entry is told to recover it first', async () => {
    const entry = await cloudA().entry('archived')
    await cloudA().admin.ok('POST', `${CLOUD_A}/kms/${entry.id}/archive`)
    expectRefused(await keys.tryCreate({ kms: 'archived' }), 409, 8)
    expectRefused(await keys.tryUpload({ kms: 'archived', source_key_identifier: 'for SYMMETRIC_DEFAULT' }), 409, 8)
  })
})
