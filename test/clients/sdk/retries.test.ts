import { expect, test } from 'vitest'
import { createKeymgr, type KeymgrOptions } from '../../../clients/sdk/client.ts'
import { ProblemError, UnreachableError } from '../../../clients/sdk/problem.ts'
import { ONCE } from '../../../clients/sdk/described.ts'
import { ROUTES } from '../../../infra/routes.ts'
import { closedPort } from '../../support/ports.ts'
import { countedTime, useRefusingServer, type Scripted } from './refusing-server.ts'
import { thrownBy } from './thrown-by.ts'

const serve = useRefusingServer()

async function against(script: readonly Scripted[], options: Partial<KeymgrOptions> = {}) {
  const server = await serve(...script)
  const timing = countedTime()
  return { ...server, timing, keymgr: createKeymgr({ baseUrl: server.baseUrl, timing, ...options }) }
}

const OK = { status: 200, body: { name: 'orders' } }
const path = { id: 'orders' }
const problem = (status: number, headers = {}): Scripted => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: { title: 'No', status, detail: 'Not now.' },
})
const gateway = (status: number): Scripted => ({ status, body: { message: 'Service Unavailable' } })

test.each<[string, Scripted]>([
  ['a throttled call', problem(429)],
  ['a call while the service is unavailable', problem(503)],
  ['a call that took too long', problem(504)],
  ['a fault of the gateway', gateway(502)],
  ['a connection that broke', 'cut'],
  ['an answer that broke off', 'cut within the body'],
])('%s is repeated', async (_what, scripted) => {
  const { keymgr, received, timing } = await against([scripted, scripted, OK])
  expect(await keymgr.get('/v1/vault/keys2/{id}', { path })).toEqual({ name: 'orders' })
  expect(received).toHaveLength(3)
  expect(timing.waits).toEqual([125, 250]) // half of 250 ms, half of 500 ms
})

test.each<[string, Scripted]>([
  ['a refusal', problem(422)],
  ['a fault of the service', problem(500)],
  ['a cloud that refuses its credentials', problem(502)],
  ['a refused token', problem(401)],
])('%s is not repeated', async (_what, scripted) => {
  const { keymgr, received } = await against([scripted, OK])
  expect(await thrownBy(keymgr.get('/v1/vault/keys2/{id}', { path }))).toMatchObject({
    attempts: 1,
    detail: 'Not now.',
  })
  expect(received).toHaveLength(1)
})

test('the fourth failure is thrown, with the number of attempts', async () => {
  const refused = await against([problem(503)])
  expect(await thrownBy(refused.keymgr.get('/v1/vault/keys2'))).toMatchObject({ kind: 'unavailable', attempts: 4 })
  const broken = await against(['cut'])
  const error = await thrownBy(broken.keymgr.get('/v1/vault/keys2'))
  expect(error).toBeInstanceOf(UnreachableError)
  expect(error).toMatchObject({ attempts: 4, cause: expect.any(Error) as Error })
})

test('Retry-After is honoured as seconds and as a date, with jitter on top', async () => {
  const date = { date: 'Mon, 04 May 2026 03:02:01 GMT', 'retry-after': 'Mon, 04 May 2026 03:02:11 GMT' }
  const { keymgr, timing } = await against([problem(429, { 'retry-after': '3' }), problem(503, date), OK])
  await keymgr.get('/v1/vault/keys2')
  expect(timing.waits).toEqual([3_125, 10_250])
})

test('a wait beyond the time limit is not begun', async () => {
  const { keymgr, timing } = await against([problem(429, { 'retry-after': '3600' })])
  expect(await thrownBy(keymgr.get('/v1/vault/keys2'))).toMatchObject({ kind: 'throttled', attempts: 1 })
  expect(timing.waits).toEqual([])
})

test('all attempts of a POST have one Idempotency-Key, and another POST has another', async () => {
  const { keymgr, received } = await against(['cut', problem(503), OK])
  const body = { name: 'orders', algorithm: 'aes' }
  await keymgr.post('/v1/vault/keys2', { body })
  await keymgr.post('/v1/vault/keys2', { body, headers: { 'Idempotency-Key': 'mine' } })
  await keymgr.post('/v1/vault/keys2', { body })
  const keys = received.map(({ headers }) => headers['idempotency-key'])
  expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]])
  expect(keys[3]).toBe('mine')
  expect(keys[4]).not.toBe(keys[0])
  expect(new Set(received.map((each) => each.body))).toEqual(new Set([JSON.stringify(body)]))
})

test('a POST whose answer is a secret is repeated only if it was turned away', async () => {
  const call = { path, body: {} }
  const cut = await against(['cut', OK])
  expect(await thrownBy(cut.keymgr.post('/v1/vault/keys2/{id}/export', call))).toBeInstanceOf(UnreachableError)
  const down = await against([problem(503), OK])
  expect(await thrownBy(down.keymgr.post('/v1/vault/keys2/{id}/export', call))).toBeInstanceOf(ProblemError)
  const throttled = await against([problem(429), OK])
  await throttled.keymgr.post('/v1/vault/keys2/{id}/export', call)
  for (const { received } of [cut, down, throttled]) expect(received[0]?.headers).not.toHaveProperty('idempotency-key')
  expect([cut, down, throttled].map(({ received }) => received.length)).toEqual([1, 1, 2])
})

test('a PATCH is repeated after a lost answer only with If-Match, PUT and DELETE always', async () => {
  const patch = { path, body: { labels: {} } }
  const alone = await against(['cut', OK])
  expect(await thrownBy(alone.keymgr.patch('/v1/vault/keys2/{id}', patch))).toBeInstanceOf(UnreachableError)
  const bound = await against(['cut', problem(412)])
  const matched = bound.keymgr.patch('/v1/vault/keys2/{id}', { ...patch, headers: { 'If-Match': '"1"' } })
  expect(await thrownBy(matched)).toMatchObject({ kind: 'stale', attempts: 2 })
  const gone = await against(['cut', OK])
  await gone.keymgr.delete('/v1/vault/keys2/{id}', { path })
  expect([alone, bound, gone].map(({ received }) => received.length)).toEqual([1, 2, 2])
})

test('a connection that was never established is tried again for any call', async () => {
  const timing = countedTime()
  const keymgr = createKeymgr({ baseUrl: `http://127.0.0.1:${await closedPort()}/api`, timing })
  const error = await thrownBy(keymgr.patch('/v1/vault/keys2/{id}', { path, body: {} }))
  expect(error).toMatchObject({ attempts: 4, message: expect.stringContaining('ECONNREFUSED') as string })
})

test('an attempt without an answer ends, and a call has retries of its own', async () => {
  const { keymgr, received } = await against(['silence', OK])
  const init = { path, retries: { attemptMs: 50 } }
  expect(await keymgr.get('/v1/vault/keys2/{id}', init)).toEqual({ name: 'orders' })
  expect(received).toHaveLength(2)
  const once = await against(['cut', OK])
  expect(await thrownBy(once.keymgr.get('/v1/vault/keys2', { retries: { attempts: 1 } }))).toMatchObject({
    attempts: 1,
  })
})

test('a signal ends a call while it waits, and while it asks for a token', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const { baseUrl, received } = await serve(problem(503))
  const waiting = createKeymgr({
    baseUrl,
    timing: {
      ...countedTime(),
      wait: (_ms, signal) => {
        controller.abort(reason)
        signal?.throwIfAborted()
        return Promise.resolve()
      },
    },
  })
  expect(await thrownBy(waiting.get('/v1/vault/keys2', { signal: controller.signal }))).toBe(reason)
  expect(received).toHaveLength(1)
  const asking = createKeymgr({ baseUrl, token: () => new Promise(() => undefined) })
  const later = new AbortController()
  const ended = thrownBy(asking.get('/v1/vault/keys2', { signal: later.signal }))
  later.abort(reason)
  expect(await ended).toBe(reason)
})

test('a refused token is replaced once, and the call repeated', async () => {
  const { baseUrl, received } = await serve(problem(401), OK, problem(401), problem(401))
  const asked: (string | undefined)[] = []
  const token = (refused?: string): string => {
    asked.push(refused)
    return refused === undefined ? 'old' : 'new'
  }
  const keymgr = createKeymgr({ baseUrl, token })
  await keymgr.post('/v1/auth/logout')
  expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new'])
  expect(await thrownBy(keymgr.get('/v1/vault/keys2'))).toMatchObject({ kind: 'unauthenticated' })
  expect(asked).toEqual([undefined, 'old', undefined, 'old'])
})

test('a token of the call itself wins, and paths below the host get no other', async () => {
  const { baseUrl, received } = await serve(problem(401))
  const keymgr = createKeymgr({ baseUrl, token: () => 'mine' })
  const theirs = { headers: { authorization: 'Bearer theirs' } }
  await thrownBy(keymgr.request('get', '/platform/api/v1/service_instances', theirs))
  await thrownBy(keymgr.get('/platform/api/v1/service_instances'))
  await thrownBy(keymgr.get('/v1/vault/keys2', theirs))
  expect(received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/platform/api/v1/service_instances', 'Bearer theirs'],
    ['/platform/api/v1/service_instances', undefined],
    ['/api/v1/vault/keys2', 'Bearer theirs'],
  ])
})

test('the POSTs that take no key and change something are those of the service', () => {
  const changing = ROUTES.filter(({ method, operation: { declaration } }) => {
    const { once, reads } = declaration
    return method === 'POST' && once === true && reads !== true
  })
  // revoking has the same effect twice as once
  const expected = changing.map((route) => route.path).filter((each) => each !== '/v1/auth/revoke')
  expect(ONCE.toSorted()).toEqual(expected.toSorted())
})
