import { GetParametersForImportCommand, ImportKeyMaterialCommand, RotateKeyOnDemandCommand } from '@aws-sdk/client-kms'
import { constants, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answered } from '../../support/service.ts'
import { DAY, expectRefused } from '../vault/vault.ts'
import { CLOUD_A, keysOf, useCloudA } from './cloud-a.ts'

/** Import of material into existing keys: the first, the same again, and additional material for a rotation. */
const tests = useCloudA()
let keys: ReturnType<typeof keysOf>

const EXPORT = 64
const BYTES: Readonly<Record<string, Buffer>> = { one: randomBytes(32), two: randomBytes(32), three: randomBytes(32) }

beforeAll(async () => {
  keys = keysOf(tests().admin)
  for (const [name, bytes] of Object.entries(BYTES))
    await tests().admin.create({ name, material: bytes.toString('hex'), usageMask: EXPORT + 12 })
})
beforeEach(() => {
  tests().cloud.reset()
  tests().cloud.setDelays({ rotation: 2 })
})

const shell = (param: object = {}): Promise<any> => keys.create({ cloud_a_param: { Origin: 'EXTERNAL', ...param } })
const filled = (name = 'one', more: object = {}): Promise<any> =>
  keys.upload({ source_key_identifier: name, cloud_a_param: more })
const importInto = (key: any, body: object = {}): Promise<any> => keys.act(key.id as string, 'import-material', body)
const tryImport = (key: any, body: object = {}): Promise<Answered> =>
  keys.tryAct(key.id as string, 'import-material', body)
const tryRotate = (key: any, body: object = {}, headers?: Record<string, string>): Promise<Answered> =>
  tests().admin.call('POST', `${CLOUD_A}/keys/${key.id}/rotate-material`, body, headers)

async function rotate(key: any, body: object = {}): Promise<any> {
  const answered = await tryRotate(key, body)
  expect(answered.status, JSON.stringify(answered.body)).toBe(202)
  return answered.body
}

const statusOf = async (key: any): Promise<any> =>
  tests().admin.ok('GET', `${CLOUD_A}/keys/${key.id}/rotate-material/status`)
const generationsOf = async (key: any, query = ''): Promise<any> =>
  tests().admin.ok('GET', `${CLOUD_A}/keys/${key.id}/rotations${query}`)
const refresh = (key: any): Promise<any> => keys.act(key.id as string, 'refresh')
const localKeysNamed = async (pattern: string): Promise<any[]> =>
  (await tests().admin.list(`?name=${pattern}&limit=1000`)).resources as any[]
const materialOfLocal = async (id: string): Promise<string> =>
  (await tests().admin.act(id, 'export', { encoding: 'hex' })).material as string

describe('import-material', () => {
  test('imports the exact bytes of a local key into a waiting key, and records the source', async () => {
    const key = await shell()
    expect(key).toMatchObject({ key_material_origin: 'unknown', cloud_a_param: { KeyState: 'PendingImport' } })
    const after = await importInto(key, { source_key_identifier: 'one' })
    const { id } = await tests().admin.get('one')
    expect(after).toMatchObject({
      id: key.id,
      key_material_origin: 'keymgr',
      key_source: 'local',
      local_key_id: id,
      local_key_name: 'one',
      cloud_a_param: {
        KeyState: 'Enabled',
        Enabled: true,
        ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE',
        CurrentKeyMaterialId: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    })
    expect(Object.keys(after as object)).not.toContain('materials')
    expect(await tests().bytesOf(key)).toEqual(BYTES.one)
    expect(await keys.get(key.id as string)).toEqual(after)
    expect((await tests().admin.get('one')).neverExported).toBe(false)
  })

  test.each(['SYMMETRIC_DEFAULT', 'HMAC_256', 'ECC_NIST_P256'])(
    'without a source key makes a new local key of the kind that a %s takes',
    async (CustomerMasterKeySpec) => {
      const key = await shell({ CustomerMasterKeySpec })
      const after = await importInto(key)
      expect(after.cloud_a_param.KeyState).toBe('Enabled')
      const made = await tests().admin.get(after.local_key_id as string)
      expect(made.name).toBe(after.local_key_name)
      if (CustomerMasterKeySpec !== 'ECC_NIST_P256')
        expect((await tests().bytesOf(key))?.toString('hex')).toBe(await materialOfLocal(made.id as string))
    },
  )

  test('imports the same material again into a key that lost it, and the cloud refuses other material', async () => {
    const key = await filled('two')
    await keys.act(key.id as string, 'delete-material', {})
    const other = await tryImport(key, { source_key_identifier: 'one' })
    expectRefused(other, 422, 16)
    expect(other.body.detail).toContain('IncorrectKeyMaterialException')
    const again = await importInto(key)
    expect(again).toMatchObject({ local_key_name: 'two', cloud_a_param: { KeyState: 'Enabled' } })
    expect(await tests().bytesOf(key)).toEqual(BYTES.two)
  })

  test('lets material expire on request; it can then be imported again', async () => {
    const key = await shell()
    const valid_to = tests().at(DAY)
    const after = await importInto(key, { source_key_identifier: 'three', key_expiration: true, valid_to })
    expect(after.cloud_a_param).toMatchObject({ ExpirationModel: 'KEY_MATERIAL_EXPIRES', KeyState: 'Enabled' })
    expect(Math.abs(Date.parse(after.cloud_a_param.ValidTo as string) - Date.parse(valid_to))).toBeLessThan(1_000)
    tests().advance(DAY + 1_000)
    const again = await importInto(key)
    expect(again.cloud_a_param).toMatchObject({ ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE', KeyState: 'Enabled' })
    expect(await tests().bytesOf(key)).toEqual(BYTES.three)
  })

  test('repeated after a lost answer creates one local key', async () => {
    const key = await shell()
    const before = (await localKeysNamed('cloud-a-*')).length
    tests().cloud.inject({ fault: 'cut-after', operation: 'ImportKeyMaterial', times: 12 })
    expect((await tryImport(key)).status).toBe(503)
    expect((await tryImport(key, { source_key_identifier: 'one' })).body).toMatchObject({ code: 8 })
    tests().cloud.reset()
    const after = await importInto(key)
    expect(await localKeysNamed('cloud-a-*')).toHaveLength(before + 1)
    expect((await tests().bytesOf(key))?.toString('hex')).toBe(await materialOfLocal(after.local_key_id as string))
  })

  test('leaves an audit record that names the key and no material', async () => {
    const key = await shell({ Description: 'audited' })
    await importInto(key, { source_key_identifier: 'one' })
    const [record] = (await tests().records('message=Import%20Cloud-a%20Key%20Material')).slice(-1)
    expect(record).toMatchObject({
      success: true,
      details: { resource_uri: key.uri, after: { KeyState: 'Enabled', Description: 'audited' } },
    })
    expect(JSON.stringify(record)).not.toContain(BYTES.one?.toString('hex'))
  })
})

describe('import-material is refused', () => {
  test('for a key whose material the cloud generated, and for one with material', async () => {
    expectRefused(await tryImport(await keys.create({})), 409, 8)
    expectRefused(await tryImport(await filled(), { source_key_identifier: 'two' }), 409, 8)
    const leaving = await shell()
    await keys.act(leaving.id as string, 'schedule-deletion', { days: 7 })
    expectRefused(await tryImport(leaving), 409, 8)
  })

  test('with a source key that does not fit, does not exist, or is unexportable', async () => {
    const key = await shell()
    const unfit = await tests().admin.create({ algorithm: 'aes', size: 128, usageMask: EXPORT + 12 })
    const kept = await tests().admin.create({ algorithm: 'aes', unexportable: true })
    const field = '#/source_key_identifier'
    expectRefused(await tryImport(key, { source_key_identifier: unfit.id }), 422, 2, field)
    expectRefused(await tryImport(key, { source_key_identifier: 'nobody' }), 404, 5, field)
    expectRefused(await tryImport(key, { source_key_identifier: kept.id }), 403, 11)
    expect((await keys.get(key.id as string)).cloud_a_param.KeyState).toBe('PendingImport')
  })

  test('with fields that contradict each other or the kind of key', async () => {
    const key = await shell()
    const id = 'a'.repeat(64)
    expectRefused(await tryImport(key, { key_expiration: true }), 422, 2, '#/valid_to')
    expectRefused(await tryImport(key, { valid_to: tests().at(366 * DAY) }), 422, 2, '#/valid_to')
    expectRefused(await tryImport(key, { valid_to: tests().at(-1_000) }), 422, 2, '#/valid_to')
    const both = { import_type: 'NEW_KEY_MATERIAL', key_material_id: id }
    expectRefused(await tryImport(key, both), 422, 2, '#/key_material_id')
    expectRefused(await tryImport(key, { key_material_id: id }), 422, 2, '#/source_key_identifier')
    const hmac = await shell({ CustomerMasterKeySpec: 'HMAC_256' })
    const said = { import_type: 'NEW_KEY_MATERIAL', key_material_description: 'a' }
    expectRefused(await tryImport(hmac, said), 422, 2, '#/import_type', '#/key_material_description')
  })

  test('to callers without permission in the container', async () => {
    const { holder, sub } = await tests().user('importer', ['keymgr Users', 'Key Users'])
    const own = await holder.create({ algorithm: 'aes', usageMask: EXPORT + 12 })
    const permit = (...actions: string[]) =>
      tests().admin.ok('POST', `${CLOUD_A}/kms/${tests().kms.id}/update-acls`, {
        acls: [{ user_id: sub, permit: true, actions }],
      })
    const key = await shell()
    const theirs = keysOf(holder)
    expectRefused(await theirs.tryAct(key.id as string, 'import-material', {}), 404, 5)
    await permit('viewbyok')
    expectRefused(await theirs.tryAct(key.id as string, 'import-material', {}), 403, 4)
    await permit('keymaterialimport')
    const foreign = await theirs.tryAct(key.id as string, 'import-material', { source_key_identifier: 'one' })
    expectRefused(foreign, 404, 5, '#/source_key_identifier')
    const after = await theirs.act(key.id as string, 'import-material', { source_key_identifier: own.id })
    expect(after.local_key_id).toBe(own.id)
    expectRefused(await theirs.tryAct(key.id as string, 'rotate-material', {}), 403, 4)
  })
})

describe('rotate-material', () => {
  test('generates new material in the cloud, as soon as the cloud allows it', async () => {
    const key = await keys.create({})
    tests().cloud.setDelays({ rotation: 1_000 })
    expect(await statusOf(key)).toEqual({ overall_status: 'success' })
    expect((await rotate(key)).id).toBe(key.id)
    expect(await statusOf(key)).toEqual({ overall_status: 'in_progress' })
    expectRefused(await tryRotate(key), 409, 8)
    expect(await statusOf(key)).toEqual({ overall_status: 'in_progress' })
    tests().advance(61_000)
    expect(await statusOf(key)).toEqual({ overall_status: 'success' })
    const { total, resources } = await generationsOf(key)
    expect(total).toBe(2)
    expect(resources[0]).toEqual({
      KeyMaterialId: key.cloud_a_param.CurrentKeyMaterialId,
      KeyMaterialState: 'NON_CURRENT',
    })
    expect(resources[1]).toEqual({
      KeyMaterialId: expect.stringMatching(/^[0-9a-f]{64}$/),
      KeyMaterialState: 'CURRENT',
      RotationType: 'ON_DEMAND',
      RotationDate: expect.stringMatching(/Z$/),
    })
    expect((await generationsOf(key, '?skip=1&limit=1')).resources).toEqual([resources[1]])
    expect(await refresh(key)).toMatchObject({ key_material_origin: 'native' })
  })

  test('imports a local key first; the record follows once the cloud uses it', async () => {
    const key = await filled('one')
    tests().cloud.setDelays({ rotation: 1_000 })
    const valid_to = tests().at(DAY)
    expect(await rotate(key, { source_key_identifier: 'two', key_expiration: true, valid_to })).toMatchObject({
      local_key_name: 'one',
      cloud_a_param: { CurrentKeyMaterialId: key.cloud_a_param.CurrentKeyMaterialId },
    })
    const [first, second] = (await generationsOf(key)).resources
    const [one, two] = [await tests().admin.get('one'), await tests().admin.get('two')]
    expect(first).toMatchObject({ KeyMaterialState: 'CURRENT', source_key_identifier: one.id, source_key_name: 'one' })
    expect(second).toMatchObject({
      KeyMaterialState: 'PENDING_ROTATION',
      ImportState: 'IMPORTED',
      ExpirationModel: 'KEY_MATERIAL_EXPIRES',
      source_key_identifier: two.id,
      source_key_name: 'two',
    })
    tests().advance(61_000)
    expect(await statusOf(key)).toEqual({ overall_status: 'success' })
    expect(await refresh(key)).toMatchObject({
      key_material_origin: 'keymgr',
      local_key_id: two.id,
      local_key_name: 'two',
      cloud_a_param: { CurrentKeyMaterialId: second.KeyMaterialId },
    })
    expect(await tests().bytesOf(key)).toEqual(BYTES.two)
  })

  test('without a source key uses a new local key', async () => {
    const key = await filled('one')
    await rotate(key)
    await statusOf(key)
    const after = await refresh(key)
    expect(after.local_key_name).toMatch(/^cloud-a-/)
    expect((await tests().bytesOf(key))?.toString('hex')).toBe(await materialOfLocal(after.local_key_id as string))
  })

  test('uses the pending material of the key, and accepts no other beside it', async () => {
    const key = await filled('one')
    const waiting = await importInto(key, { source_key_identifier: 'two', import_type: 'NEW_KEY_MATERIAL' })
    expect(waiting).toMatchObject({ local_key_name: 'one', cloud_a_param: { KeyState: 'Enabled' } })
    expectRefused(await tryRotate(key, { source_key_identifier: 'three' }), 409, 8)
    const more = await tryImport(key, { source_key_identifier: 'three', import_type: 'NEW_KEY_MATERIAL' })
    expectRefused(more, 409, 16)
    await rotate(key)
    await statusOf(key)
    expect(await refresh(key)).toMatchObject({ local_key_name: 'two' })
    expect(await tests().bytesOf(key)).toEqual(BYTES.two)
    expect((await generationsOf(key)).total).toBe(2)
  })

  test('that the cloud refuses at its end has failed, and shows that until the next one', async () => {
    const key = await filled('one')
    tests().cloud.inject({ fault: 'quota', operation: 'RotateKeyOnDemand', times: 1 })
    expectRefused(await tryRotate(key, { source_key_identifier: 'two' }), 409, 16)
    expect(await statusOf(key)).toEqual({ overall_status: 'failed', error_details: expect.stringContaining('refused') })
    const [, waiting] = (await generationsOf(key)).resources
    expect(waiting).toMatchObject({ KeyMaterialState: 'PENDING_ROTATION', source_key_name: 'two' })
    expect(Object.keys((await keys.get(key.id as string)) as object)).not.toContain('rotation_refused')
    await rotate(key)
    await statusOf(key)
    expect(await statusOf(key)).toEqual({ overall_status: 'success' })
    expect(await refresh(key)).toMatchObject({ local_key_name: 'two' })
  })

  test('is done once although its answers were lost, and shows as in progress until it is resumed', async () => {
    const { cloud } = tests()
    const key = await filled('one')
    cloud.setDelays({ rotation: 1_000 })
    cloud.inject({ fault: 'server-error', operation: 'RotateKeyOnDemand' })
    expect((await tryRotate(key, { source_key_identifier: 'two' })).status).toBe(503)
    expect(await statusOf(key)).toEqual({ overall_status: 'in_progress' })
    cloud.reset()
    cloud.inject({ fault: 'cut-after', operation: 'RotateKeyOnDemand', times: 1 })
    tests().advance(61_000)
    await tests().sweep()
    expect(await statusOf(key)).toEqual({ overall_status: 'in_progress' })
    tests().advance(61_000)
    expect(await statusOf(key)).toEqual({ overall_status: 'success' })
    expect((await generationsOf(key)).total).toBe(2)
    expect(await refresh(key)).toMatchObject({ local_key_name: 'two' })
    const [record] = (await tests().records('message=Rotate%20Cloud-a%20Key%20Material')).slice(-1)
    expect(record).toMatchObject({ success: true, details: { resource_uri: key.uri } })
  })

  test('by another party, with unknown material, is not reported as ours', async () => {
    const key = await filled('one')
    const kms = tests().client()
    const KeyId = key.cloud_a_param.KeyID as string
    const { PublicKey = new Uint8Array(), ImportToken } = await kms.send(
      new GetParametersForImportCommand({
        KeyId,
        WrappingAlgorithm: 'RSAES_OAEP_SHA_256',
        WrappingKeySpec: 'RSA_4096',
      }),
    )
    const wrapping = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' })
    const EncryptedKeyMaterial = publicEncrypt(
      { key: wrapping, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
      randomBytes(32),
    )
    const how = { ImportType: 'NEW_KEY_MATERIAL', ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE' } as const
    await kms.send(new ImportKeyMaterialCommand({ KeyId, ImportToken, EncryptedKeyMaterial, ...how }))
    await kms.send(new RotateKeyOnDemandCommand({ KeyId }))
    await statusOf(key)
    await statusOf(key)
    const after = await refresh(key)
    expect(after.key_material_origin).toBe('unknown')
    expect(Object.keys(after as object)).not.toContain('local_key_id')
  })
})

describe('rotate-material is refused', () => {
  test('for keys whose material cannot change, or that are disabled', async () => {
    const hmac = await shell({ CustomerMasterKeySpec: 'HMAC_256' })
    for (const path of ['rotate-material/status', 'rotations'])
      expectRefused(await tests().admin.call('GET', `${CLOUD_A}/keys/${hmac.id}/${path}`), 409, 8)
    expectRefused(await tryRotate(hmac), 409, 8)
    expectRefused(await tryRotate(await shell()), 409, 8)
    const disabled = await keys.create({})
    await keys.act(disabled.id as string, 'disable')
    expectRefused(await tryRotate(disabled), 409, 8)
  })

  test('with any field for material of the cloud, or with invalid fields', async () => {
    const key = await keys.create({})
    expectRefused(await tryRotate(key, { source_key_identifier: 'one' }), 422, 2, '#/source_key_identifier')
    expectRefused(await tryRotate(key, { valid_to: tests().at(DAY) }), 422, 2, '#/valid_to')
    const imported = await filled('one')
    expectRefused(await tryRotate(imported, { valid_to: tests().at(366 * DAY) }), 422, 2, '#/valid_to')
    expectRefused(await tryRotate(imported, { source_key_identifier: 'nobody' }), 404, 5, '#/source_key_identifier')
    const same = await tryRotate(imported, { source_key_identifier: 'one' })
    expectRefused(same, 422, 16)
    expect(same.body.detail).toContain('IncorrectKeyMaterialException')
  })

  test('for a key that does not exist', async () => {
    const nobody = { id: '01890000-0000-7000-8000-00000000ffff' }
    expectRefused(await tryRotate(nobody), 404, 5)
    expectRefused(await tryImport(nobody), 404, 5)
    expectRefused(await tests().admin.call('GET', `${CLOUD_A}/keys/${nobody.id}/rotations`), 404, 5)
    expectRefused(await tests().admin.call('GET', `${CLOUD_A}/keys/${nobody.id}/rotate-material/status`), 404, 5)
  })

  test('by an unknown filter of the generations', async () => {
    const key = await keys.create({})
    expectRefused(await tests().admin.call('GET', `${CLOUD_A}/keys/${key.id}/rotations?state=CURRENT`), 400, 1, 'state')
  })
})
