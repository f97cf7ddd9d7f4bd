import { beforeEach, expect, test } from 'vitest'
import { refused, useKacls } from './kacls.ts'

const kacls = useKacls()

const stop = () => kacls().vault.service.deployment.kill('kacls')
/** Number of reads of key sets since the last reset of the simulator. */
const reads = () => kacls().suite.counts()

let endpoint: any
beforeEach(async () => {
  endpoint ??= await kacls().create()
  kacls().suite.reset()
})

test('known keys serve while key sets are unavailable', async () => {
  expect((await kacls().wrap(endpoint)).status).toBe(200)
  kacls().suite.inject({ fault: 'server-error' })
  expect((await kacls().wrap(endpoint)).status).toBe(200)
  kacls().vault.advance(2 * 3_600_000) // longer than a set is cached
  const fresh = await kacls().create()
  expect((await kacls().wrap(fresh)).status).toBe(200)
  await expect.poll(() => reads().jwks).toBeGreaterThan(0)
})

test.each([
  ['provider', 'jwks', 'server-error'],
  ['suite', 'keys', 'server-error'],
  ['provider', 'jwks', 'cut-before'],
  ['suite', 'keys', 'bad-json'],
  ['provider', 'jwks', 'hang'],
] as const)('without keys of the %s (%s, %s) a call is told to come again', async (_whose, operation, fault) => {
  await stop()
  const undo = kacls().suite.inject({ operation, fault })
  const headers = { origin: 'https://client-side-encryption.google.com' }
  const answered = await kacls().wrap(endpoint, undefined, { headers })
  expect(answered).toEqual(refused(503))
  expect(answered.headers).toMatchObject({ 'retry-after': '1', 'access-control-allow-origin': headers.origin })
  undo()
  kacls().vault.advance(1_001) // a failed read is not repeated at once
  expect((await kacls().wrap(endpoint)).status).toBe(200)
})

test('a call whose second token was junk ended the function when keys for the first could not be read', async () => {
  await stop()
  const undo = kacls().suite.inject({ operation: 'jwks', fault: 'server-error' })
  const answered = await kacls().wrap(endpoint, undefined, { authorization: 'junk' })
  expect(answered).toEqual(refused(401))
  await expect.poll(() => reads()).toMatchObject({ jwks: 1 })
  undo()
  kacls().vault.advance(1_001)
  expect((await kacls().wrap(endpoint)).status).toBe(200)
  const { logs } = kacls().vault.service.deployment
  expect(logs().filter(({ text }) => text.startsWith('crashed'))).toEqual([])
})
