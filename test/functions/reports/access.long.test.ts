import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { CLOUD_A, REGION, useCloudA } from '../cloud-a/cloud-a.ts'
import { expectRefused, type Holder } from '../vault/vault.ts'
import { AT_ONCE, fieldsOf, onMain, REPORTS, reportsOf } from './reports.ts'

const tests = useCloudA(AT_ONCE)
const of = (who: Holder): ReturnType<typeof reportsOf> => reportsOf(tests(), who)

let user: { holder: Holder; sub: string }
let reader: { holder: Holder; sub: string }
/** A report on the entry `main`, and one on `main` and `side` together. */
let single: any
let double: any
let side: any

beforeAll(async () => {
  const { admin, entry } = tests()
  side = await entry('side', { regions: [REGION] })
  user = await tests().user('user', ['keymgr Users'])
  reader = await tests().user('reader', ['keymgr Reports Users'])
  const aging = { report_type: 'key-aging' }
  single = await of(admin).made(onMain(tests(), 'single', aging))
  const cloud_a_params = [
    { kms: 'main', region: REGION },
    { kms: side.id, region: REGION },
  ]
  double = await of(admin).made({ name: 'double', ...aging, cloud_a_params })
})

const permit = (kms: any, ...actions: string[]): Promise<any> =>
  tests().admin.ok('POST', `${CLOUD_A}/kms/${kms.id as string}/update-acls`, {
    acls: [{ user_id: user.sub, permit: true, actions }],
  })

const seenBy = async ({ holder }: typeof user): Promise<unknown[]> =>
  fieldsOf(await of(holder).list('?sort=name'), 'name')

test('a user sees a report only if all of its containers permit it', async () => {
  expect(await seenBy(user)).toEqual([])
  expectRefused(await of(user.holder).tryGet(single.id as string), 404, 5)
  await permit(tests().kms, 'reportview')
  expect(await seenBy(user)).toEqual(['single'])
  expect(await of(user.holder).get(single.id as string)).toEqual(single)
  expect((await of(user.holder).contents(single.id as string)).total).toBe(0)
  for (const refused of [
    of(user.holder).tryGet(double.id as string),
    of(user.holder).tryContents(double.id as string),
    of(user.holder).download(double.id as string),
    of(user.holder).remove(double.id as string),
  ])
    expectRefused(await refused, 404, 5)
  await permit(side, 'reportview')
  expect(await seenBy(user)).toEqual(['double', 'single'])
})

test('creating, reading and deleting need separate permissions', async () => {
  const wishes = onMain(tests(), 'own', { report_type: 'key-aging' })
  expectRefused(await of(user.holder).tryCreate(wishes), 403, 4)
  expectRefused(await of(user.holder).download(single.id as string), 403, 4)
  await permit(tests().kms, 'reportcreate', 'reportdownload')
  const own = await of(user.holder).made(wishes)
  expect(own.overall_status).toBe('completed')
  expect((await of(user.holder).download(own.id as string)).status).toBe(200)
  expectRefused(await of(user.holder).download(double.id as string), 403, 4)
  expectRefused(await of(user.holder).remove(own.id as string), 403, 4)
  await permit(tests().kms, 'reportdelete')
  expect((await of(user.holder).remove(own.id as string)).status).toBe(200)
  const both = { ...wishes, cloud_a_params: [{ kms: 'main' }, { kms: 'side' }] }
  expectRefused(await of(user.holder).tryCreate(both), 403, 4)
})

test('a group with permission to read reports sees all of them, and may do nothing else', async () => {
  expect(await seenBy(reader)).toEqual(['double', 'single'])
  expect((await of(reader.holder).get(double.id as string)).name).toBe('double')
  expectRefused(await of(reader.holder).download(double.id as string), 403, 4)
  expectRefused(await of(reader.holder).remove(double.id as string), 403, 4)
  const body = onMain(tests(), 'of a reader')
  expectRefused(await of(reader.holder).tryCreate(body), 404, 5, '#/cloud_a_params/0/kms')
})

test('reports of a deleted container are visible only to administrators', async () => {
  await tests().admin.ok('DELETE', `${CLOUD_A}/kms/${side.id as string}`)
  expect(await seenBy(user)).toEqual(['single'])
  expect((await of(tests().admin).get(double.id as string)).kms).toEqual(['main', 'side'])
})

test('no report on an archived container can begin', async () => {
  const shelf = await tests().entry('shelf', { regions: [REGION] })
  await tests().admin.ok('POST', `${CLOUD_A}/kms/${shelf.id as string}/archive`)
  const body = { name: 'shelf', report_type: 'key-aging', cloud_a_params: [{ kms: 'shelf' }] }
  expectRefused(await of(tests().admin).tryCreate(body), 409, 8)
})

test('another domain sees none of them', async () => {
  const { service } = tests()
  const { child: token } = await childAdmin(service)
  const all = await service.call('GET', REPORTS, { token })
  expect(all.body).toMatchObject({ total: 0, resources: [] })
  for (const path of ['', '/contents', '/download'])
    expectRefused(await service.call('GET', `${REPORTS}/${single.id as string}${path}`, { token }), 404, 5)
  expectRefused(await service.call('DELETE', `${REPORTS}/${single.id as string}`, { token }), 404, 5)
})

test('every action on reports is on record, with its subject', async () => {
  const records = await tests().records('message=Create%20Report,Delete%20Report')
  expect(records.filter(({ success }) => success).map(({ details }) => details)).toContainEqual(
    expect.objectContaining({
      resource_name: 'double',
      resource_uri: double.uri,
      after: {
        report_type: 'key-aging',
        start_time: double.start_time,
        end_time: double.end_time,
        containers: [`main/${REGION}`, `side/${REGION}`],
      },
    }),
  )
  expect(records.some(({ message, success }) => message === 'Delete Report' && !success)).toBe(true)
})
