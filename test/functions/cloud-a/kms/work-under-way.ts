import { expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { cloudAKms, type StoredCloudAKms } from '../../../../shared/clouds/cloud-a/kms/store.ts'
import { accountAt, CONNECTIONS, connectionTo, KMS } from '../accounts.ts'
import { cloud, ask, made, sweepLater, now, refused, jobOn, endJob, service, token, entry } from './set-up.ts'

const KEYS = '/v1/keymgr/cloud-a/keys'
/** Starts to create a key, but the cloud's call exceeds the time: the work waits for the sweeper. */
async function beginKey(kms: any): Promise<void> {
  const back = cloud().inject({ operation: 'CreateKey', fault: 'server-error' })
  expect(await ask('POST', KEYS, { kms: kms.id, region: 'eu-west-1' })).toMatchObject({ status: 503 })
  back()
}

test('an entry, and its regions, cannot be removed during work on its keys', async () => {
  const kms = await made('working')
  const path = `${KMS}/${kms.id}`
  await beginKey(kms)
  const calls = [
    ['PATCH', path, { regions: ['us-east-1'] }],
    ['POST', `${path}/archive`, undefined],
    ['DELETE', path, undefined],
  ] as const
  for (const [method, at, body] of calls)
    expect(await ask(method, at, body), method).toMatchObject({ status: 409, body: { code: 9 } })
  expect((await ask('PATCH', path, { connection: 'own' })).status).toBe(200) // the work may need other credentials
  await sweepLater()
  expect((await ask('GET', `${KEYS}?kms_id=${kms.id}`)).body.total).toBe(1)
  for (const [method, at, body] of calls) {
    expect((await ask(method, at, body)).status, method).toBe(200)
    if (at.endsWith('archive')) expect((await ask('POST', `${path}/recover`)).status).toBe(200)
  }
})

test('resumed work creates no key in an entry that was archived meanwhile or lost the region', async () => {
  const changes: readonly [string, Partial<StoredCloudAKms>, string][] = [
    ['archived at once', { status: 'archived' }, 'is archived'],
    ['dropped at once', { regions: ['us-east-1'] }, 'eu-west-1 is no region'],
  ]
  for (const [name, change, says] of changes) {
    const kms = await made(name)
    await beginKey(kms)
    const stored = await cloudAKms.get(ROOT_DOMAIN_ID, kms.id as string)
    if (stored === undefined) throw new Error('The entry is not there')
    const writing = new Changes()
    writing.update(cloudAKms, ROOT_DOMAIN_ID, stored, { ...stored.item, ...change })
    await writing.commit(now())
    cloud().reset()
    await sweepLater()
    expect(cloud().counts().CreateKey, name).toBeUndefined()
    const { body } = await ask('GET', '/v1/audit/records?message=Create%20Cloud-a%20Key&success=false&limit=1')
    expect(body.resources[0].errorMessage, name).toContain(says)
    expect((await ask('DELETE', `${KMS}/${kms.id}`)).status, name).toBe(200)
  }
})

test('a connection keeps its edition of the cloud while an entry uses it', async () => {
  const kms = await made('of one edition')
  const path = `${CONNECTIONS}/own`
  await refused(ask('PATCH', path, { cloud_name: 'cloud-a-gov' }), 409, 9, ['#/cloud_name'])
  expect((await ask('PATCH', path, { cloud_name: 'cloud-a' })).status).toBe(200)
  expect((await ask('GET', path)).body.cloud_name).toBe('cloud-a')
  expect((await ask('DELETE', `${KMS}/${kms.id}`)).status).toBe(200)
})

test('a synchronization that begins during a change of its entry is not affected', async () => {
  const kms = await made('overtaken')
  cloud().reset()
  let job = ''
  const after = async (): Promise<void> => {
    job = await jobOn(kms)
  }
  cloud().inject({ operation: 'ListRegions', fault: 'observe', times: 1, after })
  const change = await ask('PATCH', `${KMS}/${kms.id}`, { regions: ['us-west-2'] })
  expect(change).toMatchObject({ status: 409, body: { code: 9 } })
  expect(cloud().counts().ListRegions).toBe(1)
  expect((await ask('GET', `${KMS}/${kms.id}`)).body).toEqual(kms)
  await endJob(job)
})

test('a connection that is deleted during the creation of an entry gets no entry', async () => {
  const id = await connectionTo(service(), token, 'vanishing', accountAt(service(), 0))
  expect((await ask('POST', `${CONNECTIONS}/vanishing/test`, {})).body).toEqual({ connection_ok: true })
  const after = async (): Promise<void> => {
    expect((await ask('DELETE', `${CONNECTIONS}/${id}`)).status).toBe(200)
  }
  cloud().inject({ operation: 'ListRegions', fault: 'observe', times: 1, after })
  await refused(ask('POST', KMS, entry('orphan', { connection: 'vanishing' })), 404, 5, ['#/connection'])
  expect((await ask('GET', `${KMS}?name=orphan`)).body.total).toBe(0)
})
