import { expect, test } from 'vitest'
import { CLOUD_B } from './cloud-b.ts'
import { IN, keysOf, useKeys } from './keys.ts'
import { atCloud, synchronized } from './other-people.ts'

const tests = useKeys({ flowPauseMs: () => 1 })
const keys = () => keysOf(tests().admin)
const synchronize = (of = ''): Promise<any> =>
  synchronized(tests(), `${CLOUD_B}/${of}synchronization-jobs`, { key_vaults: [IN.plain] })
const called = (versions: readonly any[]): unknown[] => versions.map((each) => [each.key_name, each.is_latest])

test('names that differ by case are one key, which is called as it was first', async () => {
  const { admin, cloud } = tests()
  const first = await keys().create('Mixed-Case', {}, 'plain')
  expect(first).toMatchObject({ key_name: 'Mixed-Case', version: expect.any(String) })
  const second = await keys().create('MIXED-case', {}, 'plain')
  expect(second).toMatchObject({ key_name: 'Mixed-Case', is_latest: true, key_material_origin: 'native' })
  await admin.create({ name: 'cased', algorithm: 'ec', curveid: 'prime256v1' })
  const third = await keys().upload('mixed-CASE', 'cased', { key_vault: IN.plain })
  expect(third).toMatchObject({ key_name: 'Mixed-Case', key_material_origin: 'keymgr' })
  const expected = [
    ['Mixed-Case', false],
    ['Mixed-Case', false],
    ['Mixed-Case', true],
  ]
  expect(called(await keys().versions('Mixed-Case'))).toEqual(expected)
  expect((await keys().get(first.id)).version_count).toBe(3)
  await keys().create('another', {}, 'plain')
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', added: 0, updated: 0, gone: 0 })
  await atCloud(cloud, IN.plain, 'POST', '/keys/MIXED-CASE/create', { kty: 'EC', crv: 'P-256' })
  await atCloud(cloud, IN.plain, 'POST', '/keys/ALL-NEW/create', { kty: 'EC', crv: 'P-256' })
  expect(await synchronize()).toMatchObject({ added: 2, gone: 0 })
  expect(called(await keys().versions('Mixed-Case'))).toEqual([
    ...expected.map(([name]) => [name, false]),
    ['Mixed-Case', true],
  ])
  expect(await synchronize()).toMatchObject({ added: 0, updated: 0, gone: 0 })
})

test('two requests for one name in two spellings run in turn, and one version is the latest', async () => {
  await Promise.all(['Twice', 'twice'].map((name) => keys().tryCreate(name, {}, 'plain')))
  const [there] = tests()
    .cloud.keysIn(IN.plain)
    .filter(({ name }) => name.toLowerCase() === 'twice')
  const versions = await keys().versions(there?.name ?? '')
  expect(versions).toHaveLength(there?.versions.length ?? -1)
  expect(versions.filter(({ is_latest }) => is_latest)).toHaveLength(1)
})

test('a key that is created again in another spelling continues the same name', async () => {
  const { cloud } = tests()
  const former = await keys().create('renewed', {}, 'plain')
  cloud.forgetKey(IN.plain, 'renewed')
  await atCloud(cloud, IN.plain, 'POST', '/keys/Renewed/create', { kty: 'EC', crv: 'P-256' })
  expect(await synchronize()).toMatchObject({ added: 1, gone: 1 })
  expect(await keys().get(former.id)).toMatchObject({ key_name: 'renewed', gone: true, is_latest: false })
  expect(called(await keys().versions('Renewed'))).toEqual([['Renewed', true]])
})

test('two spellings of a secret are one name too', async () => {
  const { admin, advance } = tests()
  const put = (secret_name: string): Promise<any> =>
    admin.ok('POST', `${CLOUD_B}/secrets`, { secret_name, key_vault: IN.plain, cloud_b_param: { value: secret_name } })
  await put('Cased')
  advance(1_000) // of two versions of the same second, the latest is ambiguous
  expect(await put('CASED')).toMatchObject({ secret_name: 'Cased', is_latest: true })
  expect(await synchronize('secrets/')).toMatchObject({ overall_status: 'completed', added: 0, updated: 0, gone: 0 })
  expect((await admin.ok('GET', `${CLOUD_B}/secrets?secret_name=Cased`)).total).toBe(2)
})
