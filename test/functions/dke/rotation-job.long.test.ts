import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { AT_ONCE, rotation, schedulerOf } from '../scheduler/scheduler.ts'
import { expectRefused, useVault } from '../vault/vault.ts'
import { dkeOf, ENDPOINTS } from './dke.ts'

const vault = useVault(AT_ONCE)
let dke: ReturnType<typeof dkeOf>
let scheduler: ReturnType<typeof schedulerOf>
const DKE = { cloud_name: 'docsuite-dke' }
const JOIN = 'enable-key-rotation-job'
const LEAVE = 'disable-key-rotation-job'

beforeAll(() => {
  dke = dkeOf(vault())
  scheduler = schedulerOf(vault())
})

test('a run rotates the enabled endpoints that joined, once each, and reports it', async () => {
  const config = await scheduler.create(rotation('of documents', DKE))
  const [one, two, idle, put, beside] = await Promise.all(Array.from({ length: 5 }, () => dke.create()))
  for (const endpoint of [one, two, idle, put]) {
    const { status, body } = await dke.act(endpoint, JOIN, { job_config_id: config.id })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ auto_rotate: true, labels: { job_config_id: config.id } })
  }
  await dke.act(idle, 'disable')
  await dke.act(put, 'archive')
  const job = await scheduler.ran(config.id as string)
  expect(job).toMatchObject({ status: 'completed', total_count: 2, success_count: 2, error_count: 0 })
  const versions = await Promise.all([one, two, idle, put, beside].map(async (endpoint) => dke.get(endpoint)))
  expect(versions.map(({ kek_version: version }) => version as string)).toEqual(['1', '1', '0', '0', '0'])
  const { resources } = await scheduler.subJobs(job.id as string)
  expect(resources.find(({ resource_id }: any) => resource_id === one.id)).toMatchObject({
    resource_type: 'key',
    resource_name: one.name,
    container: one.key_uri_hostname,
    status: 'completed',
    result_id: one.id,
  })
  const records = await vault().records(`resource_uri=${one.uri as string}&message=Rotate%20Key`)
  expect(records.map(({ details }) => details.action as string)).toEqual(['by the job of documents'])
  const { total } = await vault().admin.ok('GET', `${ENDPOINTS}?auto_rotate=true`)
  expect(total).toBe(4)
  expectRefused(await scheduler.remove(config.id as string), 409, 9)
  // An archived endpoint can still leave the job.
  for (const endpoint of [one, two, idle, put]) {
    const { body } = await dke.act(endpoint, LEAVE)
    expect(body.auto_rotate).toBe(false)
    expect(body).not.toHaveProperty('labels')
  }
  expectRefused(await dke.act(one, LEAVE), 409, 8)
  expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', total_count: 0 })
  expect((await scheduler.remove(config.id as string)).status).toBe(200)
})

test('endpoints join configurations of their own kind only', async () => {
  const endpoint = await dke.create()
  const other = await scheduler.create(rotation('of a cloud', { cloud_name: 'cloud-c' }))
  expectRefused(await dke.act(endpoint, JOIN, { job_config_id: other.id }), 422, 2, '#/job_config_id')
  expectRefused(await dke.act(endpoint, JOIN, { job_config_id: randomUUID() }), 404, 5, '#/job_config_id')
  expectRefused(await dke.act(endpoint, JOIN, {}), 422, 2, '#/job_config_id')
  expect((await dke.get(endpoint)).auto_rotate).toBe(false)
})

test('configurations cannot select endpoints by age, and select none by expiry, because versions do not expire', async () => {
  const byAge = await scheduler.tryCreate(rotation('by age', { ...DKE, rotation_after: '30d' }))
  expectRefused(byAge, 422, 2, '#/keymgr_key_rotation_params/rotation_after')
  const config = await scheduler.create(rotation('by expiry', { ...DKE, expire_in: '30d' }))
  await dke.act(await dke.create(), JOIN, { job_config_id: config.id })
  expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', total_count: 0 })
})

test('an endpoint over a key that the author may not change fails, and the others are rotated', async () => {
  const { holder } = await vault().user('author', ['keymgr Admins'])
  const own = schedulerOf(vault(), holder)
  const config = await own.create(rotation('of an author', DKE))
  const theirs = await dke.create({ existing_key_id: (await dke.localKey()).id })
  const made = await dke.create()
  for (const endpoint of [theirs, made]) await dke.act(endpoint, JOIN, { job_config_id: config.id })
  expect(await own.ran(config.id as string)).toMatchObject({ status: 'failed', success_count: 1, error_count: 1 })
  expect([(await dke.get(theirs)).kek_version, (await dke.get(made)).kek_version]).toEqual(['0', '1'])
})

test('a preview shows the endpoints of each run', async () => {
  const config = await scheduler.create(rotation('foreseen', DKE))
  const endpoint = await dke.create({ name: 'foreseen' })
  await dke.act(endpoint, JOIN, { job_config_id: config.id })
  const { runs } = await scheduler.preview(config.id as string)
  expect(runs.length).toBeGreaterThan(1)
  for (const { resources } of runs) expect(resources.map((one: any) => one.resource_name)).toEqual(['foreseen'])
})
