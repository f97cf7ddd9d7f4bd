import { describe, expect, test } from 'vitest'
import { childAdmin } from '../../../support/callers.ts'
import { expectRefused } from '../../vault/vault.ts'
import { CLOUD_A, keysOf, REGION } from '../cloud-a.ts'
import { KINDS, keys, paramFor, cloudA, keysInCloud, EXPORT } from './set-up.ts'

describe('creation', () => {
  test.each(KINDS)('lets the cloud generate the material of a %s', async (spec, _source, usage, type) => {
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

  test('creates a key without material, for an import', async () => {
    const key = await keys.create({ cloud_a_param: { Origin: 'EXTERNAL', Alias: 'shell' } })
    expect(key.key_material_origin).toBe('unknown')
    expect(key.cloud_a_param).toMatchObject({
      KeyState: 'PendingImport',
      Enabled: false,
      Origin: 'EXTERNAL',
      Alias: ['shell'],
    })
  })

  test('generates a policy from lists, which the record shows', async () => {
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
  test('may upload and create only with a permission of the container', async () => {
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

  test('of another domain sees nothing of it', async () => {
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

  test('is refused for an archived entry', async () => {
    const entry = await cloudA().entry('archived')
    await cloudA().admin.ok('POST', `${CLOUD_A}/kms/${entry.id}/archive`)
    expectRefused(await keys.tryCreate({ kms: 'archived' }), 409, 8)
    expectRefused(await keys.tryUpload({ kms: 'archived', source_key_identifier: 'for SYMMETRIC_DEFAULT' }), 409, 8)
  })
})
