import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { expectRefused, HOUR } from '../vault/vault.ts'
import { ENDPOINTS, useEkm } from './ekm.ts'

const ekm = useEkm()
const admin = () => ekm().vault.admin

const versionsOf = async (reference: string): Promise<number> =>
  (await admin().ok('GET', `/v1/vault/keys2/${reference}/versions`)).total as number

test.each<[string, (key: any) => string]>([
  ['the id', ({ id }) => id as string],
  ['the uri', ({ uri }) => uri as string],
])('an endpoint over a key named like %s of another key rotates its own key', async (_what, named) => {
  const theirs = await ekm().localKey()
  const { holder } = await ekm().vault.user(`r-${randomBytes(4).toString('hex')}`, ['keymgr Admins', 'Key Users'])
  const own = await holder.create({ name: named(theirs), algorithm: 'aes', unexportable: true, undeletable: true })
  const name = `e-${randomBytes(6).toString('hex')}`
  const policy = { basic: { clients: ['a@b.test'] } }
  const endpoint = await holder.ok('POST', ENDPOINTS, {
    name,
    keyURIHostname: 'ekm.example.test',
    policy,
    existing_key_id: own.id,
  })
  const rotated = await holder.ok('POST', `${ENDPOINTS}/${endpoint.id as string}/rotate`)
  expect(rotated).toMatchObject({ kekName: own.name, kekVersion: '1' })
  expect(await admin().get(rotated.kekID as string)).toMatchObject({ name: own.name, version: 1 })
  expect(await versionsOf(theirs.id as string)).toBe(1)
})

test('the key of an endpoint is rotated from its latest version, however often', async () => {
  const { id } = await ekm().create()
  const versions = []
  for (let time = 0; time < 3; time++) versions.push((await ekm().act(id as string, 'rotate')).body.kekVersion)
  expect(versions).toEqual(['1', '2', '3'])
})

test('a new version could not unwrap its own blobs as long as the first one was waiting', async () => {
  const { at, advance } = ekm().vault
  const key = await ekm().localKey({ processStartDate: at(HOUR) })
  advance(HOUR + 1_000)
  const endpoint = await ekm().create({ existing_key_id: key.name })
  await ekm().act(endpoint.id as string, 'rotate')
  const blob = await ekm().wrap(endpoint, Buffer.from('x'))
  expect(blob.readUInt32BE(1)).toBe(1)
  expect((await ekm().unwrap(endpoint, blob)).status).toBe(200)
})

test('the key of an endpoint can be destroyed only by force, and the endpoint can then be deleted', async () => {
  const endpoint = await ekm().create()
  const path = `${ENDPOINTS}/${endpoint.id as string}`
  const remove = (query = '') => admin().call('DELETE', `/v1/vault/keys2/${endpoint.kekID as string}${query}`)
  await admin().update(endpoint.kekID as string, { undeletable: false })
  const refused = await remove()
  expectRefused(refused, 409, 9)
  expect(refused.body.detail).toContain(`1 EKM endpoint. Users: ${endpoint.name as string}.`)
  expectRefused(await remove('?force=true'), 409, 8) // Active
  await admin().act(endpoint.kekID as string, 'revoke', { reason: 'CessationOfOperation' })
  expect((await remove('?force=true')).status).toBe(200)
  expect((await admin().call('GET', path)).body.name).toBe(endpoint.name)
  expect((await admin().call('DELETE', path)).status).toBe(200)
})
