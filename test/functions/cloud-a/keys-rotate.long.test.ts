import { DecryptCommand, EncryptCommand, GenerateDataKeyCommand } from '@aws-sdk/client-kms'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { DAY, expectRefused } from '../vault/vault.ts'
import { CLOUD_A, KEYS, keysOf, OTHER_REGION, REGION, useCloudA } from './cloud-a.ts'

const cloudA = useCloudA()
let keys: ReturnType<typeof keysOf>
const USE = 76

beforeAll(async () => {
  keys = keysOf(cloudA().admin)
  const { admin } = cloudA()
  await admin.create({ name: 'first', algorithm: 'aes', usageMask: USE })
  const material = generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey.export({
    format: 'pem',
    type: 'pkcs8',
  })
  await admin.create({ name: 'pair', algorithm: 'ec', material, usageMask: 67 })
})

const uploaded = (cloud_a_param: object = {}, more: object = {}): Promise<any> =>
  keys.upload({ source_key_identifier: 'first', cloud_a_param, ...more })
const rotate = (key: any, body: object = {}): Promise<any> => keys.act(key.id as string, 'rotate', body)
const tryRotate = (key: any, body: object = {}) => keys.tryAct(key.id as string, 'rotate', body)
const again = (key: any): Promise<any> => keys.get(key.id as string)
const localKeys = async (): Promise<number> => (await cloudA().admin.list('?limit=1')).total as number
const keysInCloud = () => cloudA().cloud.keysIn(cloudA().account.id, REGION)

/** Bytes of an exportable local key. */
const materialOf = async (id: string): Promise<string> =>
  (await cloudA().admin.act(id, 'export', {})).material.replaceAll(/\s/g, '') as string

describe('rotation', () => {
  test('creates a local key and uploads it into a new cloud key that succeeds the old one', async () => {
    const old = await uploaded({
      Alias: 'taken-over',
      Description: 'as before',
      Tags: [{ TagKey: 'team', TagValue: 'one' }],
    })
    await keys.act(old.id as string, 'add-alias', { alias: 'taken-over-too' })
    await keys.act(old.id as string, 'policy', { key_users: ['bob'] })
    const answered = await tryRotate(old)
    const { body: made, headers } = answered
    expect([answered.status, headers.get('etag')]).toEqual([201, '"1"'])
    expect(made).toMatchObject({
      rotated_from: old.id,
      rotation_status: 'ACTIVE',
      rotated_at: made.createdAt,
      key_material_origin: 'keymgr',
      key_source: 'local',
      local_key_name: `cloud-a-${made.id}`,
      key_users: ['bob'],
      region: REGION,
      kms: 'main',
    })
    expect(made.cloud_a_param).toMatchObject({
      KeyState: 'Enabled',
      Origin: 'EXTERNAL',
      CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
      Description: 'as before',
      Alias: ['taken-over', 'taken-over-too'],
      Tags: [
        { TagKey: 'keymgr_key_id', TagValue: made.id },
        { TagKey: 'team', TagValue: 'one' },
      ],
    })
    const replaced = await again(old)
    expect(made.cloud_a_param.Policy).toEqual(replaced.cloud_a_param.Policy)
    expect(replaced).toMatchObject({ rotated_to: made.id, rotation_status: 'ROTATED' })
    expect(replaced.cloud_a_param).toMatchObject({ KeyState: 'Enabled', Alias: [] })
    expect(await keys.get(made.id as string)).toEqual(made)
    expect(cloudA().seen(old)).toMatchObject({ state: 'Enabled', aliases: [] })
    const bytes = await cloudA().bytesOf(made)
    expect(bytes?.toString('hex')).toBe(await materialOf(made.local_key_id as string))
    expect(bytes).not.toEqual(await cloudA().bytesOf(old))
  })

  test('accepts a local key, a description and an expiry time', async () => {
    const old = await uploaded({ Description: 'before', Alias: 'with-source' })
    const material = randomBytes(32).toString('hex')
    const source = await cloudA().admin.create({ name: 'second', algorithm: 'aes', material, usageMask: USE })
    const valid_to = cloudA().at(100 * DAY)
    const body = {
      source_key_tier: 'local',
      source_key_id: 'second',
      description: 'after',
      key_expiration: true,
      valid_to,
    }
    const made = await rotate(old, body)
    expect(made).toMatchObject({ local_key_id: source.id, local_key_name: 'second' })
    expect(made.cloud_a_param).toMatchObject({
      Description: 'after',
      ValidTo: valid_to,
      ExpirationModel: 'KEY_MATERIAL_EXPIRES',
    })
    expect((await cloudA().bytesOf(made))?.toString('hex')).toBe(material)
    expect((await again(old)).cloud_a_param.Description).toBe('before')
  })

  test.each([
    ['of a key the cloud made', 'HMAC_384', {}],
    ['of a pair, for the use it had', 'ECC_NIST_P384', {}],
    ['of an RSA pair, for the use it had', 'RSA_2048', { KeyUsage: 'ENCRYPT_DECRYPT' }],
  ])('%s keeps its kind', async (_what, spec, more) => {
    const old = await keys.create({ cloud_a_param: { CustomerMasterKeySpec: spec, ...more } })
    const made = await rotate(old)
    const { KeyUsage } = old.cloud_a_param
    expect(made.key_material_origin).toBe('keymgr')
    expect(made.cloud_a_param).toMatchObject({ CustomerMasterKeySpec: spec, KeyUsage, Origin: 'EXTERNAL' })
    expect(await cloudA().bytesOf(made)).not.toEqual(await cloudA().bytesOf(old))
    expect((await again(old)).key_material_origin).toBe('native')
  })

  test('keeps the old names with a timestamp where that is asked for', async () => {
    const old = await uploaded({ Alias: 'kept' })
    await keys.act(old.id as string, 'add-alias', { alias: 'k'.repeat(250) })
    const made = await rotate(old, { retain_alias: true })
    expect(made.cloud_a_param.Alias).toEqual(['kept', 'k'.repeat(250)])
    const suffix = `-${(made.rotated_at as string).slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`
    const { cloud_a_param } = await again(old)
    expect(cloud_a_param.Alias).toEqual([`kept${suffix}`, `${'k'.repeat(250 - suffix.length)}${suffix}`])
    expect(cloudA().seen(old).aliases).toContain(`alias/kept${suffix}`)
  })

  test.each([
    ['disable_encrypt', 'the account of the key', { StringEquals: { 'kms:CallerAccount': '111122223333' } }],
    ['disable_encrypt_on_all_accounts', 'everybody', undefined],
  ])('with %s ends encryption with the old key for %s, not decryption', async (flag, _whom, Condition) => {
    const old = await uploaded()
    const client = cloudA().client()
    const { KeyID } = old.cloud_a_param
    const Plaintext = Buffer.from('written before')
    const { CiphertextBlob } = await client.send(new EncryptCommand({ KeyId: KeyID, Plaintext }))
    const made = await rotate(old, { [flag]: true })
    const denied = expect.objectContaining({ name: 'AccessDeniedException' })
    await expect(client.send(new EncryptCommand({ KeyId: KeyID, Plaintext }))).rejects.toEqual(denied)
    const dataKey = new GenerateDataKeyCommand({ KeyId: KeyID, KeySpec: 'AES_256' })
    await expect(client.send(dataKey)).rejects.toEqual(denied)
    const opened = await client.send(new DecryptCommand({ KeyId: KeyID, CiphertextBlob }))
    expect(Buffer.from(opened.Plaintext ?? [])).toEqual(Plaintext)
    await client.send(new EncryptCommand({ KeyId: made.cloud_a_param.KeyID, Plaintext }))
    const { Statement } = (await again(old)).cloud_a_param.Policy
    const denial = (Statement as any[]).find(({ Sid }) => Sid === 'keymgrDenyEncryption')
    expect(denial).toMatchObject({ Effect: 'Deny', Principal: { AWS: '*' } })
    expect(denial.Condition).toEqual(Condition)
    expect(JSON.stringify(made.cloud_a_param.Policy)).not.toContain('keymgrDenyEncryption')
  })

  test('leaves audit records only for the new key, which name the old one', async () => {
    const old = await uploaded()
    const made = await rotate(old)
    const [record] = await cloudA().records(`message=Rotate%20Cloud-a%20Key&resource_uri=${made.uri}`)
    expect(record).toMatchObject({ success: true, details: { after: { rotated_from: old.id, KeyState: 'Enabled' } } })
    const { material } = await cloudA().admin.act(made.local_key_id as string, 'export', {})
    expect(JSON.stringify(record)).not.toContain(material)
  })

  test('leaves an audit record of the new local key too', async () => {
    const made = await rotate(await uploaded())
    const local = await cloudA().admin.get(made.local_key_id as string)
    const records = await cloudA().records(`resource_uri=${local.uri}`)
    expect(records).toMatchObject([
      {
        message: 'Create Key',
        service: 'vault',
        success: true,
        username: 'admin',
        details: { action: 'part of Rotate Cloud-a Key', resource_name: made.local_key_name },
      },
    ])
    const [rotation] = await cloudA().records(`message=Rotate%20Cloud-a%20Key&resource_uri=${made.uri}`)
    expect(records[0].requestId).toBe(rotation.requestId)
  })

  test('repeated under its Idempotency-Key creates one key', async () => {
    const old = await uploaded()
    const { admin } = cloudA()
    const headers = { 'idempotency-key': 'one-rotation' }
    const first = await admin.call('POST', `${KEYS}/${old.id}/rotate`, {}, headers)
    const second = await admin.call('POST', `${KEYS}/${old.id}/rotate`, {}, headers)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
  })
})

describe('the versions of a key', () => {
  test('are its chain of rotations, from whichever member one asks', async () => {
    const first = await uploaded()
    const second = await rotate(first)
    const third = await rotate(second, { source_key_id: 'first' })
    await keys.act(first.id as string, 'disable')
    const versionsOf = (key: any, query = ''): Promise<any> =>
      cloudA().admin.ok('GET', `${KEYS}/${key.id}/versions${query}`)
    const chain = await versionsOf(second)
    const created = (key: any): string => key.cloud_a_param.CreationDate as string
    const of = (key: any, version: number, state: string) => ({
      id: key.id,
      version,
      is_primary: version === 2,
      state,
      local_key_id: key.local_key_id,
      local_key_version: 0,
      created: created(key),
    })
    expect(chain).toEqual({
      skip: 0,
      limit: 10,
      total: 3,
      resources: [of(first, 0, 'Disabled'), of(second, 1, 'Enabled'), of(third, 2, 'Enabled')],
    })
    expect(await versionsOf(first)).toEqual(chain)
    expect(await versionsOf(third)).toEqual(chain)
    const idsOf = async (query: string) => (await versionsOf(first, query)).resources.map(({ id }: any) => id as string)
    expect(await idsOf('?skip=1&limit=1')).toEqual([second.id])
    expect(await idsOf('?sort=-createdAt')).toEqual([third.id, second.id, first.id])
    expect(await idsOf('?createdBefore=2020-01-01T00:00:00Z')).toEqual([])
    expectRefused(await cloudA().admin.call('GET', `${KEYS}/${first.id}/versions?name=x`), 400, 1, 'name')
  })

  test('are one for a key that was never rotated', async () => {
    const key = await keys.create({})
    const { total, resources } = await cloudA().admin.ok('GET', `${KEYS}/${key.id}/versions`)
    const created = key.cloud_a_param.CreationDate
    expect([total, resources]).toEqual([1, [{ id: key.id, version: 0, is_primary: true, state: 'Enabled', created }]])
  })
})

describe('rotation is refused', () => {
  test.each<[string, object, number, number, string[]]>([
    [
      'two ways to end encryption',
      { disable_encrypt: true, disable_encrypt_on_all_accounts: true },
      422,
      2,
      ['#/disable_encrypt_on_all_accounts'],
    ],
    ['a tier there is not', { source_key_tier: 'hsm' }, 422, 2, ['#/source_key_tier']],
    ['unknown and mistyped fields', { alias: 'x', retain_alias: 'yes' }, 400, 1, ['#/alias', '#/retain_alias']],
    ['a local key that is not there', { source_key_id: 'nothing' }, 404, 5, ['#/source_key_id']],
    ['a local key that does not fit', { source_key_id: 'pair' }, 422, 2, ['#/source_key_id']],
    ['expiry without a time', { key_expiration: true }, 422, 2, ['#/valid_to']],
    [
      'a time that is not to count',
      { key_expiration: false, valid_to: '2030-01-01T00:00:00Z' },
      422,
      2,
      ['#/valid_to'],
    ],
    ['a time in the past', { valid_to: '2020-01-01T00:00:00Z' }, 422, 2, ['#/valid_to']],
    ['a time too far ahead', { valid_to: '2999-01-01T00:00:00Z' }, 422, 2, ['#/valid_to']],
  ])('is refused with %s', async (_what, body, status, code, fields) => {
    const old = await uploaded()
    const before = [await localKeys(), keysInCloud().length]
    expectRefused(await tryRotate(old, body), status, code, ...fields)
    expect([await localKeys(), keysInCloud().length]).toEqual(before)
    expect((await again(old)).rotation_status).toBe('')
  })

  test('with a local key that must not leave', async () => {
    await cloudA().admin.create({ name: 'stays', algorithm: 'aes', unexportable: true })
    expectRefused(await tryRotate(await uploaded(), { source_key_id: 'stays' }), 403, 11)
  })

  test('for a key that was rotated already', async () => {
    const old = await uploaded()
    await rotate(old)
    const refused = await tryRotate(old)
    expectRefused(refused, 409, 8)
    expect(refused.body.detail).toContain('rotate the one that succeeds it')
  })

  test('for a key that waits for its deletion, and for a replica', async () => {
    const waiting = await uploaded()
    await keys.act(waiting.id as string, 'schedule-deletion', { days: 7 })
    expectRefused(await tryRotate(waiting), 409, 8)
    const primary = await keys.create({ cloud_a_param: { MultiRegion: true } })
    await cloudA().replicate(primary)
    await keys.act(primary.id as string, 'update-primary-region', { PrimaryRegion: OTHER_REGION })
    const settled = async () => (await keys.act(primary.id as string, 'refresh')).cloud_a_param.KeyState as string
    expect([await settled(), await settled()]).toContain('Enabled')
    const replica = await tryRotate(primary)
    expectRefused(replica, 409, 8)
    expect(replica.body.detail).toContain('replica')
  })

  test.each(['GetKeyPolicy', 'ListAliases', 'ListResourceTags'])(
    'while %s is denied: a new key would not be like the old one',
    async (operation) => {
      const old = await uploaded({ Tags: [{ TagKey: 'team', TagValue: 'one' }] })
      await keys.act(old.id as string, 'policy', { key_users: ['bob'] })
      const before = [await localKeys(), keysInCloud().length]
      const denied = cloudA().cloud.inject({ fault: 'access-denied', operation })
      const refused = await tryRotate(old)
      denied()
      expectRefused(refused, 502, 16)
      expect(refused.body.detail).toContain('AccessDeniedException')
      expect([await localKeys(), keysInCloud().length]).toEqual(before)
      expect((await again(old)).cloud_a_param).toMatchObject({ Tags: [{}, { TagKey: 'team' }] })
    },
  )

  test('for a key with 50 tags, which leave no room for our own, known before or found at the cloud', async () => {
    const { cloud, account } = cloudA()
    const old = await keys.create({})
    const tags = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`t${n}`, '']))
    cloud.alter(account.id, REGION, old.cloud_a_param.KeyID as string, { tags })
    const before = [await localKeys(), keysInCloud().length]
    const found = await tryRotate(old)
    await keys.act(old.id as string, 'refresh')
    const known = await tryRotate(old)
    for (const refused of [found, known]) {
      expectRefused(refused, 409, 8)
      expect(refused.body.detail).toContain('50 tags')
    }
    expect([await localKeys(), keysInCloud().length]).toEqual(before)
    await keys.act(old.id as string, 'remove-tags', { tags: ['t0'] })
    expect((await rotate(old)).cloud_a_param.Tags).toHaveLength(50)
  })

  test('to callers without permission in the container', async () => {
    const { holder, sub } = await cloudA().user('rotator', ['keymgr Users'])
    const { kms, admin } = cloudA()
    const permit = (...actions: string[]) =>
      admin.ok('POST', `${CLOUD_A}/kms/${kms.id}/update-acls`, { acls: [{ user_id: sub, permit: true, actions }] })
    const key = await uploaded()
    const theirs = keysOf(holder)
    expectRefused(await theirs.tryAct(key.id as string, 'rotate', {}), 404, 5)
    await permit('keyupdate')
    expectRefused(await theirs.tryAct(key.id as string, 'rotate', {}), 403, 4)
    await permit('keyrotate')
    expectRefused(
      await theirs.tryAct(key.id as string, 'rotate', { source_key_id: 'first' }),
      404,
      5,
      '#/source_key_id',
    )
    expect((await theirs.act(key.id, 'rotate', {})).rotated_from).toBe(key.id)
  })

  test.each<[string, string, number]>([
    ['before the new key has its material', 'ImportKeyMaterial', 1],
    ['before a name has passed', 'UpdateAlias', 1],
    ['after a name has passed', 'UpdateAlias', 2],
    ['before the old key ends encrypting', 'PutKeyPolicy', 1],
  ])('by the cloud %s: everything is as it was', async (what, operation, call) => {
    const alias = what.replaceAll(' ', '-')
    const old = await uploaded({ Alias: alias })
    await keys.act(old.id as string, 'add-alias', { alias: `${alias}-too` })
    const before = await again(old)
    const seen = cloudA().seen(old)
    const made = keysInCloud().map(({ id }) => id)
    const denied = cloudA().cloud.inject({ fault: 'quota', operation, calls: [call] })
    const refused = await tryRotate(old, { disable_encrypt: true, retain_alias: true })
    denied()
    expectRefused(refused, 409, 16)
    expect(refused.body.detail).toContain('LimitExceededException')
    expect(cloudA().seen(old)).toEqual(seen)
    expect(await again(old)).toEqual({ ...before, rotation_status: 'FAILED', updatedAt: expect.any(String) })
    const left = keysInCloud().filter(({ id }) => !made.includes(id))
    expect(left.map(({ state, aliases }) => [state, aliases])).toEqual([['PendingDeletion', []]])
    const { resources } = await keys.list(`?keyid=${left[0]?.id}`)
    expect(resources).toMatchObject([{ cloud_a_param: { KeyState: 'PendingDeletion' } }])
    expect((await rotate(old)).cloud_a_param.Alias).toEqual([alias, `${alias}-too`])
  })
})
