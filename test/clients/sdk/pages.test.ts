import { beforeAll, expect, test } from 'vitest'
import { createKeymgr, type Keymgr } from '../../../clients/sdk/client.ts'
import { entries } from '../../../clients/sdk/pages.ts'
import { useService } from '../../support/service.ts'

const KEYS = 25
const service = useService()
const asked: URL[] = []
let keymgr: Keymgr
beforeAll(async () => {
  const token = await service().logIn()
  const counting: typeof fetch = (input, init) => {
    if (input instanceof Request) asked.push(new URL(input.url))
    return fetch(input, init)
  }
  keymgr = createKeymgr({ baseUrl: `${service().deployment.baseUrl}/api`, token: () => token, fetch: counting })
  for (let at = 0; at < KEYS; at++)
    await keymgr.post('/v1/vault/keys2', { body: { name: `key-${at}`, algorithm: 'aes' } })
})

async function all<T>(of: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = []
  for await (const one of of) seen.push(one)
  return seen
}

const limits = (): (string | null)[] => asked.map(({ searchParams }) => searchParams.get('limit'))

test('a loop over a list sees every entry once, page by page', async () => {
  asked.length = 0
  const names: string[] = []
  for await (const { name } of keymgr.pages('/v1/vault/keys2', { query: { limit: 10 } })) names.push(name)
  expect(names).toEqual(Array.from({ length: KEYS }, (_, at) => `key-${at}`))
  expect(asked.map(({ searchParams }) => searchParams.get('skip'))).toEqual(['0', '10', '20'])
})

test('a page holds 100 entries without a limit, and filters go with every page', async () => {
  asked.length = 0
  const keys = await all(keymgr.pages('/v1/vault/keys2', { query: { name: ['key-1*'] } }))
  expect(keys.map(({ name }) => name)).toContain('key-19')
  expect(keys).toHaveLength(11)
  expect(limits()).toEqual(['100'])
})

test('pages that are not asked for are not read', async () => {
  asked.length = 0
  const keys = keymgr.pages('/v1/vault/keys2', { query: { limit: 5, skip: 3 } })
  expect(asked).toHaveLength(0)
  for await (const { name } of keys) if (name === 'key-6') break
  expect(asked).toHaveLength(1)
})

test('an entry without an id is recognized by its fields', async () => {
  const head = { size: 1, root: 'a' }
  const ask = () => Promise.resolve({ skip: 0, limit: 1, total: 2, resources: [head] })
  expect(await all(entries(ask))).toEqual([head])
})

test('whole pages have the total', async () => {
  const pages = await all(keymgr.pages('/v1/vault/keys2', { query: { limit: 20 } }).pages())
  expect(pages.map(({ total, resources }) => [total, resources.length])).toEqual([
    [KEYS, 20],
    [KEYS, 5],
  ])
})

test('an empty list has one page and no entry', async () => {
  const none = keymgr.pages('/v1/vault/secrets')
  expect(await all(none)).toEqual([])
  expect(await all(none.pages())).toMatchObject([{ total: 0, resources: [] }])
})

test('a loop ends with a refusal', async () => {
  const keys = createKeymgr({ baseUrl: `${service().deployment.baseUrl}/api` }).pages('/v1/vault/keys2')
  await expect(all(keys)).rejects.toMatchObject({ kind: 'unauthenticated' })
})

test('a list that is newest first shows an entry once, even if more than a page of new ones come while it is read', async () => {
  const records = async () => all(keymgr.pages('/v1/audit/records', { query: { limit: 1000 } }))
  const former = (await records()).map(({ id }) => id)
  const seen: string[] = []
  for await (const { resources } of keymgr.pages('/v1/audit/records', { query: { limit: 5 } }).pages()) {
    seen.push(...resources.map(({ id }) => id))
    for (let at = 0; seen.length === 5 && at < 7; at++)
      await keymgr.post('/v1/vault/keys2', { body: { name: `made-meanwhile-${at}`, algorithm: 'aes' } })
  }
  expect((await records()).length).toBeGreaterThanOrEqual(former.length + 7)
  expect(seen.filter((id, at) => seen.indexOf(id) !== at)).toEqual([])
  expect(seen).toEqual(expect.arrayContaining(former))
})

test('policies that hide every entry of a page do not end the list', async () => {
  const admin = await service().logIn()
  const { token, userId } = await service().userIn(admin, 'reader', ['Key Admins'])
  const { body: first } = await service().call('GET', '/v1/vault/keys2?limit=5', { token: admin })
  const resources = first.resources.map(({ uri }: { uri: string }) => uri)
  const body = { name: 'hidden', effect: 'deny', actions: ['*'], resources }
  const policy = await service().call('POST', '/v1/admin/policies', { token: admin, body })
  expect(policy.status, JSON.stringify(policy.body)).toBe(201)
  const attachment = { policy: policy.body.id, principalSelector: { user_id: userId } }
  const attached = await service().call('POST', '/v1/admin/policy-attachments', { token: admin, body: attachment })
  expect(attached.status, JSON.stringify(attached.body)).toBe(201)
  service().deployment.clock.advance(5_000)
  const keys = createKeymgr({ baseUrl: `${service().deployment.baseUrl}/api`, token: () => token })
  const names = (await all(keys.pages('/v1/vault/keys2', { query: { limit: 5, name: ['key-*'] } }))).map(
    ({ name }) => name,
  )
  expect(names).toEqual(Array.from({ length: KEYS - 5 }, (_, at) => `key-${at + 5}`))
})
