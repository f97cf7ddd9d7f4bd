import { beforeEach, expect, test } from 'vitest'
import { issuerKey, mint } from '../../support/issuer.ts'
import { claimsOf } from './forgeries.ts'
import { refused, useKacls } from './kacls.ts'
import { providerKey, useProviders } from './provider.ts'

const kacls = useKacls()
const start = useProviders(kacls)

const stop = () => kacls().vault.service.deployment.kill('kacls')
/** Number of reads of key sets since the last reset of the simulator. */
const reads = () => kacls().suite.counts()

let endpoint: any
beforeEach(async () => {
  endpoint ??= await kacls().create()
  kacls().suite.reset()
  kacls().vault.advance(61_000) // unknown keys are searched for once a minute
})

test('key sets are read once for many calls', async () => {
  await stop()
  expect((await kacls().wrap(endpoint)).status).toBe(200)
  expect(reads()).toEqual({ jwks: 1, keys: 1 })
  await Promise.all(Array.from({ length: 20 }, () => kacls().wrap(endpoint)))
  expect(reads()).toEqual({ jwks: 1, keys: 1 })
})

test('calls at the same time share one read', async () => {
  await stop()
  const answers = await Promise.all(Array.from({ length: 20 }, () => kacls().wrap(endpoint)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(reads()).toEqual({ jwks: 1, keys: 1 })
})

test.each([
  ['the provider', 'idp', { jwks: 1 }],
  ['the suite', 'drive', { keys: 1 }],
] as const)('new keys of %s are known after one read', async (_whose, of, once) => {
  expect((await kacls().wrap(endpoint)).status).toBe(200)
  kacls().suite.reset()
  await kacls().suite.rotateKeys(of, true)
  expect((await kacls().wrap(endpoint)).status).toBe(200)
  expect((await kacls().wrap(endpoint)).status).toBe(200)
  expect(reads()).toEqual(once)
})

test('names of unknown keys cause one read a minute', async () => {
  const claims = claimsOf(await kacls().authentication()) as object
  expect((await kacls().wrap(endpoint)).status).toBe(200)
  kacls().suite.reset()
  for (let call = 0; call < 10; call++) {
    const authentication = mint(issuerKey(`nobody ${call}`), claims)
    expect(await kacls().wrap(endpoint, undefined, { authentication })).toEqual(refused(401))
  }
  expect(reads()).toEqual({ jwks: 1 })
})

test('an issuer of tokens is asked at the address that an administrator gave, and nowhere else', async () => {
  const { id, provider } = await start()
  const key = await providerKey('RS256')
  provider.issuer.publishSet([key.jwk])
  const own = await kacls().create({ issuer: [id] })
  kacls().suite.reset()
  const authentication = await provider.token(key)
  expect((await kacls().wrap(own, undefined, { authentication })).status).toBe(200)
  expect(provider.reads()).toBe(1)
  expect(reads().jwks ?? 0).toBe(0)
  const claims = { ...provider.claims(), iss: kacls().suite.idpIssuer }
  const foreign = await provider.token(key, {}, claims) // signed by a key of the wrong provider
  expect(await kacls().wrap(await kacls().create(), undefined, { authentication: foreign })).toEqual(refused(401))
})

test('a key set that redirects is not followed', async () => {
  const { id, provider } = await start()
  const { provider: elsewhere } = await start()
  const key = await providerKey('RS256')
  elsewhere.issuer.publishSet([key.jwk])
  provider.issuer.answer = (response) => {
    response.writeHead(302, { location: elsewhere.issuer.keySet })
    response.end()
  }
  const own = await kacls().create({ issuer: [id] })
  const authentication = await provider.token(key)
  expect(await kacls().wrap(own, undefined, { authentication })).toEqual(refused(503))
  expect([provider.reads(), elsewhere.reads()]).toEqual([1, 0])
})
