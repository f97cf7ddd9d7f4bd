import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { issuerKey, jwkOf, mint, startIssuer } from '../../support/issuer.ts'
import { refused, useKacls, type KaclsAnswer } from './kacls.ts'
import { providerKey, useProviders, type Provider, type ProviderKey } from './provider.ts'

const kacls = useKacls()
const start = useProviders(kacls)

const TAKEN = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384'] as const
const REFUSED = ['ES512', 'Ed25519'] as const
const plain = issuerKey('plain')
const weak = issuerKey('weak', 1_024)
const encrypting = issuerKey('encrypting')
const secret = randomBytes(64)

let endpoint: any
let provider: Provider
const keys = new Map<string, ProviderKey>()
beforeAll(async () => {
  const { id, provider: started } = await start()
  provider = started
  for (const alg of [...TAKEN, ...REFUSED]) keys.set(alg, await providerKey(alg))
  provider.issuer.publishSet([
    ...[...keys.values()].map(({ jwk }) => jwk),
    jwkOf({ ...plain, kid: 'of one algorithm' }),
    { ...jwkOf({ ...plain, kid: 'of any algorithm' }), alg: undefined },
    jwkOf(weak),
    { ...jwkOf(encrypting), use: 'enc' },
    { kty: 'oct', k: secret.toString('base64url'), alg: 'HS256', kid: 'secret' },
    { kty: 'RSA', kid: 'broken', n: 7 },
    'no key',
    null,
  ])
  endpoint = await kacls().create({ issuer: [id] })
})

const keyOf = (name: string): ProviderKey => {
  const key = keys.get(name)
  if (key === undefined) throw new Error(`There is no key ${name}`)
  return key
}
const calls = (authentication: string): Promise<KaclsAnswer> => kacls().wrap(endpoint, undefined, { authentication })

test.each(TAKEN)('a token that a provider signs with %s is taken', async (alg) => {
  expect((await calls(await provider.token(keyOf(alg)))).status).toBe(200)
})

test.each(REFUSED)('a token that a provider signs with %s is refused', async (alg) => {
  expect(await calls(await provider.token(keyOf(alg)))).toEqual(refused(401))
})

test.each(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'])(
  'a key counts with the algorithm that its provider names, or with all that fit it: %s',
  async (alg) => {
    const by = (kid: string) => provider.token({ kid, alg, privateKey: plain.privateKey, jwk: {} })
    expect((await calls(await by('of one algorithm'))).status).toBe(alg === 'RS256' ? 200 : 401)
    expect((await calls(await by('of any algorithm'))).status).toBe(200)
  },
)

test('a short key, one for encryption and a shared secret sign nothing', async () => {
  const symmetric = { kid: 'secret', alg: 'HS256', privateKey: secret as never, jwk: {} }
  expect(await calls(mint(weak, provider.claims()))).toEqual(refused(401))
  expect(await calls(mint(encrypting, provider.claims()))).toEqual(refused(401))
  expect(await calls(await provider.token(symmetric))).toEqual(refused(401))
})

test('critical members are refused under a good signature', async () => {
  const key = keyOf('RS256')
  for (const crit of [['b64'], ['exp']])
    expect(await calls(await provider.token(key, { crit, b64: true, exp: 1 }))).toEqual(refused(401))
})

test('addresses and keys in a header are ignored, and no address is called', async () => {
  const trap = await startIssuer()
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const own = { kid: 'mine', privateKey, publicKey }
  trap.publish(own)
  try {
    const header = { jku: trap.keySet, x5u: trap.keySet, jwk: jwkOf(own), x5c: ['AAAA'] } as object
    expect((await calls(await provider.token(keyOf('RS256'), header))).status).toBe(200)
    for (const kid of ['mine', 'RS256'])
      expect(await calls(mint(own, provider.claims(), { alg: 'RS256', kid, ...header }))).toEqual(refused(401))
    const claims = { ...provider.claims(), iss: trap.keySet, jwks_uri: trap.keySet, jku: trap.keySet }
    expect(await calls(mint(own, claims))).toEqual(refused(401))
    expect(trap.fetches()).toBe(0)
  } finally {
    await trap.stop()
  }
})

test('a provider that the service knows and the endpoint does not list is refused, and not asked for keys', async () => {
  const { provider: other } = await start()
  const key = await providerKey('RS256')
  other.issuer.publishSet([key.jwk])
  expect(await calls(await other.token(key))).toEqual(refused(401))
  expect(other.reads()).toBe(0)
  const open = await kacls().create()
  expect((await kacls().wrap(open, undefined, { authentication: await other.token(key) })).status).toBe(200)
  expect(other.reads()).toBe(1)
})
