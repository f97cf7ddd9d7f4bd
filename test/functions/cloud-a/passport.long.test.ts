import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { KEYS, keysOf, useCloudA } from './cloud-a.ts'

const cloudA = useCloudA()
/** Encrypt, decrypt, wrap, unwrap and export. */
const USAGE_MASK = 15 + 64

const passportAt = async (path: string): Promise<any> =>
  decodeJwt((await cloudA().admin.ok('GET', `${path}/passport`)).passport as string)

test('the passports of a local key and of the cloud key with its material name each other', async () => {
  const local = await cloudA().admin.ok('POST', '/v1/vault/keys2', { name: 'leaves', usageMask: USAGE_MASK })
  const key = await keysOf(cloudA().admin).upload({
    source_key_identifier: 'leaves',
    cloud_a_param: { CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT' },
  })
  const ofLocal = await passportAt(`/v1/vault/keys2/${local.id as string}`)
  expect(ofLocal.material).toMatchObject([
    { way: 'given to a cloud key', by: 'admin', resource: key.uri, source: local.id },
  ])
  const ofCloud = await passportAt(`${KEYS}/${key.id as string}`)
  expect(ofCloud.key).toMatchObject({ id: key.id, uri: key.uri, origin: 'keymgr', gone: false })
  expect(ofCloud.material).toEqual([{ way: 'taken from a local key', source: local.id, name: 'leaves' }])
  expect(ofCloud.evidence.records).toMatchObject([{ id: ofLocal.material[0].record, resource: key.uri }])
  const bom = await cloudA().admin.ok('GET', '/v1/audit/cbom')
  const { properties } = bom.components.find(({ name }: { name: string }) => name === 'aes-256')
  expect(properties).toContainEqual({ name: 'keymgr:keys:cloud-a', value: '1' })
})

test('the passport of a cloud key that is not there is refused', async () => {
  const { status } = await cloudA().admin.call('GET', `${KEYS}/01a20ad3-bf06-7000-8000-000000000000/passport`)
  expect(status).toBe(404)
})
