import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeAll, expect, test } from 'vitest'
import { rowKey } from '../../../shared/store/layout.ts'
import { DAY, expectRefused, pathOf, useVault, type Holder } from './vault.ts'

const vault = useVault()
const SEARCH = '/v1/vault/query-keys'
const LABELS = '/v1/vault/key-labels'
const made: Record<string, any> = {}
let reader: Holder

beforeAll(async () => {
  const { admin, at, advance, user } = vault()
  const material = '00'.repeat(32)
  const keys = [
    { name: 'red one', labels: { color: 'red', env: 'prod' }, meta: { team: { floors: [1, 2] } }, usageMask: 12 },
    { name: 'red two', labels: { color: 'red' }, size: 128, aliases: [{ alias: 'second' }], usageMask: 76 },
    { name: 'blue', labels: { color: 'blue' }, algorithm: 'ec', curveid: 'secp384r1' },
    { name: 'old', state: 'Deactivated', material, meta: { permissions: { ReadKey: ['Key Users'] } } },
    { name: 'a*b', deactivationDate: at(2 * DAY), labels: { env: 'test' } },
    { name: 'later', deactivationDate: at(4 * DAY) },
  ]
  for (const key of keys) {
    made[key.name] = await admin.create(key)
    advance(1_000)
  }
  reader = (await user('reader', ['Key Users'])).holder
  await reader.create({ name: 'own', labels: { color: 'green', 'env ✓': 'é' } })
})

async function found(body: object, by = vault().admin): Promise<string[]> {
  const { total, resources } = await by.ok('POST', SEARCH, { limit: -1, ...body })
  expect(total).toBe(resources.length)
  return resources.map(({ name }: any) => name as string)
}

const ALL = ['red one', 'red two', 'blue', 'blue_public', 'old', 'a*b', 'later', 'own']

test.each([
  [{}, ALL],
  [{ name: 'red one' }, ['red one']],
  [{ name: 'red*' }, ['red one', 'red two']],
  [{ names: ['old', 'red two', 'none'] }, ['red two', 'old']],
  [{ names: ['a*b', 'old'] }, ['old', 'a*b']],
  [{ name: '*o*', names: ['red one', 'blue', 'old'] }, ['red one', 'old']],
  [{ nameContains: 'red ' }, ['red one', 'red two']],
  [{ nameContains: '*' }, ['a*b']],
  [{ algorithm: 'EC' }, ['blue', 'blue_public']],
  [{ size: 128 }, ['red two']],
  [{ curveid: 'secp384r1', objectType: 'Public Key' }, ['blue_public']],
  [{ state: 'Deactivated' }, ['old']],
  [{ states: ['Deactivated', 'Compromised'] }, ['old']],
  [{ state: 'Active', states: ['Deactivated'] }, []],
  [{ usageMask: 12 }, ['red one']],
  [{ usageMaskContains: 12, nameContains: 'red' }, ['red one', 'red two']],
  [{ metaContains: { team: { floors: [2] } } }, ['red one']],
  [{ metaContains: {} }, ALL],
  [{ labels: 'color=red,env' }, ['red one']],
  [{ aliases: ['second', 'none'] }, ['red two']],
  [{ fields: ['meta', 'links'], name: 'old' }, ['old']],
  [{ sort: '-name', nameContains: 'red' }, ['red two', 'red one']],
])('%o finds its keys', async (body, names) => {
  expect(await found(body)).toEqual(names)
})

test('dates limit the search, and pages have an exact total', async () => {
  const { admin, at } = vault()
  const { createdAt } = made['red two']
  expect(await found({ createdBefore: createdAt })).toEqual(['red one'])
  expect(await found({ createdAfter: createdAt, nameContains: 'blue' })).toEqual(['blue', 'blue_public'])
  expect(await found({ deactivationBefore: at(3 * DAY) })).toEqual(['old', 'a*b'])
  expect(await found({ deactivationBefore: at(5 * DAY), state: 'Active' })).toEqual(['a*b', 'later'])
  expect(await found({ deactivationBefore: at(5 * DAY), name: 'later' })).toEqual(['later'])
  const page = await admin.ok('POST', SEARCH, { skip: 2, limit: 1, sort: 'name' })
  expect(page).toMatchObject({ skip: 2, limit: 1, total: 8, resources: [{ name: 'blue_public' }] })
  expect((await admin.ok('POST', SEARCH, { limit: 5_000 })).limit).toBe(1_000)
})

test('a row that was stored before it had the deactivation date is found by it', async () => {
  const { service, at } = vault()
  const { name: TableName, endpoint } = service.deployment.table
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const table = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials })
  const { pk, sk } = rowKey(service.domain.id, 'local-key', 'latest', made['a*b'].id as string)
  const { Item } = await table.send(new GetItemCommand({ TableName, Key: { pk: { S: pk }, sk: { S: sk } } }))
  const { deactivationDate, ...row } = JSON.parse(Item?.row?.S ?? '')
  expect(deactivationDate).toBe(made['a*b'].deactivationDate)
  await table.send(new PutItemCommand({ TableName, Item: { ...Item, row: { S: JSON.stringify(row) } } }))
  expect(await found({ deactivationBefore: at(3 * DAY) })).toEqual(['old', 'a*b'])
  expect(await found({ deactivationBefore: at(DAY) })).toEqual(['old'])
})

test.each([
  [{ nmae: 'red' }, 400, '#/nmae'],
  [{ limit: 0 }, 422, '#/limit'],
  [{ limit: '10' }, 400, '#/limit'],
  [{ skip: -1 }, 422, '#/skip'],
  [{ sort: 'colour' }, 422, '#/sort'],
  [{ state: 'Asleep' }, 422, '#/state'],
  [{ name: '*a*b*c*' }, 422, '#/name'],
  [{ labels: '=red' }, 422, '#/labels'],
  [{ metaContains: 'red' }, 400, '#/metaContains'],
  [{ deactivationBefore: 'soon' }, 422, '#/deactivationBefore'],
  [{ names: [] }, 422, '#/names'],
  [{ fields: ['material'] }, 422, '#/fields/0'],
])('%o is refused', async (body, status, field) => {
  expectRefused(await vault().admin.call('POST', SEARCH, body), status, status === 400 ? 1 : 2, field)
})

test('a search shows only the keys that the caller may see, and leaves no audit record', async () => {
  expect(await found({}, reader)).toEqual(['old', 'own'])
  expect(await found({ names: ['red one', 'own'] }, reader)).toEqual(['own'])
  expect(await vault().records('message=Query%20Keys')).toEqual([])
})

test('the labels in use are counted over the keys that the caller may see', async () => {
  const { admin } = vault()
  const labels = async (query = '', by = admin) => (await by.ok('GET', `${LABELS}${query}`)).resources as unknown[]
  const all = [
    { label: 'color', count: 5 },
    { label: 'env', count: 2 },
    { label: 'env ✓', count: 1 },
  ]
  expect(await admin.ok('GET', LABELS)).toEqual({ skip: 0, limit: 10, total: 3, resources: all })
  expect(await labels('?sort=count')).toEqual(all.toReversed())
  expect(await labels('?label=env*&sort=-label')).toEqual([all[2], all[1]])
  expect(await labels('?skip=1&limit=1')).toEqual([all[1]])
  expect(await labels('', reader)).toEqual([
    { label: 'color', count: 1 },
    { label: 'env ✓', count: 1 },
  ])
  await admin.act('red two', 'versions', { labels: { env: 'prod' } }) // earlier versions do not count
  expect(await labels()).toEqual([{ label: 'color', count: 4 }, { label: 'env', count: 3 }, all[2]])
  expect((await admin.list('?labels=env')).total).toBe(3)
  expectRefused(await admin.call('GET', `${LABELS}?sort=name`), 400, 1, 'sort')
})

test('one attribute of a key is read by its name', async () => {
  const { admin } = vault()
  const key = made['red one']
  const read = async (attribute: string, query = '') =>
    (await admin.act('red one', 'attributes', { attribute }, query)) as unknown
  for (const attribute of ['id', 'usageMask', 'labels', 'meta', 'unexportable', 'links'])
    expect(await read(attribute)).toEqual({ attribute, value: key[attribute] })
  expect(await read('description')).toEqual({ attribute: 'description', value: null })
  expect(await read('version', '?version=0')).toEqual({ attribute: 'version', value: 0 })
  const tried = (body: object, by = admin) => by.tryAct('red one', 'attributes', body)
  for (const attribute of ['sealed', 'material', 'shoe'])
    expectRefused(await tried({ attribute }), 422, 2, '#/attribute')
  expectRefused(await tried({}), 422, 2, '#/attribute')
  expectRefused(await tried({ attribute: 'id' }, reader), 404, 5)
  expectRefused(await admin.call('POST', pathOf('none', '/attributes'), { attribute: 'id' }), 404, 5)
})

test('the list of keys has those that expire before a time', async () => {
  const { admin, at } = vault()
  const before = async (time: string) =>
    (await admin.ok('GET', `/v1/vault/keys2?state=Active&expires_before=${time}`)).resources.map(
      ({ name }: any) => name,
    )
  expect(await before(at(3 * DAY))).toEqual(['a*b'])
  expect((await before(at(5 * DAY))).sort()).toEqual(['a*b', 'later'])
  expectRefused(await admin.call('GET', '/v1/vault/keys2?expires_before=soon'), 400, 1, 'expires_before')
})
