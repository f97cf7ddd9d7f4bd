import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { useEkm } from '../ekm/ekm.ts'
import { expectRefused } from './vault.ts'

const ekm = useEkm()
const vault = () => ekm().vault
const admin = () => vault().admin
const deployment = () => vault().service.deployment

const CANARIES = '/v1/vault/canary-keys'
const named = (what: string): string => `${what}-${randomUUID()}`
const namesOfCanaries = async (): Promise<string[]> =>
  (await admin().ok('GET', `${CANARIES}?limit=1000`)).resources.map(({ name }: { name: string }) => name)

/** Alarms of the rule, after its records have been evaluated. */
async function alarms(): Promise<any[]> {
  await deployment().fire('drain-outbox')
  await deployment().fire('raise-alarms')
  return (await admin().ok('GET', '/v1/system/alarms?limit=-1&name=Canary%20key%20used')).resources
}

/** Clears all alarms, so that the next use raises another one. */
async function cleared(): Promise<void> {
  for (const { id, state } of await alarms())
    if (state === 'on') await admin().ok('POST', `/v1/system/alarms/${id as string}/clear`)
}

async function canary(body: object = {}): Promise<any> {
  const key = await admin().create({ name: named('canary'), algorithm: 'aes', ...body })
  await admin().act(key.name, 'canary')
  return key
}

test('a canary key looks like any other, and only key administrators list it', async () => {
  const key = await admin().create({ name: named('canary'), algorithm: 'aes' })
  const before = await admin().get(key.id)
  expect(await admin().act(key.name, 'canary')).toEqual(before)
  expect(await admin().get(key.id)).toEqual(before)
  expect((await admin().list(`?name=${key.name as string}`)).resources).toEqual([before])
  expect(await namesOfCanaries()).toContain(key.name)
  const { holder } = await vault().user(named('user'), ['Key Users'])
  expectRefused(await holder.call('GET', CANARIES), 403, 4)
  expectRefused(await holder.tryAct(key.id, 'canary'), 403, 4)
  expectRefused(await holder.call('DELETE', `/v1/vault/keys2/${key.id as string}/canary`), 403, 4)
  expectRefused(await admin().tryAct('none', 'canary'), 404, 5)
})

test('a use raises a critical alarm with its caller, and changes nothing for the caller', async () => {
  await cleared()
  const key = await canary()
  expect(await alarms()).not.toContainEqual(expect.objectContaining({ state: 'on' }))
  await admin().get(key.id)
  await admin().update(key.id, { description: 'kept' })
  expect(await alarms()).not.toContainEqual(expect.objectContaining({ state: 'on' }))
  const plain = await admin().create({ name: named('plain'), algorithm: 'aes' })
  const [used, other] = [await admin().act(key.id, 'export', {}), await admin().act(plain.id, 'export', {})]
  expect(Object.keys(used)).toEqual(expect.arrayContaining(Object.keys(other)))
  expect(await alarms()).toContainEqual(
    expect.objectContaining({
      ...{ state: 'on', severity: 'critical', count: 1 },
      details: expect.objectContaining({ resource_name: key.name, username: 'admin' }),
    }),
  )
  const [record, ...more] = await vault().records(
    `message=Use%20Canary%20Key&resource_uri=${encodeURIComponent(key.uri)}`,
  )
  expect(more).toEqual([])
  expect(record).toMatchObject({
    ...{ severity: 'critical', clientIP: '127.0.0.1' },
    details: { action: 'part of Export Key', canary: key.uri, after: { use: 'ExportKey' } },
  })
})

test('a refused use is recorded too', async () => {
  const key = await canary({ unexportable: true })
  expectRefused(await admin().tryAct(key.id, 'export', {}), 403, 11)
  const about = `message=Use%20Canary%20Key&resource_uri=${encodeURIComponent(key.uri)}`
  expect(await vault().records(about)).toHaveLength(1)
})

test('later versions are canaries too, until the mark is removed from all', async () => {
  const key = await canary()
  const next = await admin().act(key.name, 'versions', {})
  const about = (uri: string) => `message=Use%20Canary%20Key&resource_uri=${encodeURIComponent(uri)}`
  await admin().act(next.id, 'export', {})
  expect(await vault().records(about(next.uri))).toHaveLength(1)
  await admin().ok('DELETE', `/v1/vault/keys2/${key.name as string}/canary`)
  expect(await namesOfCanaries()).not.toContain(key.name)
  await admin().act(key.id, 'export', {})
  await admin().act(next.id, 'export', {})
  expect(await vault().records(about(key.uri))).toEqual([])
  expect(await vault().records(about(next.uri))).toHaveLength(1)
})

test('a call of a cloud that uses the key of an endpoint raises the alarm', async () => {
  const endpoint = await ekm().create()
  await ekm().wrap(endpoint, Buffer.from('before'))
  await admin().act(endpoint.kekID, 'canary')
  await cleared()
  ekm().letPass()
  const answered = await ekm().ok(endpoint, 'wrap', { plaintext: 'AAAA' })
  expect(Object.keys(answered)).toEqual(['wrappedBlob'])
  await ekm().lines({ atLeast: 1 }, { operation: 'wrap', audit: true })
  await deployment().logsDelivered()
  const { uri } = await admin().get(endpoint.kekID)
  const records = await vault().records('service=ekm&severity=critical')
  expect(records).toMatchObject([{ message: 'EKM endpoint wrap', success: true, details: { canary: uri } }])
  expect(await alarms()).toContainEqual(expect.objectContaining({ state: 'on', source: 'ekm' }))
})
