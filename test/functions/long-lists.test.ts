import { beforeAll, expect, test } from 'vitest'
import { createKeymgr } from '../../clients/sdk/client.ts'
import { useService } from '../support/service.ts'

const service = useService()
const GROUPS = 70
/** 16 KB as JSON: each character needs two bytes. */
const QUOTES = { text: '"'.repeat(8_000) }
let admin = ''

beforeAll(async () => {
  admin = await service().logIn()
  for (let at = 0; at < GROUPS; at++) {
    const body = {
      ...{ name: `long-${String(at).padStart(2, '0')}`, description: 'long' },
      ...{ app_metadata: QUOTES, client_metadata: QUOTES, user_metadata: QUOTES },
    }
    const made = await service().call('POST', '/v1/usermgmt/groups', { token: admin, body })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
  }
})

const list = (query: string) => service().call('GET', `/v1/usermgmt/groups?${query}`, { token: admin })
const nameOf = ({ name }: { name: string }): string => name

test('a page whose records exceed 6 MB is cut, and its limit is the number of records', async () => {
  const { status, body } = await list('name=long-*&limit=1000&sort=name')
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.total).toBe(GROUPS)
  expect(body.resources.length).toBeLessThan(GROUPS)
  expect(body.limit).toBe(body.resources.length)
  const escaped = Buffer.byteLength(JSON.stringify(JSON.stringify(body)))
  expect(escaped).toBeLessThan(6 * 1024 * 1024)
  expect(escaped).toBeGreaterThan(5.8 * 1024 * 1024)
})

test('pages that begin at skip + limit join to the whole', async () => {
  const seen: string[] = []
  for (let skip = 0, total = 1; skip < total;) {
    const { status, body } = await list(`name=long-*&limit=-1&sort=-name&skip=${skip}`)
    expect(status).toBe(200)
    seen.push(...body.resources.map(nameOf))
    skip += Number(body.limit)
    total = body.total
  }
  expect(seen).toEqual(Array.from({ length: GROUPS }, (_, at) => `long-${String(GROUPS - 1 - at).padStart(2, '0')}`))
})

test('a page that fits has the limit that was asked for', async () => {
  const { body } = await list('name=long-*&limit=20')
  expect(body).toMatchObject({ limit: 20, total: GROUPS })
  expect(body.resources).toHaveLength(20)
})

test('the SDK reads every record of a list whose pages are cut', async () => {
  const { deployment } = service()
  const keymgr = createKeymgr({ baseUrl: `${deployment.baseUrl}/api`, token: () => admin })
  const seen: string[] = []
  for await (const { name } of keymgr.pages('/v1/usermgmt/groups', { query: { name: ['long-*'], limit: 1000 } }))
    seen.push(name)
  expect(seen.toSorted()).toEqual(Array.from({ length: GROUPS }, (_, at) => `long-${String(at).padStart(2, '0')}`))
})
