import { beforeAll, expect, test } from 'vitest'
import { clientsOf } from '../../infra/simulators/cloud-b/clients.ts'
import { AT_ONCE } from '../reports/reports.ts'
import { rotation, schedulerOf, synchronization } from '../scheduler/scheduler.ts'
import { expectRefused, HOUR } from '../vault/vault.ts'
import { CLOUD_B, refused, useCloudB, VAULT, VAULTS } from './cloud-b.ts'

const tests = useCloudB(AT_ONCE)
const KEYS = `${CLOUD_B}/keys`
let scheduler: ReturnType<typeof schedulerOf>
let ofVault: any
let ofKey: any

beforeAll(async () => {
  scheduler = schedulerOf(tests())
  ofVault = await scheduler.create(rotation('of the vault', { cloud_name: 'cloud-b' }))
  ofKey = await scheduler.create(rotation('of a key', { cloud_name: 'cloud-b' }))
})

const created = (key_name: string): Promise<any> =>
  tests().admin.ok('POST', KEYS, { key_name, key_vault: VAULT, cloud_b_param: { kty: 'EC' } })
const act = (at: string, id: string, action: string, body?: object): Promise<any> =>
  tests().admin.ok('POST', `${at}/${id}/${action}`, body)
const tryAct = (at: string, id: string, action: string, body?: object) =>
  tests().admin.call('POST', `${at}/${id}/${action}`, body)
const vaultId = (): string => tests().vault.id as string
const enable = (more: object = {}): Promise<any> =>
  act(VAULTS, vaultId(), 'enable-rotation-job', {
    job_config_id: ofVault.id,
    auto_rotate_key_source: 'native',
    ...more,
  })
/** Jobs of the latest versions, by name. */
const jobs = async (): Promise<Record<string, string>> => {
  const { resources } = await tests().admin.ok('GET', `${KEYS}?limit=-1&sort=key_name`)
  const joined = resources.filter(({ labels }: any) => labels !== undefined)
  return Object.fromEntries(joined.map(({ key_name, labels }: any) => [key_name, labels.job_config_id]))
}

test('a job of a vault rotates all of its keys, except those with a job of their own', async () => {
  const own = await created('own')
  const plain = await created('plain')
  await created('plain')
  const body = { job_config_id: ofKey.id, auto_rotate_key_source: 'native' }
  await act(KEYS, own.id as string, 'enable-rotation-job', body)
  expect(await enable()).toMatchObject({ labels: { job_config_id: ofVault.id, auto_rotate_key_source: 'native' } })
  expect(await jobs()).toEqual({ own: ofKey.id, plain: ofVault.id })
  expect((await tests().admin.ok('GET', `${KEYS}/${plain.id as string}`)).labels).toBeUndefined()
  const { resources } = await tests().admin.ok('GET', `${KEYS}?job_config_id=${ofVault.id as string}`)
  expect(resources).toHaveLength(1)
  expect(resources[0].labels).toMatchObject({ auto_rotate_key_source: 'native', of_vault: true })
  await refused(tryAct(KEYS, resources[0].id as string, 'disable-rotation-job'), 409, 8, [])
  const wrong = { job_config_id: own.id, auto_rotate_key_source: 'native' }
  await refused(tryAct(VAULTS, vaultId(), 'enable-rotation-job', wrong), 404, 5, ['#/job_config_id'])
})

test('later keys join it: new ones at once, found ones with their synchronization', async () => {
  const { admin, cloud, advance, sweep } = tests()
  const later = await created('later')
  expect(later.labels).toMatchObject({ job_config_id: ofVault.id, of_vault: true })
  const source = await admin.create({ name: 'source', algorithm: 'ec', curveid: 'prime256v1' })
  const uploaded = await admin.ok('POST', `${CLOUD_B}/upload-key`, {
    key_name: 'uploaded',
    key_vault: VAULT,
    local_key_identifier: source.id as string,
  })
  expect(uploaded.labels).toMatchObject({ job_config_id: ofVault.id })
  const others = clientsOf(cloud).keys(VAULT)
  await others.createEcKey('found')
  await others.createEcKey('own') // another version, which inherits the key's job
  const params = { cloud_name: 'cloud-b', key_vaults: [VAULT], sync_item: ['key'] }
  const config = await scheduler.create(synchronization('keys of the vault', params))
  const job = await scheduler.ran(config.id as string)
  expect(job).toMatchObject({ status: 'completed', total_count: 1, success_count: 1 })
  const { resources } = await scheduler.subJobs(job.id as string, `?resource_id=${vaultId()}`)
  expect(resources).toMatchObject([{ resource_name: VAULT, sync_item: 'key', status: 'completed' }])
  advance(HOUR)
  await sweep()
  const all = { found: ofVault.id, later: ofVault.id, own: ofKey.id, plain: ofVault.id, uploaded: ofVault.id }
  expect(await jobs()).toEqual(all)
})

test('a run rotates the keys of the vault, whose next versions are of the same job', async () => {
  const job = await scheduler.ran(ofVault.id as string)
  expect(job).toMatchObject({ status: 'completed', success_count: 4, error_count: 0 })
  const { resources } = await tests().admin.ok('GET', `${KEYS}?limit=-1&job_config_id=${ofVault.id as string}`)
  expect(resources.map(({ key_name, is_latest }: any) => [key_name, is_latest]).sort()).toEqual([
    ['found', true],
    ['later', true],
    ['plain', true],
    ['uploaded', true],
  ])
})

test('it overrides the jobs of keys on request, and keys then cannot have one', async () => {
  await enable({ override_key_scheduler: true })
  const taken = await jobs()
  expect(new Set(Object.values(taken))).toEqual(new Set([ofVault.id]))
  expect(Object.keys(taken)).toHaveLength(5)
  const [{ id }] = (await tests().admin.ok('GET', `${KEYS}?key_name=own&version=-1`)).resources
  const body = { job_config_id: ofKey.id, auto_rotate_key_source: 'native' }
  await refused(tryAct(KEYS, id as string, 'enable-rotation-job', body), 409, 8, [])
  expect((await scheduler.remove(ofKey.id as string)).status).toBe(200)
})

test('a configuration stays while a vault has it, also one without keys', async () => {
  const { admin, addVaults } = tests()
  expectRefused(await scheduler.remove(ofVault.id as string), 409, 9)
  await act(VAULTS, vaultId(), 'disable-rotation-job')
  expect(await jobs()).toEqual({})
  await refused(tryAct(VAULTS, vaultId(), 'disable-rotation-job'), 409, 8, [])
  const [empty] = await addVaults('shop-spare')
  const body = { job_config_id: ofVault.id, auto_rotate_key_source: 'local' }
  await act(VAULTS, empty.id as string, 'enable-rotation-job', body)
  expectRefused(await scheduler.remove(ofVault.id as string), 409, 9)
  await admin.ok('POST', `${VAULTS}/${empty.id as string}/remove-vault`)
  expect((await scheduler.remove(ofVault.id as string)).status).toBe(200)
})
