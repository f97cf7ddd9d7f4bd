import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { itemKey, rowKey } from '../../../shared/store/layout.ts'
import { expectRefused, KEYS, pathOf, useVault, type Holder } from './vault.ts'

const vault = useVault()
const GROUPS = '/v1/usermgmt/groups'
/** Longer than the lifetime of a token. */
const MINUTES = 360_000
let ann: { holder: Holder; sub: string }

const readable = (group: string): object => ({ meta: { permissions: { ReadKey: [group] } } })
const groupsOf = ({ meta }: any): string[] => meta.permissions.ReadKey as string[]
const join = (group: string): Promise<unknown> => vault().admin.ok('POST', `${GROUPS}/${group}/users/${ann.sub}`)
const found = async (name: string): Promise<boolean> => (await ann.holder.names('?')).includes(name)

/** Makes the user log in again, with the user's present groups. */
const later = (): void => vault().advance(MINUTES)

beforeAll(async () => {
  ann = await vault().user('ann', ['Key Users'])
})

test('permissions are kept by the ids of groups and shown by their names', async () => {
  const { admin, stored } = vault()
  await admin.ok('POST', GROUPS, { name: 'first' })
  const key = await admin.create({ name: 'by name', ...readable('first') })
  expect(groupsOf(key)).toEqual(['first'])
  const [id = ''] = groupsOf(await stored(key.id as string))
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(groupsOf(await admin.create({ name: 'by id', ...readable(id) }))).toEqual(['first'])
  expect(groupsOf(await admin.update('by id', { meta: { permissions: { ReadKey: ['first', id] } } }))).toEqual([
    'first',
  ])
  for (const shown of [
    await admin.get('by name'),
    (await admin.list('?name=by*')).resources[0],
    (await admin.ok('GET', pathOf('by name', '/versions'))).resources[0],
    (await admin.ok('POST', '/v1/vault/query-keys', { name: 'by name' })).resources[0],
    await admin.act('by name', 'versions', {}),
    await admin.act('by name', 'archive'),
    await admin.act('by name', 'recover'),
    await admin.act('by name', 'export', {}),
    (await admin.ok('POST', '/v1/vault/keys-bulk-export', { ids: ['by name'] }))[0],
    await admin.act('by name', 'clone', { newKeyName: 'by clone', ...readable('first') }),
    await admin.ok('POST', '/v1/vault/secrets', { name: 's', dataType: 'seed', material: '00', ...readable('first') }),
    await admin.ok('GET', '/v1/vault/secrets/s'),
    await admin.ok('POST', '/v1/vault/templates', { name: 't', ...readable('first') }),
    await admin.create({ name: 'of a template', templateId: 't' }),
  ])
    expect(groupsOf(shown)).toEqual(['first'])
  expect((await admin.act('by name', 'attributes', { attribute: 'meta' })).value.permissions.ReadKey).toEqual(['first'])
  await admin.ok('DELETE', `${GROUPS}/first`)
  expect(groupsOf(await admin.get('by name'))).toEqual([id])
  expect(groupsOf(await admin.update('by name', { meta: { permissions: { ReadKey: [id] } } }))).toEqual([id])
})

test('an unknown group is refused', async () => {
  const { admin } = vault()
  await admin.create({ name: 'plain' })
  const at = '#/meta/permissions/ReadKey/0'
  const unknown = readable('no such group')
  expectRefused(await admin.call('POST', KEYS, unknown), 404, 5, at)
  expectRefused(await admin.call('PATCH', pathOf('plain'), unknown), 404, 5, at)
  expectRefused(await admin.tryAct('plain', 'clone', { newKeyName: 'x', ...unknown }), 404, 5, at)
  expectRefused(await admin.call('POST', '/v1/vault/templates', { name: 'x', ...unknown }), 404, 5, at)
  const secret = { name: 'x', dataType: 'seed', material: '00', ...unknown }
  expectRefused(await admin.call('POST', '/v1/vault/secrets', secret), 404, 5, at)
})

test('a renamed group keeps its permissions, and a new one of the old name has none', async () => {
  const { admin } = vault()
  await admin.ok('POST', GROUPS, { name: 'crew' })
  await join('crew')
  later()
  await admin.create({ name: 'for the crew', ...readable('crew') })
  expect(await found('for the crew')).toBe(true)
  await admin.ok('PATCH', `${GROUPS}/crew`, { name: 'team' })
  await admin.ok('POST', GROUPS, { name: 'crew' })
  later()
  expect(await found('for the crew')).toBe(true)
  expect(groupsOf(await ann.holder.get('for the crew'))).toEqual(['team'])
  await admin.ok('DELETE', `${GROUPS}/team?force=true`)
  await admin.ok('POST', GROUPS, { name: 'team' })
  for (const group of ['crew', 'team']) await join(group)
  later()
  expect(await found('for the crew')).toBe(false)
  expectRefused(await ann.holder.call('GET', pathOf('for the crew')), 404, 5)
})

/** Writes a key to the table in the former format, with names of groups. */
async function keptByName(id: string, group: string): Promise<void> {
  const { name: TableName, endpoint } = vault().service.deployment.table
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const table = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials })
  for (const [{ pk, sk }, field] of [
    [itemKey(ROOT_DOMAIN_ID, 'local-key', id), 'data'],
    [rowKey(ROOT_DOMAIN_ID, 'local-key', 'latest', id), 'row'],
  ] as const) {
    const { Item } = await table.send(new GetItemCommand({ TableName, Key: { pk: { S: pk }, sk: { S: sk } } }))
    const kept = JSON.parse(Item?.[field]?.S ?? '')
    Object.assign(kept, readable(group))
    await table.send(new PutItemCommand({ TableName, Item: { ...Item, [field]: { S: JSON.stringify(kept) } } }))
  }
}

test('a name that was kept before means the group that had it then', async () => {
  const { admin, advance, stored } = vault()
  await admin.ok('POST', GROUPS, { name: 'old guard' })
  await join('old guard')
  advance(1_000)
  const key = await admin.create({ name: 'from before' })
  await keptByName(key.id as string, 'old guard')
  later()
  expect(await found('from before')).toBe(true)
  expect(groupsOf(await ann.holder.get('from before'))).toEqual(['old guard'])
  const next = await admin.act('from before', 'versions', {})
  expect(groupsOf(await stored(next.id as string))[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(await found('from before v1')).toBe(true)

  const other = await admin.create({ name: 'also from before' })
  await keptByName(other.id as string, 'young guard')
  await admin.ok('POST', GROUPS, { name: 'young guard' })
  await join('young guard')
  later()
  expect(await found('also from before')).toBe(false)
  const young = await admin.act('also from before', 'versions', {})
  expect(groupsOf(young)).toEqual([])
})
