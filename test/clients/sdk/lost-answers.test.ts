import { beforeAll, expect, test } from 'vitest'
import { createKeymgr, type Keymgr } from '../../../clients/sdk/client.ts'
import { useService } from '../../support/service.ts'
import { countedTime } from './refusing-server.ts'
import { thrownBy } from './thrown-by.ts'

/** The service accepts every call, but the first answer of each `losing` client is lost. */
const service = useService()
let token = ''
let steady: Keymgr
beforeAll(async () => {
  token = await service().logIn()
  steady = createKeymgr({ baseUrl: `${service().deployment.baseUrl}/api`, token: () => token })
})

function losing(): Keymgr {
  let isLost = false
  return createKeymgr({
    baseUrl: `${service().deployment.baseUrl}/api`,
    token: () => token,
    timing: countedTime(),
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (isLost) return response
      isLost = true
      await response.arrayBuffer()
      throw new TypeError('the connection broke')
    },
  })
}

const made = (name: string) => steady.post('/v1/vault/keys2', { body: { name, algorithm: 'aes' } })
const totalOf = async (name: string): Promise<number> =>
  (await steady.get('/v1/vault/keys2', { query: { name: [name] } })).total

test('a key is created once, and its first answer is given again', async () => {
  const { id } = await losing().post('/v1/vault/keys2', { body: { name: 'once', algorithm: 'aes' } })
  expect(await totalOf('once')).toBe(1)
  expect((await steady.get('/v1/vault/keys2/{id}', { path: { id: 'once' } })).id).toBe(id)
})

test('a rotation makes one version', async () => {
  await made('rotated')
  const next = await losing().post('/v1/vault/keys2/{id}/versions', { path: { id: 'rotated' }, body: {} })
  const { total } = await steady.get('/v1/vault/keys2/{id}/versions', { path: { id: 'rotated' } })
  expect([next.version, total]).toEqual([1, 2])
})

test('a change that is bound to a record is applied once, and its repeat is stale', async () => {
  const { id } = await made('changed')
  const { headers } = await steady.request('get', '/v1/vault/keys2/{id}', { path: { id } })
  const change = losing().patch('/v1/vault/keys2/{id}', {
    path: { id },
    body: { description: 'new' },
    headers: { 'If-Match': headers.get('etag') ?? '' },
  })
  expect(await thrownBy(change)).toMatchObject({ kind: 'stale', attempts: 2 })
  expect(await steady.get('/v1/vault/keys2/{id}', { path: { id } })).toMatchObject({ description: 'new' })
})

test('a change that is bound to nothing is not repeated', async () => {
  const { id } = await made('changed once')
  const change = losing().patch('/v1/vault/keys2/{id}', { path: { id }, body: { description: 'new' } })
  expect(await thrownBy(change)).toMatchObject({ name: 'UnreachableError', attempts: 1 })
})

test('a deletion that is repeated finds nothing', async () => {
  const { id } = await steady.post('/v1/vault/templates', { body: { name: 'gone', algorithm: 'aes' } })
  const deleted = losing().delete('/v1/vault/templates/{id}', { path: { id } })
  expect(await thrownBy(deleted)).toMatchObject({ kind: 'not-found', attempts: 2 })
})

test('an export is not repeated: its answer is a secret that the service does not keep', async () => {
  const { id } = await made('exported')
  const exported = losing().post('/v1/vault/keys2/{id}/export', { path: { id }, body: {} })
  expect(await thrownBy(exported)).toMatchObject({ name: 'UnreachableError', attempts: 1 })
})
