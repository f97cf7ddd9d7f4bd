import { expect, test } from 'vitest'
import { refused } from '../cloud-b.ts'
import { IN, KEYS } from '../keys.ts'
import { tests, seconds, keys, NOTHING } from './set-up.ts'

test('lists answer their filters', async () => {
  const { vaults, at } = tests()
  const exp = seconds(3_600_000)
  await keys().create('list-old', { tags: { list: 'yes', by: 'a' }, attributes: { enabled: false } }, 'overseas')
  await keys().create('list-old', { kty: 'RSA', tags: { list: 'yes' }, attributes: { exp } }, 'overseas')
  const signing = await keys().create('list-sign', { kty: 'RSA', key_ops: ['sign'], tags: { list: 'yes' } }, 'overseas')
  await keys().create('list-ec', { kty: 'EC-HSM', tags: { list: 'yes', by: 'a' } }, 'overseas')
  const gone = await keys().create('list-gone', { tags: { list: 'yes' } }, 'overseas')
  await keys().act(gone.id, 'soft-delete')
  const names = async (query: string): Promise<string[]> => {
    const { total, resources } = await keys().list(`?limit=-1&sort=createdAt&key_vault=${IN.overseas}&${query}`)
    expect(total).toBe(resources.length)
    return resources.map(({ key_name }: any) => key_name)
  }
  const all = ['list-old', 'list-old', 'list-sign', 'list-ec', 'list-gone']
  for (const query of [
    '',
    `key_vault_id=${vaults.overseas.id}`,
    'tags=list%3Dyes',
    `tenant=${vaults.overseas.tenant}&region=eastus&cloud_name=cloud-b`,
    'key_name=list-*',
    'status=ACTIVE,SOFT-DELETED',
    'key_material_origin=native&gone=false&deleted=false&backup=false&rotation_job_enabled=false',
    `createdBefore=${at(60_000)}`,
  ])
    expect(await names(query), query).toEqual(all)
  for (const [query, wanted] of [
    ['version=-1', all.slice(1)],
    [`version=${signing.version}`, ['list-sign']],
    ['status=AVAILABLE', all.slice(0, 4)],
    ['status=SOFT-DELETED', ['list-gone']],
    ['status=DELETED', []],
    ['deleted=true', []],
    ['gone=true', []],
    ['enabled=false', ['list-old']],
    ['kty=RSA', ['list-old', 'list-sign']],
    ['kty=RSA,EC-HSM', ['list-old', 'list-sign', 'list-ec']],
    ['key_ops=sign,encrypt', ['list-old']],
    ['key_ops=verify', ['list-old', 'list-old', 'list-ec', 'list-gone']],
    ['tags=list%3Dyes,by', ['list-old', 'list-ec']],
    ['tags=by%3Db', []],
    [`expires_before=${at(3_000_000)}`, []],
    [`expires_before=${at(7_200_000)}`, ['list-old']],
    ['key_name=list-old', ['list-old', 'list-old']],
    [`id=${signing.id}`, ['list-sign']],
    [`local_key_id=${NOTHING}`, []],
    [`job_config_id=${NOTHING}`, []],
    ['rotation_job_enabled=true', []],
    ['backup=true', []],
    ['cloud_name=cloud-b-gov', []],
    ['region=westeurope', []],
  ] as const)
    expect(await names(query), query).toEqual(wanted)
  const both = `${IN.overseas}::${vaults.overseas.subscription_id}`
  expect((await keys().list(`?key_vault=${both}`)).total).toBe(5)
  expect((await keys().list(`?key_vault=${vaults.overseas.id},${IN.plain}`)).total).toBe(5)
  expect((await keys().list('?key_vault=none')).total).toBe(0)
  const [first] = (await keys().list(`?key_vault=${IN.overseas}&sort=kty,-createdAt&limit=1`)).resources
  expect(first.key_name).toBe('list-gone')
  await refused(tests().admin.call('GET', `${KEYS}?keyid=1`), 400, 1, ['keyid'])
  for (const wrong of ['kty=AES', 'key_ops=export', 'status=GONE', 'enabled=2', 'expires_before=soon'])
    await refused(tests().admin.call('GET', `${KEYS}?${wrong}`), 400, 1, [wrong.split('=')[0] ?? ''])
})
