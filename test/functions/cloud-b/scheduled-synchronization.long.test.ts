import { beforeAll, expect, test } from 'vitest'
import { schedulerOf, synchronization } from '../scheduler/scheduler.ts'
import { CLOUD_B, refused } from './cloud-b.ts'
import { IN, useKeys } from './keys.ts'
import { atCloud } from './other-people.ts'

const tests = useKeys({ flowPauseMs: () => 1 })
const POLICY = {
  policy: {
    key_props: { kty: 'EC', crv: 'P-256', exportable: true },
    x509_props: { subject: 'CN=shop.example' },
    issuer: { name: 'Self' },
  },
}
let scheduler: ReturnType<typeof schedulerOf>

beforeAll(async () => {
  scheduler = schedulerOf(tests())
  const theirs = (method: string, path: string, body: object) => atCloud(tests().cloud, IN.premium, method, path, body)
  await theirs('POST', '/keys/their-key/create', { kty: 'EC', crv: 'P-256' })
  await theirs('PUT', '/secrets/their-secret', { value: 'x' })
  await theirs('POST', '/certificates/their-certificate/create', POLICY)
})

const params = (...sync_item: string[]): object => ({ cloud_name: 'cloud-b', key_vaults: [IN.premium], sync_item })
const ofFamily = async (family: string, field: string): Promise<string[]> =>
  (await tests().admin.ok('GET', `${CLOUD_B}/${family}?key_vault=${IN.premium}`)).resources.map(
    (one: any) => one[field],
  )

test('a schedule synchronizes the families that it names, and all three with `all`', async () => {
  const one = await scheduler.create(synchronization('secrets alone', params('secret')))
  const alone = await scheduler.ran(one.id as string)
  expect(alone).toMatchObject({ status: 'completed', total_count: 1, success_count: 1 })
  expect(await ofFamily('secrets', 'secret_name')).toContain('their-secret')
  expect(await ofFamily('keys', 'key_name')).toEqual([])
  expect(await ofFamily('certificates', 'cert_name')).toEqual([])

  const all = await scheduler.create(synchronization('everything', params('all')))
  const run = await scheduler.ran(all.id as string)
  expect(run).toMatchObject({ status: 'completed', total_count: 3, success_count: 3, error_count: 0 })
  const { resources } = await scheduler.subJobs(run.id as string)
  expect(resources.map(({ sync_item }: any) => sync_item).sort()).toEqual(['certificate', 'key', 'secret'])
  expect((await ofFamily('keys', 'key_name')).sort()).toEqual(['their-certificate', 'their-key'])
  expect((await ofFamily('secrets', 'secret_name')).sort()).toEqual(['their-certificate', 'their-secret'])
  expect(await ofFamily('certificates', 'cert_name')).toEqual(['their-certificate'])
})

test('a word that names no family is refused', async () => {
  const field = '#/keymgr_synchronization_params/sync_item/0'
  await refused(scheduler.tryCreate(synchronization('of words', params('keys'))), 422, 2, [field])
})
