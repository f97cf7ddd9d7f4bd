import { beforeAll, expect, test } from 'vitest'
import { createKeymgr, type Keymgr } from '../../../clients/sdk/client.ts'
import { isProblem, ProblemError, UnreachableError } from '../../../clients/sdk/problem.ts'
import { closedPort } from '../../support/ports.ts'
import { useService } from '../../support/service.ts'
import { useRefusingServer } from './refusing-server.ts'
import { thrownBy } from './thrown-by.ts'

const service = useService()
const serve = useRefusingServer()
let baseUrl = ''
let keymgr: Keymgr
beforeAll(async () => {
  baseUrl = `${service().deployment.baseUrl}/api`
  const token = await service().logIn()
  keymgr = createKeymgr({ baseUrl, token: () => token })
})

test('a key is created, read, changed and deleted by typed calls', async () => {
  const made = await keymgr.post('/v1/vault/keys2', { body: { name: 'orders / 1', algorithm: 'aes' } })
  expect(made).toMatchObject({ name: 'orders / 1', state: 'Active' })
  const path = { id: made.id }
  await keymgr.patch('/v1/vault/keys2/{id}', { path, body: { labels: { team: 'shop' } } })
  expect((await keymgr.get('/v1/vault/keys2/{id}', { path })).labels).toEqual({ team: 'shop' })
  const { total } = await keymgr.get('/v1/vault/keys2', { query: { name: ['orders*'], state: ['Active'] } })
  expect(total).toBe(1)
  await keymgr.post('/v1/vault/keys2/{id}/revoke', { path, body: { reason: 'CessationOfOperation' } })
  await keymgr.post('/v1/vault/keys2/{id}/destroy', { path })
  expect(await keymgr.delete('/v1/vault/keys2/{id}', { path })).toEqual({ status: 204 })
})

test('a refusal has kind, code and every broken field', async () => {
  const error = await thrownBy(keymgr.post('/v1/vault/keys2', { body: { name: 'a'.repeat(300), size: 7 } }))
  expect(error).toBeInstanceOf(ProblemError)
  const { kind, status, code, codeDesc, traceId, errors, message } = error as ProblemError
  expect({ kind, status }).toEqual({ kind: 'invalid', status: 422 })
  expect(code).toBeTypeOf('number')
  expect(codeDesc).toBeTypeOf('string')
  expect(traceId).toBeTypeOf('string')
  expect(errors.map(({ pointer }) => pointer)).toContain('#/name')
  expect(message).toContain('#/name')
})

test.each([
  ['not-found', 404, () => keymgr.get('/v1/vault/keys2/{id}', { path: { id: 'none' } })],
  ['unauthenticated', 401, () => createKeymgr({ baseUrl }).get('/v1/vault/keys2')],
  ['unauthenticated', 401, () => createKeymgr({ baseUrl, token: () => 'none' }).get('/v1/vault/keys2')],
  ['invalid', 400, () => keymgr.request('get', '/v1/vault/keys2', { query: { limt: 3 } })],
  ['not-found', 404, () => keymgr.request('get', '/v1/nothing')],
] as const)('a refused call is %s (%i)', async (kind, status, call) => {
  const error = await thrownBy(call())
  expect(error).toMatchObject({ kind, status })
  expect(isProblem(error, kind)).toBe(true)
  expect(isProblem(error, 'too-slow')).toBe(false)
})

test('an untyped call answers status and headers as well', async () => {
  const { status, headers, body } = await keymgr.request('get', '/v1/vault/keys2/{id}', {
    path: { id: (await keymgr.post('/v1/vault/keys2', { body: { name: 'tagged', algorithm: 'aes' } })).id },
  })
  expect({ status, body }).toMatchObject({ status: 200, body: { name: 'tagged' } })
  expect(headers.get('etag')).toBeTruthy()
})

test('paths below the host itself are found there', async () => {
  const { keys } = await keymgr.get('/.well-known/jwks.json')
  expect(keys.length).toBeGreaterThan(0)
})

test.each([
  ['/.well-known/jwks.json', '/.well-known/jwks.json'],
  ['/v1/vault/keys2', '/api/v1/vault/keys2'],
] as const)('a page that says /api alone calls %s at %s of its host', async (path, address) => {
  const error = await thrownBy(createKeymgr({ baseUrl: '/api' }).get(path))
  expect((error as Error).cause).toMatchObject({ code: 'ERR_INVALID_URL', input: address }) // Node has no page host
})

test('answers that are not JSON are text', async () => {
  const token = await service().root.logIn()
  expect(await createKeymgr({ baseUrl, token: () => token }).get('/v1/system/metrics')).toContain('# TYPE')
})

test('no answer is an error of its own', async () => {
  const nowhere = createKeymgr({ baseUrl: `http://127.0.0.1:${await closedPort()}/api`, retries: { attempts: 1 } })
  const error = await thrownBy(nowhere.get('/v1/vault/keys2'))
  expect(error).toBeInstanceOf(UnreachableError)
  expect((error as UnreachableError).cause).toBeInstanceOf(Error)
})

test('a call ends with the reason of its signal', async () => {
  const reason = new Error('enough')
  const signal = AbortSignal.abort(reason)
  expect(await thrownBy(keymgr.get('/v1/vault/keys2', { signal }))).toBe(reason)
})

test.each(['', '.', '..', '?', 'a?b'])(
  'a path value %j, which leads elsewhere, is refused and nothing is sent',
  async (value) => {
    const { baseUrl, received } = await serve({ status: 204 })
    const path = { name: 'operators', user_id: value }
    const call = createKeymgr({ baseUrl }).delete('/v1/usermgmt/groups/{name}/users/{user_id}', { path })
    const error = await thrownBy(call)
    expect(error).toBeInstanceOf(TypeError)
    expect((error as TypeError).message).toContain('user_id')
    expect(received).toEqual([])
  },
)

test('dots within a path value are part of a name', async () => {
  const { baseUrl, received } = await serve({ status: 204 })
  for (const id of ['...', 'a/..', '%2e%2e'])
    await createKeymgr({ baseUrl }).request('delete', '/v1/keys/{id}', { path: { id } })
  expect(received.map(({ url }) => url)).toEqual(['...', 'a%2F..', '%252e%252e'].map((id) => `/api/v1/keys/${id}`))
})

test('a base address ends in /api', () => {
  expect(() => createKeymgr({ baseUrl: 'http://127.0.0.1' })).toThrow(TypeError)
  expect(() => createKeymgr({ baseUrl: 'http://127.0.0.1/api/' })).not.toThrow()
})

test('bodies of other media types are sent as they are', async () => {
  const { baseUrl, received } = await serve({ status: 200 })
  const raw = createKeymgr({ baseUrl })
  const path = '/v1/keymgr/WorkspaceCSE/endpoints/{id}/perimeters'
  const text = { path: { id: 'a' }, body: 'package mine', headers: { 'Content-Type': 'text/plain' } }
  await raw.request('put', path, text)
  await raw.request('put', path, { ...text, body: new TextEncoder().encode('bytes') })
  await raw.request('post', '/platform/auth/oauth/v1/token', {
    body: { grant_type: 'client_credentials' },
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  })
  await raw.request('put', path, { ...text, headers: {} })
  expect(received.map(({ body, headers }) => [headers['content-type'], body])).toEqual([
    ['text/plain', 'package mine'],
    ['text/plain', 'bytes'],
    ['application/x-www-form-urlencoded', 'grant_type=client_credentials'],
    ['application/json', '"package mine"'],
  ])
})
