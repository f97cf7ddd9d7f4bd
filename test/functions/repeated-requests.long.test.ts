import { beforeEach, expect, test } from 'vitest'
import { childAdmin } from '../support/callers.ts'
import { jsonOf, raw, type RawAnswer } from '../support/raw.ts'
import { useService, type Answered } from '../support/service.ts'

const service = useService()
let token = ''

// These tests move the clock by days, beyond a token's lifetime.
beforeEach(async () => {
  token = await service().logIn()
})

const KEYS = '/v1/vault/keys2'
const as = (method: string, path: string, body?: unknown, headers = {}): Promise<Answered> =>
  service().call(method, path, { token, body, headers })

/** A POST with an `Idempotency-Key`; returns the answer as bytes. */
const post = (path: string, body: unknown, key: string, by = token): Promise<RawAnswer> =>
  raw(service().deployment.baseUrl, {
    method: 'POST',
    target: `/api${path}`,
    headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })

const named = async (pattern: string): Promise<number> =>
  (await as('GET', `${KEYS}?name=${pattern}`)).body.total as number

test('a PATCH or DELETE with If-Match succeeds only on the revision that was seen', async () => {
  const made = await as('POST', KEYS, { name: 'matched' })
  const seen = made.headers.get('etag') ?? ''
  expect(seen).toMatch(/^"\d+"$/)
  const path = `${KEYS}/${made.body.id}`
  expect((await as('GET', path)).headers.get('etag')).toBe(seen)
  const changed = await as('PATCH', path, { description: 'one' }, { 'if-match': seen })
  expect(changed.status).toBe(200)
  const next = changed.headers.get('etag') ?? ''
  expect(next).not.toBe(seen)
  expect((await as('GET', path)).headers.get('etag')).toBe(next)
  for (const stale of [seen, `W/${next}`, '"999"', next.replaceAll('"', ''), '', `${seen}, "999"`]) {
    const refused = await as('PATCH', path, { description: 'two' }, { 'if-match': stale })
    expect(refused, `If-Match: ${stale}`).toMatchObject({ status: 412, body: { code: 8 } })
    expect(await as('DELETE', path, undefined, { 'if-match': stale })).toMatchObject({ status: 412 })
  }
  expect((await as('GET', path)).body.description).toBe('one')
  const fits = { 'if-match': `"999", ${next}` }
  expect((await as('PATCH', path, { description: 'three' }, fits)).status).toBe(200)
  expect((await as('PATCH', path, { description: 'four' }, { 'if-match': '*' })).status).toBe(200)
  expect((await as('DELETE', path, undefined, { 'if-match': '*' })).status).toBe(200)
  expect((await as('PATCH', path, { description: 'five' }, { 'if-match': '*' })).status).toBe(404)
})

test.each([
  ['a user', '/v1/usermgmt/users', { username: 'etag', password: 'Correct-horse-7' }, 'user_id', { name: 'A' }],
  ['a group', '/v1/usermgmt/groups', { name: 'etag' }, 'name', { description: 'A' }],
  ['a password policy', '/v1/usermgmt/pwdpolicies', { policy_name: 'etag' }, 'policy_name', { password_lifetime: 1 }],
])('%s is updated and deleted only in the revision that was seen', async (_what, path, body, id, change) => {
  const made = await as('POST', path, body)
  const one = `${path}/${made.body[id]}`
  const stale = { 'if-match': made.headers.get('etag') ?? '' }
  const changed = await as('PATCH', one, change, stale)
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  expect((await as('PATCH', one, change, stale)).status).toBe(412)
  expect((await as('DELETE', one, undefined, stale)).status).toBe(412)
  expect((await as('DELETE', one, undefined, { 'if-match': changed.headers.get('etag') ?? '' })).status).toBe(200)
})

test('of ten concurrent updates with the same If-Match one succeeds', async () => {
  const made = await as('POST', KEYS, { name: 'contended' })
  const seen = { 'if-match': made.headers.get('etag') ?? '' }
  const path = `${KEYS}/${made.body.id}`
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, turn) => as('PATCH', path, { description: `by ${turn}` }, seen)),
  )
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 412)])
  const won = answers.find(({ status }) => status === 200)
  expect((await as('GET', path)).body.description).toBe(won?.body.description)
})

test('a repeated request gets the first answer, byte for byte, and has no further effect', async () => {
  const first = await post(`${KEYS}?includeMaterial=true`, { name: 'once' }, 'key-1')
  expect(first.status).toBe(201)
  const again = await post(`${KEYS}?includeMaterial=true`, { name: 'once' }, 'key-1')
  expect(again.status).toBe(201)
  expect(again.bytes).toEqual(first.bytes)
  expect(again.headers.etag).toBe(first.headers.etag)
  expect(await named('once')).toBe(1)
  const records = await as('GET', '/v1/audit/records?message=Create%20Key&limit=-1')
  const ofThis = (records.body.resources as { details: { resource_name?: string } }[]).filter(
    ({ details }) => details.resource_name === 'once',
  )
  expect(ofThis).toHaveLength(1)
})

test('ten concurrent creates under one Idempotency-Key make one key', async () => {
  const before = await named('*')
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(KEYS, { labels: { race: 'a' } }, 'key-2')))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201))
  for (const answer of answers) expect(answer.bytes).toEqual(answers[0]?.bytes)
  expect(await named('*')).toBe(before + 1)
})

test('the same key with another request is refused: 422', async () => {
  expect((await post(KEYS, { name: 'other-1' }, 'key-3')).status).toBe(201)
  for (const [path, body] of [
    [KEYS, { name: 'other-2' }],
    [`${KEYS}?includeMaterial=true`, { name: 'other-1' }],
    ['/v1/usermgmt/groups', { name: 'other-1' }],
  ] as const) {
    const refused = await post(path, body, 'key-3')
    expect(refused.status, refused.bytes.toString()).toBe(422)
    expect(jsonOf(refused)).toMatchObject({ code: 2, errors: [{ parameter: 'Idempotency-Key' }] })
  }
  expect(await named('other-*')).toBe(1)
})

test('a refused request is tried again when repeated', async () => {
  expect((await post(KEYS, { name: 'taken' }, 'key-4a')).status).toBe(201)
  expect((await post(KEYS, { name: 'taken' }, 'key-4b')).status).toBe(409)
  const { id } = (await as('GET', `${KEYS}/taken`)).body as { id: string }
  expect((await as('DELETE', `${KEYS}/${id}`)).status).toBe(200)
  expect((await post(KEYS, { name: 'taken' }, 'key-4b')).status).toBe(201)
})

test('an Idempotency-Key is private to its caller', async () => {
  const { token: other } = await service().userIn(token, 'key-user', ['Key Users'])
  const { child } = await childAdmin(service(), 'beside')
  const mine = await post(`${KEYS}?includeMaterial=true`, {}, 'key-5')
  const theirs = await post(`${KEYS}?includeMaterial=true`, {}, 'key-5', other)
  const beside = await post(`${KEYS}?includeMaterial=true`, {}, 'key-5', child)
  const made = [mine, theirs, beside].map(jsonOf) as { id: string; material: string }[]
  expect(new Set(made.map(({ id }) => id)).size).toBe(3)
  expect(new Set(made.map(({ material }) => material)).size).toBe(3)
})

test('after 24 hours an Idempotency-Key is new again', async () => {
  const first = await post(KEYS, { labels: { day: '1' } }, 'key-6')
  service().deployment.clock.advance(24 * 3_600_000 - 60_000)
  token = await service().logIn()
  expect((await post(KEYS, { labels: { day: '1' } }, 'key-6')).bytes).toEqual(first.bytes)
  service().deployment.clock.advance(120_000)
  const second = await post(KEYS, { labels: { day: '1' } }, 'key-6')
  expect(second.status).toBe(201)
  expect(jsonOf(second).id).not.toBe(jsonOf(first).id)
  expect((await post(KEYS, { labels: { day: '1' } }, 'key-6')).bytes).toEqual(second.bytes)
})

test('log-ins and exports are never answered from a stored answer', async () => {
  const body = { name: 'admin', password: 'Correct-Horse-7' }
  const [one, two] = [await post('/v1/auth/tokens', body, 'key-7'), await post('/v1/auth/tokens', body, 'key-7')]
  expect(jsonOf(one).refresh_token_id).not.toBe(jsonOf(two).refresh_token_id)
  const made = await as('POST', KEYS, {})
  const path = `${KEYS}/${made.body.id}/export`
  expect((await post(path, {}, 'key-8')).status).toBe(200)
  expect((await as('PATCH', `${KEYS}/${made.body.id}`, { unexportable: true })).status).toBe(200)
  expect((await post(path, {}, 'key-8')).status).toBe(403)
})

test.each([
  ['empty', ''],
  ['129 characters', 'k'.repeat(129)],
  ['a blank', 'a b'],
  ['beyond ASCII', 'k\u00e9y'],
])('an Idempotency-Key of %s is refused: 400', async (_what, key) => {
  const before = await named('*')
  const refused = await post(KEYS, {}, key)
  expect(refused.status).toBe(400)
  expect(jsonOf(refused)).toMatchObject({ code: 1, errors: [{ parameter: 'Idempotency-Key' }] })
  expect(await named('*')).toBe(before)
})

test('a refused repetition leaves an audit record like every failed write', async () => {
  await post(KEYS, { name: 'recorded-1' }, 'key-recorded')
  const refused = await post(KEYS, { name: 'recorded-2' }, 'key-recorded')
  expect(refused.status).toBe(422)
  const request = refused.headers['x-request-id']
  const { body } = await as('GET', `/v1/audit/records?request_id=${String(request)}`)
  expect(body.resources).toHaveLength(1)
  expect(body.resources[0]).toMatchObject({ message: 'Create Key', success: false })
})
