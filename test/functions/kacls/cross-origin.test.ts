import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { CALLS } from './calls.ts'
import { BOB, refused, useKacls, type KaclsAnswer } from './kacls.ts'

const kacls = useKacls()
const SUITE = 'https://client-side-encryption.google.com'
const PARTNER = 'https://documents.example.test'

let endpoint: any
let open: any
beforeAll(async () => {
  endpoint = await kacls().create()
  open = await kacls().create({ cors: [PARTNER] })
})

/** The headers that a browser checks. */
const judged = ({ headers }: KaclsAnswer) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary'))

const preflight = (of: any, call: string, origin: string | undefined, asked?: string) =>
  kacls().send('OPTIONS', kacls().at(of, call), undefined, {
    ...(origin !== undefined && { origin }),
    'access-control-request-method': CALLS[call],
    ...(asked !== undefined && { 'access-control-request-headers': asked }),
  })

const granted = (origin: string, headers = 'content-type') => ({
  'access-control-allow-origin': origin,
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': headers,
  'access-control-max-age': '3600',
  vary: 'Origin',
})

test('a page of the suite may call every operation, and the answer lists the permitted headers', async () => {
  for (const call of Object.keys(CALLS)) {
    const answered = await preflight(endpoint, call, SUITE)
    expect([answered.status, answered.text], call).toEqual([204, ''])
    expect(judged(answered), call).toEqual(granted(SUITE))
  }
})

test('pages may also send harmless headers, and no others', async () => {
  const asked = 'Content-Type, X-Requested-With, Authorization, Accept-Language, Cookie, X-Else'
  expect(judged(await preflight(endpoint, 'wrap', SUITE, asked))).toEqual(
    granted(SUITE, 'content-type, accept-language, x-requested-with'),
  )
})

test('endpoints may list further origins, whose pages may then call', async () => {
  expect(judged(await preflight(open, 'wrap', PARTNER))).toEqual(granted(PARTNER))
  expect(judged(await preflight(open, 'wrap', SUITE))).toEqual(granted(SUITE))
  expect(judged(await preflight(endpoint, 'wrap', PARTNER))).toEqual({ vary: 'Origin' })
})

test.each([
  'https://else.example.test',
  'http://client-side-encryption.google.com',
  'https://client-side-encryption.google.com.example.test',
  'https://client-side-encryption.google.com:8443',
  'https://CLIENT-SIDE-ENCRYPTION.google.com',
  'null',
  '*',
  undefined,
])('a page of %s gets no permission, and the tokens decide about its call', async (origin) => {
  const asked = await preflight(open, 'wrap', origin)
  expect([asked.status, asked.text, judged(asked)]).toEqual([204, '', { vary: 'Origin' }])
  const called = await kacls().wrap(open, undefined, { headers: { ...(origin !== undefined && { origin }) } })
  expect([called.status, judged(called)]).toEqual([200, { vary: 'Origin' }])
})

test('a preflight request is neither counted nor recorded', async () => {
  const own = await kacls().create()
  await kacls().get(own, 'status')
  await kacls().lines(1, { endpoint: own.id }) // lines of a function arrive in their order
  const { length: before } = await kacls().lines({ atLeast: 1 }, {})
  await preflight(own, 'wrap', SUITE)
  await kacls().get(own, 'status')
  await kacls().lines(2, { endpoint: own.id })
  await kacls().lines(before + 1, {})
})

const PAGE = { origin: SUITE }
const READABLE = { 'access-control-allow-origin': SUITE, vary: 'Origin' }

test.each<[string, number, () => Promise<KaclsAnswer>]>([
  ['success', 200, () => kacls().wrap(endpoint, undefined, { headers: PAGE })],
  ['status', 200, () => kacls().get(endpoint, 'status', PAGE)],
  ['fault in the body', 400, () => kacls().wrap(endpoint, '', { headers: PAGE })],
  ['refused token', 401, () => kacls().wrap(endpoint, undefined, { headers: PAGE, authorization: 'a.b.c' })],
  ['refused user', 403, () => kacls().wrap(endpoint, undefined, { headers: PAGE, what: { email: BOB } })],
  [
    'unknown endpoint',
    404,
    () =>
      kacls().send(
        'POST',
        kacls()
          .at(endpoint, 'wrap')
          .replace(endpoint.id as string, randomUUID()),
        {},
        PAGE,
      ),
  ],
  [
    'name that is no id',
    404,
    () =>
      kacls().send(
        'GET',
        kacls()
          .at(endpoint, 'status')
          .replace(/[^/]+\/status/, 'x/status'),
        undefined,
        PAGE,
      ),
  ],
  ['wrong method', 405, () => kacls().get(endpoint, 'wrap', PAGE)],
  [
    'large body',
    413,
    () => kacls().call(endpoint, 'wrap', { key: 'AAAA', more: 'x'.repeat(65_536) }, { headers: PAGE }),
  ],
])('pages of the suite can read the answer to a call: %s', async (_what, status, send) => {
  const answered = await send()
  expect(answered.status).toBe(status)
  expect(judged(answered)).toEqual(READABLE)
  expect(answered.headers['content-type']).toBe('application/json')
  expect(answered.headers['cache-control']).toBe('no-store')
  if (status >= 400) expect(answered).toEqual(refused(status))
})
