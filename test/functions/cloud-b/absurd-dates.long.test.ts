import { beforeAll, expect, test } from 'vitest'
import { itemKey } from '../../../shared/store/layout.ts'
import { Changes } from '../../../shared/store/changes.ts'
import { getItem, text } from '../../../shared/store/table.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { CLOUD_B, useCloudB, VAULT, VAULTS } from './cloud-b.ts'
import { atCloud, synchronized } from './other-people.ts'

const JOBS = `${CLOUD_B}/synchronization-jobs`
const tests = useCloudB({ flowPauseMs: () => 1 })
const LAST_SECOND = '9999-12-31T23:59:59.000Z'

beforeAll(() => pointProcessAt(tests().service.deployment.environmentOf('triggers')))

const made = (name: string, exp: number) =>
  atCloud(tests().cloud, VAULT, 'POST', `/keys/${name}/create`, { kty: 'RSA', key_size: 2048, attributes: { exp } })
const list = async () => {
  const { admin } = tests()
  return admin.ok('GET', `${CLOUD_B}/keys?limit=100`)
}
const synchronize = () => synchronized(tests(), JOBS, { key_vaults: [VAULT] })

test('an end after the year 9999 becomes the last moment that a record can have', async () => {
  await made('after-9999', 253_402_303_861)
  await made('milliseconds', 1_893_456_000_000)
  await made('usual', 1_893_456_000)
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', unread: 0 })
  const { resources } = await list()
  const ends = Object.fromEntries(resources.map((key: any) => [key.key_name, key.azure_expire_at]))
  expect(ends).toMatchObject({
    'after-9999': LAST_SECOND,
    milliseconds: LAST_SECOND,
    usual: '2030-01-01T00:00:00.000Z',
  })
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', updated: 0 })
})

test('a stored record with such an end is listed with its valid fields, and the next synchronization repairs it', async () => {
  const { resources: before, total } = await list()
  const one = before.find((key: any) => key.key_name === 'usual')
  const domain = tests().service.domain.id
  const { pk, sk } = itemKey(domain, 'cloud-b-key', one.id)
  const data = JSON.parse(text((await getItem({ pk, sk })) ?? {}, 'data'))
  const changes = new Changes()
  const absurd = JSON.stringify({ ...data, azure_expire_at: '+010000-01-01T01:01:01.000Z' })
  changes.plan(
    {
      update: { pk, sk },
      expression: 'SET #data = :data',
      names: { '#data': 'data' },
      values: { ':data': { S: absurd } },
    },
    () => new Error('unconditional'),
  )
  await changes.commit(new Date())
  const page = await list()
  expect(page.total).toBe(total)
  expect(page.resources).toHaveLength(before.length)
  const { azure_expire_at: _, ...right } = one
  expect(page.resources.find(({ id }: any) => id === one.id)).toEqual({ ...right, damaged: ['azure_expire_at'] })
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', unread: 0 })
  const mended = (await list()).resources.find(({ id }: any) => id === one.id)
  expect(mended).toMatchObject({ azure_expire_at: '2030-01-01T00:00:00.000Z' })
  expect(mended).not.toHaveProperty('damaged')
})

test('the vault of a damaged record is removed with all of its records', async () => {
  const { admin, service, vault } = tests()
  const [first] = (await list()).resources
  const { pk, sk } = itemKey(service.domain.id, 'cloud-b-key', first.id)
  const changes = new Changes()
  changes.plan(
    {
      update: { pk, sk },
      expression: 'SET #data = :data',
      names: { '#data': 'data' },
      values: { ':data': { S: '{}' } },
    },
    () => new Error('unconditional'),
  )
  await changes.commit(new Date())
  expect((await list()).resources.find(({ id }: any) => id === first.id)).toMatchObject({ id: first.id })
  await admin.ok('POST', `${VAULTS}/${vault.id}/remove-vault`)
  service.deployment.clock.advance(60_000)
  await service.deployment.fire('sweep-due')
  expect(await getItem({ pk, sk })).toBeUndefined()
})
