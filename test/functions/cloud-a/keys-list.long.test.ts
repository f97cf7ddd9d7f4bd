import { beforeAll, describe, expect, test } from 'vitest'
import type { Holder } from '../vault/vault.ts'
import { DAY, expectRefused } from '../vault/vault.ts'
import { CLOUD_A, KEYS, keysOf, OTHER_REGION, REGION, useCloudA } from './cloud-a.ts'

const cloudA = useCloudA()
let keys: ReturnType<typeof keysOf>
/** The keys of these tests, one letter each, in order of creation. */
const made = new Map<string, any>()
const letters = 'abcdefgh'
const entries = new Map<string, any>()
const GOV_REGION = 'us-gov-east-1'

async function make(letter: string, work: Promise<any>): Promise<any> {
  const key = await work
  made.set(letter, key)
  return key
}

beforeAll(async () => {
  const { admin, cloud, account, entry, kms, at } = cloudA()
  keys = keysOf(admin)
  const gov = cloud.accounts.find(({ cloud_name }) => cloud_name === 'cloud-a-gov')
  if (gov === undefined) throw new Error('The simulated cloud has no account of cloud-a-gov')
  entries.set('main', kms)
  entries.set('second', await entry('second', { regions: [REGION] }))
  entries.set('gov', await entry('gov', { account: gov, regions: [GOV_REGION] }))
  await admin.create({ name: 'source', algorithm: 'aes', usageMask: 76 })
  const tags = (...pairs: string[]) =>
    pairs.map((pair) => pair.split('=')).map(([TagKey, TagValue = '']) => ({ TagKey, TagValue }))
  await make('a', keys.create({ cloud_a_param: { Alias: 'app/one', Tags: tags('team=one', 'stage=prod') } }))
  const hmac = { CustomerMasterKeySpec: 'HMAC_256', MultiRegion: true }
  await make('b', keys.create({ region: OTHER_REGION, cloud_a_param: { ...hmac, Alias: 'app/two' } }))
  const expiring = { ValidTo: at(30 * DAY), Tags: tags('team=two') }
  const c = await make('c', keys.upload({ source_key_identifier: 'source', cloud_a_param: expiring }))
  await make('d', keys.create({ cloud_a_param: { Origin: 'EXTERNAL' } }))
  const rsa = { CustomerMasterKeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY', Alias: 'other' }
  const e = await make('e', keys.create({ kms: 'second', cloud_a_param: rsa }))
  await make('e', keys.act(e.id as string, 'disable'))
  await make('f', keys.create({ kms: 'gov', region: GOV_REGION }))
  const g = await make('g', keys.create({}))
  cloud.forget(account.id, REGION, g.cloud_a_param.KeyID as string)
  await make('g', keys.act(g.id as string, 'refresh'))
  await make('h', keys.act(c.id as string, 'rotate', {}))
  await make('c', keys.get(c.id as string))
})

const letterOf = ({ id }: any): string => letters.split('').find((letter) => made.get(letter).id === id) ?? '?'

/** Letters of the keys that a query finds, in its order. */
async function found(query: string, who: Holder = cloudA().admin): Promise<string> {
  const { total, resources } = await who.ok('GET', `${KEYS}?limit=100${query === '' ? '' : `&${query}`}`)
  expect(total).toBe(resources.length)
  return resources.map(letterOf).join('')
}
const of = (letter: string): any => made.get(letter)

test('a list shows whole records, oldest first, in the envelope of every list', async () => {
  const list = await keys.list('?limit=3&skip=1')
  expect(list).toEqual({ skip: 1, limit: 3, total: 8, resources: [of('b'), of('c'), of('d')] })
})

test.each<[string, () => string, string]>([
  ['nothing at all', () => '', 'abcdefgh'],
  ['id', () => `id=${of('b').id}`, 'b'],
  ['several ids', () => `id=${of('f').id},${of('b').id}&id=${of('c').id}`, 'bcf'],
  ['an id there is not', () => 'id=01890000-0000-7000-8000-00000000ffff,none', ''],
  ["the cloud's id", () => `keyid=${of('b').cloud_a_param.KeyID}`, 'b'],
  ["the cloud's id within an entry", () => `kms=second&keyid=${of('b').cloud_a_param.KeyID}`, ''],
  ["the cloud's ids", () => `keyid=${of('f').cloud_a_param.KeyID},${of('e').cloud_a_param.KeyID},%C3%A4`, 'ef'],
  ['arn', () => `arn=${encodeURIComponent(of('e').cloud_a_param.Arn as string)}`, 'e'],
  ['an arn of another region', () => `arn=${(of('b').cloud_a_param.Arn as string).replace(OTHER_REGION, REGION)}`, ''],
  ['an alias', () => 'alias=app/one', 'a'],
  ['aliases by pattern', () => 'alias=app/*', 'ab'],
  ['an alias in other letters', () => 'alias=APP/one', ''],
  ['an entry by name', () => 'kms=second', 'e'],
  ['an entry by id', () => `kms=${entries.get('gov').id}`, 'f'],
  ['entries', () => `kms=gov,second`, 'ef'],
  ['an entry by kms_id', () => `kms_id=${entries.get('second').id}`, 'e'],
  ['an entry by its name where its id belongs', () => 'kms_id=second', ''],
  ['two entries at odds', () => `kms=gov&kms_id=${entries.get('second').id}`, ''],
  ['an entry there is not', () => 'kms=none', ''],
  ['region', () => `region=${OTHER_REGION}`, 'b'],
  ['account_id', () => `account_id=${cloudA().account.id}&kms=main,gov`, 'abcdgh'],
  ['cloud_name', () => 'cloud_name=cloud-a-gov', 'f'],
  ['key_state', () => 'key_state=Disabled,PendingImport', 'de'],
  ['enabled', () => 'enabled=true&gone=false', 'abcfh'],
  ['not enabled', () => 'enabled=false', 'de'],
  ['origin', () => 'origin=EXTERNAL', 'cdh'],
  ['customer_master_key_spec', () => 'customer_master_key_spec=HMAC_256,RSA_2048', 'be'],
  ['key_usage', () => 'key_usage=SIGN_VERIFY', 'e'],
  ['key_manager', () => 'key_manager=CLOUD_A', ''],
  ['a tag', () => 'tags=team', 'ach'],
  ['a tag and its value', () => 'tags=team%3Dtwo', 'ch'],
  ['tags', () => 'tags=team%3Done,stage%3Dprod', 'a'],
  ['gone', () => 'gone=true', 'g'],
  ['multi_region', () => 'multi_region=true', 'b'],
  ['single-region', () => 'multi_region=false&kms=second', 'e'],
  ['multi_region_key_type', () => 'multi_region_key_type=PRIMARY', 'b'],
  ['replicas', () => 'multi_region_key_type=REPLICA', ''],
  ['key_material_origin', () => 'key_material_origin=keymgr', 'ch'],
  ['shells', () => 'key_material_origin=unknown', 'd'],
  ['a rotation job', () => 'rotation_job_enabled=true', ''],
  ['no rotation job', () => 'rotation_job_enabled=false&kms=second', 'e'],
  ['job_config_id', () => 'job_config_id=none', ''],
  ['custom_key_store_id', () => 'custom_key_store_id=none', ''],
  ['linked keys', () => 'linked_state=true', ''],
  ['unlinked keys', () => 'linked_state=false', ''],
  ['blocked keys', () => 'blocked=true', ''],
  ['rotated_from', () => `rotated_from=${of('c').id}`, 'h'],
  ['expiry', () => `expires_before=${cloudA().at(31 * DAY)}`, 'c'],
  ['no expiry by then', () => `expires_before=${cloudA().at(29 * DAY)}`, ''],
  ['creation after', () => `createdAfter=${of('f').createdAt}`, 'gh'],
  ['creation before', () => `createdBefore=${of('b').createdAt}`, 'a'],
  ['creation, latest first', () => 'sort=-createdAt', 'hgfedcba'],
  ['kind and region', () => 'sort=customer_master_key_spec,-region&gone=false&enabled=true', 'bfach'],
  ['state, then creation', () => 'sort=key_state&kms=second,main&gone=false&origin=CLOUD_A_KMS', 'eab'],
  ['several at once', () => `kms=main&region=${REGION}&enabled=true&gone=false&tags=team`, 'ach'],
])('keys are found by %s', async (_what, query, expected) => {
  expect(await found(query())).toBe(expected)
})

test.each<[string, string, string]>([
  ['a filter there is not', 'name=x', 'name'],
  ['a flag that is none', 'gone=yes', 'gone'],
  ['a cloud there is not', 'cloud_name=cloud-b', 'cloud_name'],
  ['a selector without a label', 'tags=%3Dx', 'tags'],
  ['a time that is none', 'expires_before=tomorrow', 'expires_before'],
  ['an order there is not', 'sort=alias', 'sort'],
  ['an origin there is not', 'key_material_origin=elsewhere', 'key_material_origin'],
])('a list refuses %s', async (_what, query, parameter) => {
  expectRefused(await cloudA().admin.call('GET', `${KEYS}?${query}`), 400, 1, parameter)
})

describe('a user without the administrators’ group', () => {
  let holder: Holder
  let permit: (kms: string, permitted: boolean, ...actions: string[]) => Promise<unknown>

  beforeAll(async () => {
    const { admin, user } = cloudA()
    const viewer = await user('viewer', ['keymgr Users'])
    holder = viewer.holder
    permit = (kms, permitted, ...actions) =>
      admin.ok('POST', `${CLOUD_A}/kms/${entries.get(kms).id}/update-acls`, {
        acls: [{ user_id: viewer.sub, permit: permitted, actions }],
      })
  })

  test('sees and counts only the keys that the view permissions allow', async () => {
    expect(await found('', holder)).toBe('')
    expect(await found('kms=main', holder)).toBe('')
    await permit('main', true, 'viewbyok')
    expect(await found('', holder)).toBe('cdh')
    expect(await found('kms=main', holder)).toBe('cdh')
    expect(await found(`id=${of('a').id},${of('c').id},${of('e').id}`, holder)).toBe('c')
    const cloudIds = ['a', 'c', 'e'].map((letter) => of(letter).cloud_a_param.KeyID as string)
    expect(await found(`keyid=${cloudIds.join(',')}`, holder)).toBe('c')
    await permit('second', true, 'viewnative')
    expect(await found('', holder)).toBe('cdeh')
    expect(await found('kms=second,gov', holder)).toBe('e')
    await permit('main', true, 'viewnative')
    expect(await found('', holder)).toBe('abcdegh')
    expect(await found('sort=-createdAt', holder)).toBe('hgedcba')
    expect(await found('kms=main&skip=0', holder)).toBe('abcdgh')
    await permit('main', false, 'viewbyok')
    expect(await found('kms=main', holder)).toBe('abg')
  })

  test('reads one key by the same views', async () => {
    const one = (letter: string) => holder.call('GET', `${KEYS}/${of(letter).id}`)
    expect((await one('a')).body).toEqual(of('a'))
    expectRefused(await one('c'), 404, 5)
    expectRefused(await one('f'), 404, 5)
    expectRefused(await holder.call('GET', `${KEYS}/${of('f').id}/versions`), 404, 5)
  })

  test('without any group is refused', async () => {
    const { holder: nobody } = await cloudA().user('nobody', [])
    expectRefused(await nobody.call('GET', KEYS), 403, 4)
  })
})

test('a synchronization of the whole region counts for each of its keys', async () => {
  const { admin, service } = cloudA()
  const before = await keys.get(of('e').id as string)
  service.deployment.clock.advance(1_000)
  await admin.ok('POST', `${CLOUD_A}/synchronization-jobs`, { kms: ['second'] })
  await service.deployment.flows.idle()
  const after = await keys.get(of('e').id as string)
  expect(Date.parse(after.synced_at as string)).toBeGreaterThan(Date.parse(before.synced_at as string))
  expect(after).toEqual({ ...before, synced_at: after.synced_at })
  const { resources } = await keys.list(`?id=${of('e').id}`)
  expect(resources).toEqual([after])
})

test('keys that the cloud manages itself are listed and refreshed, and cannot be changed', async () => {
  const { cloud, admin, service } = cloudA()
  const { account_id: account, id } = entries.get('gov')
  cloud.seed({
    account: account as string,
    region: GOV_REGION,
    count: 1,
    describe: () => ({ manager: 'AWS', aliases: ['alias/aws/ebs'] }),
  })
  await admin.ok('POST', `${CLOUD_A}/synchronization-jobs`, { kms: [id] })
  await service.deployment.flows.idle()
  const { resources } = await keys.list('?key_manager=CLOUD_A')
  expect(resources).toMatchObject([{ key_material_origin: 'native', cloud_a_param: { Alias: ['aws/ebs'] } }])
  const [{ id: own }] = resources
  for (const [action, body] of [
    ['disable', undefined],
    ['schedule-deletion', { days: 7 }],
    ['add-alias', { alias: 'mine' }],
    ['policy', { key_users: ['alice'] }],
    ['rotate', {}],
  ] as const) {
    const refused = await keys.tryAct(own as string, action, body)
    expectRefused(refused, 409, 8)
    expect(refused.body.detail).toContain('keeps this key for itself')
  }
  expect(await keys.act(own as string, 'refresh')).toMatchObject({ id: own, gone: false })
})
