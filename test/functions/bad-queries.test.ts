import { beforeAll, expect, test } from 'vitest'
import { raw } from '../support/raw.ts'
import { useService, type Answered } from '../support/service.ts'

const service = useService()
let token = ''

const KEYS = '/v1/vault/keys2'
const USERS = '/v1/usermgmt/users'

const as = (method: string, path: string, body?: unknown): Promise<Answered> =>
  service().call(method, path, { token, body })

beforeAll(async () => {
  token = await service().logIn()
  for (const name of ['a', 'b', 'c']) await as('POST', KEYS, { name })
})

/** The parameters that a refusal names. */
const parametersOf = ({ body }: Answered): unknown[] =>
  (body.errors as { parameter?: string }[]).map(({ parameter }) => parameter)

test.each([
  ['an unknown name', 'colour=red', 'colour'],
  ['a known name in another case', 'Name=a', 'Name'],
  ['a name of every object', '__proto__=a', '__proto__'],
  ['a name of every object', 'constructor=a', 'constructor'],
  ['an empty name', '=a', ''],
  ['a limit twice', 'limit=1&limit=2', 'limit'],
  ['a limit of 0', 'limit=0', 'limit'],
  ['a limit of -2', 'limit=-2', 'limit'],
  ['a limit of words', 'limit=all', 'limit'],
  ['a limit of 1.5', 'limit=1.5', 'limit'],
  ['a limit of 1e2', 'limit=1e2', 'limit'],
  ['a limit with a blank', 'limit=%201', 'limit'],
  ['an empty limit', 'limit=', 'limit'],
  ['a negative skip', 'skip=-1', 'skip'],
  ['a skip of 20 digits', 'skip=18446744073709551616', 'skip'],
  ['a sort by nothing known', 'sort=shoe', 'sort'],
  ['a sort by nothing', 'sort=', 'sort'],
  ['a sort by __proto__', 'sort=__proto__', 'sort'],
  ['a flag of 1', 'unexportable=1', 'unexportable'],
  ['a flag of TRUE', 'unexportable=TRUE', 'unexportable'],
  ['a state that is none', 'state=Asleep', 'state'],
  ['a date without time', 'createdAfter=2030-01-01', 'createdAfter'],
  ['labels without a name', 'labels=%3Da', 'labels'],
  ['metaContains that is no object', 'metaContains=%5B%5D', 'metaContains'],
  ['metaContains that is no JSON', 'metaContains=%7B', 'metaContains'],
  ['a name with four stars', 'name=a*b*c*d*', 'name'],
  ['names with too many characters in patterns', `name=${'a'.repeat(128)}*,${'b'.repeat(128)}?`, 'name'],
])('a list with %s is refused: 400', async (_what, query, parameter) => {
  const refused = await as('GET', `${KEYS}?${query}`)
  expect(refused.status, JSON.stringify(refused.body)).toBe(400)
  expect(parametersOf(refused)).toContain(parameter)
})

test.each([
  ['limit=5000', 1_000],
  ['limit=999999999999999', 1_000],
  ['limit=-1', 1_000],
  ['limit=1', 1],
  ['', 10],
])('?%s uses the limit %i and answers it', async (query, limit) => {
  const listed = await as('GET', `${KEYS}?${query}`)
  expect(listed).toMatchObject({ status: 200, body: { limit, skip: 0 } })
  expect((listed.body.resources as unknown[]).length).toBe(Math.min(limit, listed.body.total as number))
})

test.each([`name=*,${'a'.repeat(255)}?`.slice(0, 260), `name=a,*b*c*,${'d'.repeat(1_000)}`, 'name=?'])(
  'patterns within their bounds are matched: %s',
  async (query) => {
    const listed = await as('GET', `${KEYS}?${query}`)
    expect(listed.status, JSON.stringify(listed.body)).toBe(200)
    expect(listed.body.total).toBeGreaterThan(0)
  },
)

test('metaContains that multiplies two long arrays is refused', async () => {
  const members = [...Array.from({ length: 7_000 }, () => 1), 2]
  for (const name of ['long-1', 'long-2', 'long-3'])
    expect((await as('POST', KEYS, { name, meta: { members } })).status).toBe(201)
  const many = encodeURIComponent(JSON.stringify({ members: Array.from({ length: 490 }, () => 2) }))
  expect(parametersOf(await as('GET', `${KEYS}?metaContains=${many}`))).toEqual(['metaContains'])
  const few = encodeURIComponent(JSON.stringify({ members: [2, 1] }))
  expect((await as('GET', `${KEYS}?metaContains=${few}`)).body.total).toBe(3)
  for (const name of ['long-1', 'long-2', 'long-3']) await as('DELETE', `${KEYS}/${name}`)
})

test('a skip past the end answers an empty page with the exact total', async () => {
  const { total } = (await as('GET', KEYS)).body as { total: number }
  const listed = await as('GET', `${KEYS}?skip=999999999999999`)
  expect(listed).toMatchObject({ status: 200, body: { total, resources: [] } })
})

test('a string that cannot be a name or id is not found, in any spelling', async () => {
  const emoji = encodeURIComponent('\u{10e92}') // two code units: half of it is not valid text
  const long = encodeURIComponent('名'.repeat(900)) // more bytes than a key of the table may have
  for (const query of [`id=${emoji}`, `id=${'f'.repeat(64)}`, `alias=${long}`, `name=${long}`, `uri=${emoji}`])
    expect(await as('GET', `${KEYS}?${query}`), query).toMatchObject({ status: 200, body: { total: 0, resources: [] } })
  for (const path of [`${emoji}?type=id`, 'any?type=id', `${emoji}?type=uri`, emoji.repeat(120)])
    expect((await as('GET', `${KEYS}/${path}`)).status, path).toBe(404)
  expect((await as('GET', `/v1/audit/records?domain=${long}`)).status).toBe(404)
  const nowhere = { name: 'admin', password: 'x', auth_domain_path: '名'.repeat(1_024) }
  expect((await as('POST', '/v1/auth/tokens', nowhere)).status).toBe(401)
})

test('an id of another form is refused in the path', async () => {
  expect(await as('GET', '/v1/domains/7')).toMatchObject({ status: 400, body: { errors: [{ parameter: 'id' }] } })
  expect(parametersOf(await as('GET', `${USERS}/7`))).toEqual(['user_id'])
})

test('a path with and without a final slash is one route', async () => {
  const made = await as('POST', `${KEYS}/`, { name: 'with-slash' })
  expect(made.status).toBe(201)
  for (const path of [KEYS, `${KEYS}/with-slash`, `${KEYS}/with-slash/versions`, USERS, '/v1/domain'])
    expect((await as('GET', `${path}/`)).body, path).toEqual((await as('GET', path)).body)
  expect((await as('DELETE', `${KEYS}/with-slash/`)).status).toBe(200)
})

test('an id with an encoded question mark, where the front door ends the path, creates nothing', async () => {
  const total = async (): Promise<unknown> => (await as('GET', `${KEYS}?limit=1`)).body.total
  const before = await total()
  const { baseUrl } = service().deployment
  const headers = { authorization: `Bearer ${token}` }
  for (const call of ['%3F/destroy', '%3Fa/clone', '?', '%3f/versions?version=1', '']) {
    const target = `/api${KEYS}/${call}`
    const answer = await raw(baseUrl, { method: 'POST', target, headers })
    expect(answer.status, target).toBe(404)
    expect(answer.bytes.toString(), target).toContain('give the id of the record')
  }
  const refused = await raw(baseUrl, { method: 'POST', target: `/api${KEYS}/%3F/destroy` })
  expect(refused.status, 'without a token').toBe(401)
  const patched = await raw(baseUrl, { method: 'PATCH', target: `/api${KEYS}/%3F/labels`, headers })
  expect(patched.status).toBe(405)
  expect(await total()).toBe(before)
})

test.each(['%', '%zz', '%c3', '%ff'])('a path with %s is refused by the front door', async (segment) => {
  const answer = await raw(service().deployment.baseUrl, { method: 'GET', target: `/api${KEYS}/${segment}` })
  expect(answer.status).toBe(400)
})
