import { beforeAll, expect, test } from 'vitest'
import { ADA, BOB, ENDPOINTS, RESOURCE, useKacls } from './kacls.ts'
import { expectRefused } from '../vault/vault.ts'

const kacls = useKacls()

/** A perimeter that allows everything except one user. */
const without = (email: string): string => `package shop
default allow := false
allow if {
  lower(input.authentication.email) == lower(input.authorization.email)
  lower(input.authentication.email) != "${email}"
}`

/** Waits until the calls to an endpoint are recorded. */
async function delivered({ id }: any, calls: number): Promise<void> {
  await kacls().lines(calls, { endpoint: id })
  await kacls().vault.service.deployment.logsDelivered()
}

let endpoint: any
beforeAll(async () => {
  endpoint = await kacls().create()
  const blob = await kacls().wrapped(endpoint)
  expect((await kacls().unwrap(endpoint, blob)).status).toBe(200)
  expect((await kacls().unwrap(endpoint, blob, { email: BOB })).status).toBe(200)
  expect((await kacls().unwrap(endpoint, blob, { what: { role: 'signer' } })).status).toBe(403)
  await delivered(endpoint, 4)
})

const replay = (body: object) =>
  kacls().vault.admin.call('POST', `${ENDPOINTS}/${endpoint.id as string}/perimeters/replay`, body)

test('the saved perimeter decides as it did', async () => {
  const { status, body } = await replay({})
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { calls: 3, unchanged: 3, would_allow: 0, would_refuse: 0, complete: true, changes: [] },
  })
  expect(Date.parse(body.to) - Date.parse(body.from)).toBe(7 * 86_400_000)
})

test('a trial of an unsaved text lists the calls that it would refuse', async () => {
  const { body } = await replay({ perimeter: without(BOB) })
  expect(body).toMatchObject({ calls: 3, unchanged: 2, would_allow: 0, would_refuse: 1, reads_claims: false })
  const call = { operation: 'unwrap', email: BOB, authorization_email: BOB, resource_name: RESOURCE, perimeter_id: '' }
  expect(body.changes).toEqual([
    { ...call, record_id: expect.any(String), at: expect.any(String), was: 'allowed', would_be: 'refused' },
  ])
  const shown = await kacls().vault.admin.ok('GET', `/v1/audit/records/${body.changes[0].record_id as string}`)
  expect(shown).toMatchObject({ username: BOB, message: 'KACLS endpoint unwrap' })
  expect(await kacls().vault.admin.ok('GET', `${ENDPOINTS}/${endpoint.id as string}/perimeters`)).toContain('takeout')
})

test('a trial of another perimeter shows that it would allow refused calls', async () => {
  const strict = await kacls().create()
  await kacls().put(strict.id, 'perimeters', without(ADA))
  const { status } = await kacls().wrap(strict)
  expect(status).toBe(403)
  await delivered(strict, 1)
  const { body } = await kacls().vault.admin.call('POST', `${ENDPOINTS}/${strict.id as string}/perimeters/replay`, {
    perimeter: without(BOB),
  })
  expect(body).toMatchObject({
    calls: 1,
    would_allow: 1,
    changes: [{ was: 'refused', would_be: 'allowed', email: ADA }],
  })
})

test('a trial reports a text that reads unknown claims, and the code of a failure', async () => {
  const { body } = await replay({ perimeter: 'package shop\nallow if input.authentication.claims.hd == "shop"' })
  expect(body).toMatchObject({ reads_claims: true, would_refuse: 3 })
  const failing = await replay({ perimeter: 'package shop\nallow if 1 / count(input.perimeter_id) > 0' })
  expect(failing.body.changes[0]).toMatchObject({ would_be: 'refused' })
})

test('a text with a slow decision does not delay other requests', async () => {
  const own = await kacls().create()
  await Promise.all(Array.from({ length: 20 }, () => kacls().wrap(own)))
  await delivered(own, 20)
  const done = new AbortController()
  const slow = `package shop
allow if count({[x, y] | some x in numbers.range(1, 1000); some y in numbers.range(1, 1000)}) == 1`
  const replayed = kacls()
    .vault.admin.call('POST', `${ENDPOINTS}/${own.id as string}/perimeters/replay`, { perimeter: slow })
    .finally(() => done.abort())
  let slowestMs = 0
  const startedMs = performance.now()
  for (let from = startedMs; !done.signal.aborted; from = performance.now()) {
    await kacls().get(own, 'nonsense') // runs on the same function, without a table call
    slowestMs = Math.max(slowestMs, performance.now() - from)
  }
  expect((await replayed).body).toMatchObject({ calls: 20, would_refuse: 20, complete: true })
  expect(slowestMs).toBeLessThan((performance.now() - startedMs) / 3)
})

test.each([
  ['a text that does not compile', { perimeter: 'package shop\nallow if {' }, '#/perimeter'],
  ['no days', { days: 0 }, '#/days'],
  ['more days than records show', { days: 32 }, '#/days'],
])('%s is refused', async (_what, body, pointer) => {
  const { status, body: problem } = await replay(body)
  expect(status).toBe(422)
  expect(JSON.stringify(problem)).toContain(pointer)
})

test('an unknown endpoint has no calls', async () => {
  const id = '01890000-0000-7000-8000-000000000000'
  expectRefused(await kacls().vault.admin.call('POST', `${ENDPOINTS}/${id}/perimeters/replay`, {}), 404, 5)
})
