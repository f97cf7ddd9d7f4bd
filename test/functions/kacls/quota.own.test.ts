import { expect, test } from 'vitest'
import { BOB, refused, useKacls } from './kacls.ts'

const kacls = useKacls({ environment: { KEYMGR_KACLS_CALLS_PER_SECOND: '0.01' } })

test('a person above the quota of an endpoint must retry later, and others are not affected', async () => {
  const endpoint = await kacls().create()
  expect((await kacls().wrap(endpoint)).status).toBe(200)
  const throttled = await kacls().wrap(endpoint, undefined, {
    headers: { origin: 'https://client-side-encryption.google.com' },
  })
  expect(throttled).toEqual(refused(429))
  expect(throttled.headers['retry-after']).toBe('1')
  expect(throttled.headers['access-control-allow-origin']).toBe('https://client-side-encryption.google.com')
  expect((await kacls().wrap(endpoint, undefined, { email: BOB })).status).toBe(200)
  expect((await kacls().wrap(await kacls().create())).status).toBe(200)
})

test('calls without a token are counted by their address, and calls of the migration by its issuer', async () => {
  const endpoint = await kacls().create()
  expect((await kacls().get(endpoint, 'status')).status).toBe(200)
  expect(await kacls().get(endpoint, 'status')).toEqual(refused(429))
  const wrapped_key = await kacls().wrapped(endpoint)
  expect((await kacls().migration(endpoint, 'digest', 'verifier', { wrapped_key })).status).toBe(200)
  expect(await kacls().migration(endpoint, 'digest', 'verifier', { wrapped_key })).toEqual(refused(429))
})

test('refused tokens use no quota', async () => {
  const endpoint = await kacls().create()
  for (let call = 0; call < 3; call++)
    expect(await kacls().wrap(endpoint, undefined, { authorization: 'a.b.c' })).toEqual(refused(401))
  expect((await kacls().wrap(endpoint)).status).toBe(200)
})
