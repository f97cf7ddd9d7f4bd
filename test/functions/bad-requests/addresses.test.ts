import { expect, test } from 'vitest'
import { raw } from '../../support/raw.ts'
import { KEYS, useRequests } from './requests.ts'

const { service, as } = useRequests()

test.each([
  ['/v1/nothing/here'],
  ['/v1/vault'],
  ['/v1/vault/keys3'],
  ['/v1/vault/keys2/a/b/c'],
  ['/v2/vault/keys2'],
  ['/v1/VAULT/keys2'],
  ['/v1/vault//keys2'],
  ['/'],
])('the unknown path %s is answered with 404 in our form', async (path) => {
  const { status, body, headers } = await as('GET', path)
  expect(status).toBe(404)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body).toMatchObject({ code: 5, title: 'Not Found' })
})

test.each([
  ['PUT', KEYS, 'GET, POST'],
  ['PATCH', KEYS, 'GET, POST'],
  ['POST', `${KEYS}/some`, 'GET, PATCH, DELETE'],
  ['GET', `${KEYS}/some/export`, 'POST'],
  ['DELETE', '/v1/audit/records', 'GET'],
  ['POST', '/v1/openapi.json', 'GET'],
  ['OPTIONS', KEYS, 'GET, POST'],
  ['TRACE', KEYS, 'GET, POST'],
])('%s %s is answered with 405 and the allowed methods', async (method, path, allow) => {
  const { status, headers, bytes } = await raw(service().deployment.baseUrl, { method, target: `/api${path}` })
  expect(status).toBe(405)
  expect(headers.allow?.split(', ').sort()).toEqual(allow.split(', ').sort())
  expect(JSON.parse(bytes.toString())).toMatchObject({ status: 405, code: 6 })
})

test.each([
  ['/v1/vault/keys3', 'did you mean /api/v1/vault/keys2?'],
  ['/v1/vault/keys2/a/exprt', 'did you mean /api/v1/vault/keys2/{id}/export?'],
  ['/v1/vault/keys2/a/rotate', 'did you mean /api/v1/vault/keys2/{id}/versions?'],
  ['/v1/vault/nothing-like-it', 'There is nothing at this address. GET /api/v1/openapi.json'],
  ['/v1/valt/keys2', 'GET /api/v1/openapi.json describes every call.'],
])('an unknown address gets a suggestion: %s', async (path, words) => {
  const { status, body } = await as('POST', path, {})
  expect(status).toBe(404)
  expect(body.detail).toContain(words)
})

test.each(['vault/keys2/a/revok', 'vault/keys2/a/destory', 'keymgr/cloud-a/keys/a/delete-materials'])(
  '%s points to nothing that ends, stops or removes something',
  async (path) => {
    const { status, body } = await as('POST', `/v1/${path}`, {})
    expect(status).toBe(404)
    expect(body.detail).not.toMatch(/revoke|destroy|delete/)
  },
)

test('an id of another form names the list that finds it by a name', async () => {
  const { status, body } = await as('GET', '/v1/domains/mine')
  expect(status).toBe(400)
  expect(body.detail).toContain('GET /api/v1/domains?name=… finds it by its name')
})

test('the refusals of a missing, a malformed and an expired token differ', async () => {
  const detail = async (authorization?: string): Promise<string> => {
    const headers = authorization === undefined ? {} : { authorization }
    return (await service().call('GET', '/v1/domain', { headers })).body.detail as string
  }
  expect(await detail()).toContain('This call needs a token')
  expect(await detail('Bearer garbage')).toContain('does not hold a token of ours')
  expect(await detail('Bearer a.b.c')).toContain('is not one of ours')
})

test('an audit record has an ETag', async () => {
  const { body } = await as('GET', '/v1/audit/records?limit=1')
  const { headers } = await as('GET', `/v1/audit/records/${body.resources[0].id as string}`)
  expect(headers.get('etag')).toBe('"1"')
})
