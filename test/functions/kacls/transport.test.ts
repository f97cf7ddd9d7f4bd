import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { CALLS } from './calls.ts'
import { refused, useKacls } from './kacls.ts'

const kacls = useKacls()

let endpoint: any
beforeAll(async () => {
  endpoint = await kacls().create()
})

test('status needs no token, and lists the calls of this endpoint', async () => {
  const { status, body, headers } = await kacls().get(endpoint, 'status')
  expect([status, headers['content-type']]).toEqual([200, 'application/json'])
  expect(body).toEqual({
    server_type: 'KACLS',
    vendor_id: expect.stringMatching(/./),
    version: expect.stringMatching(/./),
    operations_supported: expect.any(Array),
  })
  const names = body.operations_supported as string[]
  expect(names.filter((name) => /_/.test(name))).toEqual([]) // other names of a call
  expect(names).toEqual(expect.arrayContaining(Object.keys(CALLS).filter((name) => !name.includes('_'))))
  for (const name of names) {
    const answered = await kacls().send(
      CALLS[name] ?? 'POST',
      kacls().at(endpoint, name),
      CALLS[name] === 'GET' ? undefined : {},
    )
    expect([200, 400, 401], name).toContain(answered.status)
  }
})

test('certs are public halves, which other services may keep for five minutes', async () => {
  const { status, body, headers } = await kacls().get(endpoint, 'certs')
  expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=300'])
  expect(body).toEqual({
    keys: [{ kty: 'RSA', n: expect.any(String), e: 'AQAB', use: 'sig', alg: 'RS256', kid: expect.any(String) }],
  })
})

test('certs contain the old and the new key while keys change', async () => {
  const own = await kacls().create()
  const before = (await kacls().get(own, 'certs')).body.keys
  expect((await kacls().act(own.id, 'rotate-key')).status).toBe(200)
  kacls().letPass()
  const { keys } = (await kacls().get(own, 'certs')).body
  expect(keys).toHaveLength(2)
  expect(keys[1]).toEqual(before[0])
  kacls().vault.advance(2 * 3_600_000)
  expect((await kacls().get(own, 'certs')).body.keys).toEqual([keys[0]])
})

test('each call has one method, which a refusal names', async () => {
  for (const [call, method] of Object.entries(CALLS))
    for (const other of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].filter((one) => one !== method)) {
      const answered = await kacls().send(other, kacls().at(endpoint, call), other === 'GET' ? undefined : {})
      expect(answered, `${other} ${call}`).toEqual(refused(405))
      expect(answered.headers.allow, call).toBe(method)
    }
})

test('unknown names are not found, and names are matched exactly', async () => {
  for (const word of ['nonsense', 'Wrap', 'WRAP', 'constructor', 'wrap%2F', 'toString'])
    expect((await kacls().send('POST', kacls().at(endpoint, word), {})).status, word).toBe(404)
})

test('a deleted endpoint does not exist any longer', async () => {
  const own = await kacls().create()
  expect((await kacls().get(own, 'status')).status).toBe(200)
  await kacls().vault.admin.ok('DELETE', `/v1/keymgr/WorkspaceCSE/endpoints/${own.id as string}`)
  kacls().letPass()
  expect(await kacls().get(own, 'status')).toEqual(refused(404))
})

test('privilegedunwrap answers under its former names too', async () => {
  const own = await kacls().create()
  await kacls().change(own, { allow_privileged_unwrap: true })
  kacls().letPass()
  const key = randomBytes(32)
  const wrapped_key = await kacls().wrapped(own, key)
  for (const call of ['privilegedunwrap', 'takeout_unwrap', 'privileged_unwrap']) {
    const { status, body } = await kacls().privileged(own, call, { wrapped_key })
    expect([status, body], call).toEqual([200, { key: key.toString('base64') }])
  }
  await kacls().lines(3, { endpoint: own.id, operation: 'privilegedunwrap' })
})

test.each(['text/plain', 'text/plain;charset=UTF-8', 'application/json; charset=utf-8', 'application/octet-stream'])(
  'a body of type %s is read as JSON',
  async (type) => {
    const key = randomBytes(32).toString('base64')
    expect((await kacls().wrap(endpoint, key, { headers: { 'content-type': type } })).status).toBe(200)
  },
)

test('members that a call does not know are ignored', async () => {
  const members = { key: 'AAAA', perimeter_id: 7, resource_name: null, nested: { key: [] }, wrapped_key: false }
  expect((await kacls().call(endpoint, 'wrap', members)).status).toBe(200)
})

test('a body that is no JSON object is refused', async () => {
  for (const body of ['', '{', '[]', '"text"', 'null', '7', '{"key":"AAAA",}'])
    expect(await kacls().send('POST', kacls().at(endpoint, 'wrap'), body), body).toEqual(refused(400))
})

test.each([
  ['absent', null],
  ['empty', ''],
  ['plain text', 'import'],
  ['of 1,024 bytes', 'r'.repeat(1_024)],
  ['of 1,024 bytes in other letters', 'ä'.repeat(512)],
])('a reason that is %s is taken', async (_what, reason) => {
  expect((await kacls().wrap(endpoint, undefined, { reason })).status).toBe(200)
})

test.each([
  ['of 1,025 bytes', 'r'.repeat(1_025)],
  ['of 513 letters with two bytes each', 'ä'.repeat(513)],
  ['that is an object', { why: 'because' }],
])('a reason %s is refused', async (_what, reason) => {
  expect(await kacls().wrap(endpoint, undefined, { reason })).toEqual(refused(400))
})
