import { afterAll, beforeAll, expect, test } from 'vitest'
import { ISSUERS as SUITE_ISSUERS } from '../../../infra/simulators/workspace/simulator.ts'
import { startIssuer } from '../../support/issuer.ts'
import { claimsOf } from './forgeries.ts'
import { refused, RESOURCE, useKacls, type KaclsAnswer } from './kacls.ts'
import { providerKey, signed, type ProviderKey } from './provider.ts'

/* The test publishes the suite's key sets itself, and has their private keys. */
const sets = await startIssuer()
afterAll(() => sets.stop())
const kacls = useKacls({ environment: { KEYMGR_KACLS_KEY_SETS: sets.keySet } })

let endpoint: any
let usual: Record<string, unknown>
let keys: Record<'RS256' | 'PS256' | 'ES256', ProviderKey>
beforeAll(async () => {
  keys = { RS256: await providerKey('RS256'), PS256: await providerKey('PS256'), ES256: await providerKey('ES256') }
  sets.publishSet(Object.values(keys).map(({ jwk }) => ({ ...jwk, alg: undefined })))
  endpoint = await kacls().create()
  usual = claimsOf(await kacls().authorization(endpoint)) as Record<string, unknown>
})

const wraps = (authorization: string): Promise<KaclsAnswer> => kacls().wrap(endpoint, undefined, { authorization })

/** A valid authorization for an endpoint. */
const ofSuite = ({ endpoint_url: kacls_url }: any): Promise<string> => signed(keys.RS256, { ...usual, kacls_url })

test('only RS256 is accepted for an authorization, whatever keys are published', async () => {
  expect((await wraps(await signed(keys.RS256, usual))).status).toBe(200)
  for (const key of [keys.PS256, keys.ES256])
    expect(await wraps(await signed(key, usual)), key.alg).toEqual(refused(401))
})

test('critical members of an authorization are refused under a good signature', async () => {
  expect(await wraps(await signed(keys.RS256, usual, { crit: ['b64'], b64: true }))).toEqual(refused(401))
})

test('keys and addresses in an authorization are ignored', async () => {
  const header = { jku: `${sets.keySet}/jku`, x5u: `${sets.keySet}/x5u`, jwk: keys.ES256.jwk } as object
  const before = sets.fetches()
  expect((await wraps(await signed(keys.RS256, usual, header))).status).toBe(200)
  expect(sets.fetches()).toBe(before)
})

test('an issuer outside the suite is refused, and no address is called', async () => {
  const before = sets.fetches()
  for (const iss of ['https://else.example.test', '../../certs', `${SUITE_ISSUERS.drive}/x`, '', 7])
    expect(await wraps(await signed(keys.RS256, { ...usual, iss })), String(iss)).toEqual(refused(401))
  expect(sets.fetches()).toBe(before)
})

test('only RS256 is accepted for a token of another service, whatever keys it publishes', async () => {
  const own = await kacls().create()
  const peer = new URL('/kacls', sets.keySet).href
  await kacls().change(own, { allow_privileged_unwrap: true })
  await kacls().put(own.id, 'privileged-unwrap-configuration', { kacls_base_url: [peer] })
  kacls().letPass()
  const wrapped_key = await kacls().wrapped(own, undefined, { authorization: await ofSuite(own) })
  const { iat, exp } = usual
  const claims = { iss: peer, aud: 'kacls-migration', kacls_url: own.endpoint_url, resource_name: RESOURCE, iat, exp }
  const opens = async (key: ProviderKey) => {
    const authentication = await signed(key, claims)
    return (await kacls().privileged(own, 'privilegedunwrap', { wrapped_key }, { authentication })).status
  }
  expect([await opens(keys.RS256), await opens(keys.PS256), await opens(keys.ES256)]).toEqual([200, 401, 401])
})
