import { EncryptCommand } from '@aws-sdk/client-kms'
import { createPublicKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { withoutReferences } from '../../../support/described.ts'
import { expectRefused } from '../../vault/vault.ts'
import { CLOUD_A, KEYS, OTHER_REGION } from '../cloud-a.ts'
import { uploaded, keys, cloudA, native, pair, goneKey } from './set-up.ts'

describe('imported material', () => {
  test('is deleted, after which the key cannot be used', async () => {
    const key = await uploaded()
    const empty = await keys.act(key.id, 'delete-material', {})
    expect(empty.cloud_a_param).toMatchObject({ KeyState: 'PendingImport', Enabled: false, Origin: 'EXTERNAL' })
    expect(await cloudA().bytesOf(key)).toBeUndefined()
    const encrypting = new EncryptCommand({ KeyId: key.cloud_a_param.KeyID, Plaintext: Buffer.from('x') })
    await expect(cloudA().client().send(encrypting)).rejects.toThrow(
      expect.objectContaining({ name: 'KMSInvalidStateException' }),
    )
  })

  test('can be given by its id', async () => {
    const key = await uploaded()
    expectRefused(
      await keys.tryAct(key.id as string, 'delete-material', { key_material_id: 'x' }),
      422,
      2,
      '#/key_material_id',
    )
    const key_material_id = key.cloud_a_param.CurrentKeyMaterialId as string
    const empty = await keys.act(key.id, 'delete-material', { key_material_id })
    expect(empty.cloud_a_param.KeyState).toBe('PendingImport')
  })

  test('excludes material of the cloud', async () => {
    expectRefused(await keys.tryAct((await native()).id as string, 'delete-material', {}), 409, 8)
  })
})

describe("the cloud's own rotation", () => {
  const statusOf = (key: any): Promise<any> => keys.act(key.id as string, 'get-key-rotation-status')

  test('is enabled and disabled, and shows its next time', async () => {
    const key = await native()
    expect(await statusOf(key)).toEqual({ KeyRotationEnabled: false })
    const on = await keys.act(key.id, 'enable-auto-rotation', {})
    expect(on.cloud_a_param).toMatchObject({ KeyRotationEnabled: true, RotationPeriodInDays: 365 })
    const shorter = await keys.act(key.id, 'enable-auto-rotation', { rotation_period_in_days: 90 })
    const { KeyRotationEnabled, RotationPeriodInDays, NextRotationDate } = shorter.cloud_a_param
    expect([KeyRotationEnabled, RotationPeriodInDays]).toEqual([true, 90])
    expect(await statusOf(key)).toEqual({ KeyRotationEnabled, RotationPeriodInDays, NextRotationDate })
    expect(cloudA().seen(key).rotationPeriodDays).toBe(90)
    const off = await keys.act(key.id, 'disable-auto-rotation')
    expect(off.cloud_a_param.KeyRotationEnabled).toBe(false)
    expect(await statusOf(key)).toEqual({ KeyRotationEnabled: false })
  })

  test.each<[string, object, number]>([
    ['every 89 days', { rotation_period_in_days: 89 }, 422],
    ['every 2561 days', { rotation_period_in_days: 2561 }, 422],
    ['now and then', { rotation_period_in_days: 'often' }, 400],
  ])('does not happen %s', async (_what, body, status) => {
    const { id } = await native()
    const refused = await keys.tryAct(id as string, 'enable-auto-rotation', body)
    expectRefused(refused, status, status === 400 ? 1 : 2, '#/rotation_period_in_days')
  })

  test('exists only for symmetric keys with material of the cloud', async () => {
    const others = [await uploaded(), await native({ CustomerMasterKeySpec: 'HMAC_256' })]
    for (const { id } of others) {
      expectRefused(await keys.tryAct(id as string, 'enable-auto-rotation', {}), 409, 8)
      expectRefused(await keys.tryAct(id as string, 'disable-auto-rotation'), 409, 8)
      expect(await statusOf({ id })).toEqual({ KeyRotationEnabled: false })
    }
  })

  test('is read without an audit record', async () => {
    await statusOf(await native())
    expect(await cloudA().records('message=Get%20Cloud-a%20Key%20Rotation%20Status')).toEqual([])
  })
})

describe('the primary region', () => {
  test('passes to a replica', async () => {
    const primary = await native({ MultiRegion: true })
    await cloudA().replicate(primary)
    const passed = await keys.act(primary.id, 'update-primary-region', { PrimaryRegion: OTHER_REGION })
    expect(passed.cloud_a_param).toMatchObject({
      KeyState: 'Updating',
      MultiRegionConfiguration: { MultiRegionKeyType: 'REPLICA', PrimaryKey: { Region: OTHER_REGION } },
    })
    const again = await keys.tryAct(primary.id as string, 'update-primary-region', { PrimaryRegion: OTHER_REGION })
    expectRefused(again, 409, 8)
  })

  test('exists only for multi-region keys, in regions with a replica', async () => {
    const [single, primary] = [await native(), await native({ MultiRegion: true })]
    const body = { PrimaryRegion: OTHER_REGION }
    expectRefused(await keys.tryAct(single.id as string, 'update-primary-region', body), 409, 8)
    expectRefused(await keys.tryAct(primary.id as string, 'update-primary-region', body), 404, 16)
    expectRefused(await keys.tryAct(primary.id as string, 'update-primary-region', {}), 422, 2, '#/PrimaryRegion')
  })
})

describe('the public key', () => {
  const download = (id: string) => cloudA().admin.call('GET', `${KEYS}/${id}/download-public-key`)

  test('is PEM text', async () => {
    const key = await keys.upload({
      source_key_identifier: 'ec',
      cloud_a_param: { CustomerMasterKeySpec: 'ECC_NIST_P256' },
    })
    const { status, headers, body } = await download(key.id as string)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(body).toBe(createPublicKey(pair.privateKey).export({ format: 'pem', type: 'spki' }))
  })

  test('is described as text', async () => {
    const { body } = await cloudA().service.call('GET', '/v1/openapi.json')
    const { content } = withoutReferences(body).paths[`${CLOUD_A}/keys/{id}/download-public-key`].get.responses['200']
    expect(content).toEqual({ 'text/plain': { schema: { type: 'string', description: expect.any(String) } } })
  })

  test('exists for no other keys', async () => {
    const { id } = await native()
    expectRefused(await download(id as string), 409, 8)
    expectRefused(await download((await goneKey()).id as string), 409, 8)
    expectRefused(await download('01890000-0000-7000-8000-00000000ffff'), 404, 5)
    expectRefused(await download('no-id'), 400, 1, 'id')
  })
})
