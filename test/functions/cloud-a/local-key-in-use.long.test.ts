import { beforeAll, describe, expect, test } from 'vitest'
import { expectRefused, pathOf } from '../vault/vault.ts'
import { keysOf, useCloudA } from './cloud-a.ts'

/** A local key cannot be deleted while a cloud key with its material exists. */
const tests = useCloudA()
let keys: ReturnType<typeof keysOf>
beforeAll(() => {
  keys = keysOf(tests().admin)
})

const MAY_LEAVE = { usageMask: 64 + 12 }
const remove = (reference: string, query = ''): Promise<any> =>
  tests().admin.call('DELETE', `${pathOf(reference)}${query}`)
const destroy = (reference: string, query = ''): Promise<any> =>
  tests().admin.call('POST', pathOf(reference, `/destroy${query}`))
const revoke = (reference: string, query = ''): Promise<any> =>
  tests().admin.act(reference, 'revoke', { reason: 'CessationOfOperation' }, query)

const uploaded = async (name: string, alias: string): Promise<any> => {
  await tests().admin.create({ name, ...MAY_LEAVE })
  return keys.upload({ source_key_identifier: name, cloud_a_param: { Alias: alias } })
}

test('a key whose material a cloud key has is not deleted, and the refusal names the cloud key', async () => {
  const key = await uploaded('behind-one', 'needs-it')
  const refused = await remove('behind-one')
  expectRefused(refused, 409, 9)
  expect(refused.body.detail).toBe('The key behind-one is used by 1 cloud-a key. Users: needs-it.')
  await keys.act(key.id as string, 'delete-material', {})
  expectRefused(await remove('behind-one'), 409, 9)
  expect((await keys.act(key.id as string, 'import-material', {})).cloud_a_param.KeyState).toBe('Enabled')
})

test('a key whose material is being uploaded is not deleted, until the upload ends', async () => {
  await tests().admin.create({ name: 'under-way', ...MAY_LEAVE })
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<undefined>()
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>()
  const stop = tests().cloud.inject({
    ...{ fault: 'observe', operation: 'ImportKeyMaterial' },
    after: () => {
      arrive(undefined)
      return released
    },
  })
  const upload = keys.upload({ source_key_identifier: 'under-way', cloud_a_param: { Alias: 'under-way' } })
  await arrived
  const refused = await remove('under-way')
  stop()
  release(undefined)
  expectRefused(refused, 409, 9)
  expect(refused.body.detail).toBe('The key under-way is used by 1 unfinished upload.')
  await upload
  expect((await remove('under-way')).body.detail).toContain('1 cloud-a key')
})

describe('with force', () => {
  test('an Active key in use is deactivated first, and then deleted', async () => {
    await uploaded('forced', 'forced')
    const active = await remove('forced', '?force=true')
    expectRefused(active, 409, 8)
    expect(active.body.detail).toContain('revoke it first')
    await revoke('forced')
    expectRefused(await remove('forced'), 409, 9)
    expect((await remove('forced', '?force=true')).status).toBe(200)
    expect((await tests().admin.call('GET', pathOf('forced'))).status).toBe(404)
  })

  test('a deactivated key in use is destroyed, and without it is not', async () => {
    await uploaded('wiped', 'wiped')
    await revoke('wiped')
    expectRefused(await destroy('wiped'), 409, 9)
    expect((await destroy('wiped', '?force=true')).body.state).toBe('Destroyed')
  })
})

test('only the version with uses of its material cannot be deleted', async () => {
  await uploaded('rotated-here', 'of-first')
  await tests().admin.act('rotated-here', 'versions', {})
  const refused = await remove('rotated-here', '?version=0')
  expectRefused(refused, 409, 9)
  expect(refused.body.detail).toContain('of-first')
  expect((await remove('rotated-here', '?version=1')).status).toBe(200)
})

test('a former generation of material is needed as the present one is', async () => {
  const key = await uploaded('generation-one', 'generations')
  await tests().admin.create({ name: 'generation-two', ...MAY_LEAVE })
  await tests().admin.ok('POST', `/v1/keymgr/cloud-a/keys/${key.id}/import-material`, {
    source_key_identifier: 'generation-two',
    import_type: 'NEW_KEY_MATERIAL',
  })
  for (const name of ['generation-one', 'generation-two']) expectRefused(await remove(name), 409, 9)
})

test('a key without users is deleted without more, Active as it is', async () => {
  await tests().admin.create({ name: 'of-no-use' })
  expect((await remove('of-no-use')).status).toBe(200)
})

test('a cloud key that its cloud no longer has prevents no deletion', async () => {
  const key = await uploaded('of-gone', 'of-gone')
  tests().cloud.reset()
  await keys.act(key.id as string, 'schedule-deletion', { days: 7 })
  expectRefused(await remove('of-gone'), 409, 9) // the deletion can be cancelled
  tests().advance(8 * 86_400_000)
  expect((await keys.act(key.id as string, 'refresh')).gone).toBe(true)
  expect((await remove('of-gone')).status).toBe(200)
})

test('a deletion date is not set on a key in use, unless it is forced', async () => {
  await uploaded('dated', 'dated')
  const body = { deactivationDate: tests().at(86_400_000), destroyDate: tests().at(2 * 86_400_000) }
  expectRefused(await tests().admin.call('PATCH', pathOf('dated'), body), 409, 9)
  expect((await tests().admin.update('dated', body, '?force=true')).destroyDate).toBe(body.destroyDate)
})

test('a name of a cloud key is shown to those who may see the key', async () => {
  await uploaded('behind-unseen', 'of-others')
  const { id } = await tests().admin.get('behind-unseen')
  const { holder } = await tests().user('key-keeper', ['Key Admins'])
  const refused = await holder.call('DELETE', pathOf(id as string))
  expectRefused(refused, 409, 9)
  expect(refused.body.detail).toBe('The key behind-unseen is used by 1 cloud-a key.')
  expect(refused.body.detail).not.toContain('of-others')
})
