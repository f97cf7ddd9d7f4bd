import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { issuerKey, mint } from '../../support/issuer.ts'
import { ADA, BOB, KEY_PAIR, RESOURCE, refused, useKacls, type CallOptions } from './kacls.ts'

const kacls = useKacls()

const ROOM = 'room-7@shop.example.test'
const QUARTER_MS = 15 * 60_000
const SKEW_MS = 61_000

let endpoint: any
let blob: string
beforeAll(async () => {
  endpoint = await kacls().create()
  await kacls().change(endpoint, { allow_privileged_unwrap: true })
  blob = await kacls().wrapped(endpoint)
})

const guest = (email_type: string): CallOptions => ({ what: { email_type } })
const forRoom = { what: { delegated_to: ROOM } }
const delegate = (options: CallOptions = forRoom) => kacls().call(endpoint, 'delegate', {}, options)

async function delegated(options: CallOptions = forRoom): Promise<string> {
  const { status, body } = await delegate(options)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.delegated_authentication as string
}

test('guests are refused unless the endpoint admits them; other types of addresses always', async () => {
  const closed = await kacls().create()
  const open = await kacls().create({ allow_guest_access: true })
  for (const type of ['google-visitor', 'customer-idp']) {
    expect(await kacls().wrap(closed, undefined, guest(type)), type).toEqual(refused(403))
    const own = await kacls().wrapped(open, undefined, guest(type))
    expect((await kacls().unwrap(open, own, guest(type))).status, type).toBe(200)
  }
  for (const type of ['Google', 'google-visitor ', 'else'])
    expect(await kacls().wrap(open, undefined, guest(type)), type).toEqual(refused(403))
  expect((await kacls().wrap(closed, undefined, guest('google'))).status).toBe(200)
  expect((await kacls().wrap(closed, undefined, { what: { email_type: undefined } })).status).toBe(200)
  await kacls().lines(2, { endpoint: closed.id, rule: 'email_type' })
  const refusals = await kacls().lines(1, { endpoint: closed.id, emailType: 'customer-idp' })
  expect(refusals).toMatchObject([{ status: 403 }])
})

test('a guest must be the same person in both tokens, and the perimeter sees the type', async () => {
  const open = await kacls().create({ allow_guest_access: true })
  const other = { email: BOB, what: { email: ADA, email_type: 'customer-idp' } }
  expect(await kacls().wrap(open, undefined, other)).toEqual(refused(403))
  await kacls().setPerimeter(open, 'package p\n\nallow if input.authorization.email_type == "customer-idp"\n')
  const statusOf = async (type: string) => (await kacls().wrap(open, undefined, guest(type))).status
  expect([await statusOf('customer-idp'), await statusOf('google-visitor')]).toEqual([200, 403])
})

test('a delegation is a token of the endpoint for a quarter of an hour', async () => {
  const carol = { email: 'carol@staff.example.test', what: { email: 'carol@shop.example.test', delegated_to: ROOM } }
  const token = await delegated(carol)
  const certs = await kacls().get(endpoint, 'certs')
  const currentDate = kacls().vault.service.deployment.clock.now()
  const verified = await jwtVerify(token, createLocalJWKSet(certs.body), { algorithms: ['RS256'], currentDate })
  const { iat = 0, exp = 0, ...claims } = verified.payload
  expect(claims).toEqual({
    iss: endpoint.endpoint_url,
    aud: 'kacls-delegation',
    email: 'carol@staff.example.test',
    google_email: 'carol@shop.example.test',
    delegated_to: ROOM,
    resource_name: RESOURCE,
  })
  expect(exp - iat).toBe(900)
  expect(Math.abs(iat - currentDate.getTime() / 1_000)).toBeLessThan(30)
  expect(decodeJwt(await delegated())).not.toHaveProperty('google_email')
})

test('a delegation needs someone to delegate to, the same person, and a role of an application', async () => {
  expect(await delegate({})).toEqual(refused(403))
  expect(await delegate({ email: BOB, what: { email: ADA, delegated_to: ROOM } })).toEqual(refused(403))
  expect(await delegate({ what: { role: 'migrator', delegated_to: ROOM } })).toEqual(refused(403))
  for (const role of ['reader', 'writer', 'upgrader'])
    expect((await delegate({ what: { role, delegated_to: ROOM } })).status, role).toBe(200)
  const gated = await kacls().create()
  await kacls().setPerimeter(gated, 'package p\n\nallow if input.operation != "delegate"\n')
  expect(await kacls().call(gated, 'delegate', {}, forRoom)).toEqual(refused(403))
})

test('a delegated token wraps and unwraps only for its identity and resource', async () => {
  const authentication = await delegated()
  const as = (what: object = {}): CallOptions => ({ authentication, what: { delegated_to: ROOM, ...what } })
  const wrapped = await kacls().wrapped(endpoint, undefined, as())
  expect((await kacls().unwrap(endpoint, wrapped, as())).status).toBe(200)
  expect((await kacls().unwrap(endpoint, blob, as({ delegated_to: 'ROOM-7@Shop.Example.test' }))).status).toBe(200)
  const bad = {
    'another resource': as({ resource_name: '//googleapis.com/drive/files/second' }),
    'another identity': as({ delegated_to: 'room-8@shop.example.test' }),
    'no identity': as({ delegated_to: undefined }),
    'another user': as({ email: BOB }),
    'the identity as the user': as({ email: ROOM }),
    'another role': as({ role: 'signer' }),
  }
  for (const [what, options] of Object.entries(bad))
    expect(await kacls().unwrap(endpoint, blob, options), what).toEqual(refused(403))
  await kacls().lines({ atLeast: 2 }, { endpoint: endpoint.id, delegatedTo: ROOM, rule: 'allow' })
})

test('a delegated token is no user for other calls', async () => {
  const authentication = await delegated()
  expect(await delegate({ authentication, ...forRoom })).toEqual(refused(403))
  const asRoom = { authentication }
  const key = 'AAAA'
  expect(await kacls().privileged(endpoint, 'privilegedwrap', { key }, asRoom)).toEqual(refused(403))
  expect(await kacls().privileged(endpoint, 'privilegedunwrap', { wrapped_key: blob }, asRoom)).toEqual(refused(403))
  const what = { delegated_to: ROOM, resource_name: KEY_PAIR }
  const privateKey = { wrapped_private_key: blob }
  const sign = { algorithm: 'SHA1withRSA', digest: Buffer.alloc(20).toString('base64'), ...privateKey }
  const decrypt = { algorithm: 'RSA/ECB/PKCS1Padding', encrypted_data_encryption_key: key, ...privateKey }
  expect(await kacls().mail(endpoint, 'privatekeysign', 'AAAA', sign, { authentication, what })).toEqual(refused(403))
  expect(await kacls().mail(endpoint, 'privatekeydecrypt', 'AAAA', decrypt, { authentication, what })).toEqual(
    refused(403),
  )
  const takeout = { ...decrypt, spki_hash: 'AAAA', spki_hash_algorithm: 'SHA-256' }
  expect(await kacls().privileged(endpoint, 'privilegedprivatekeydecrypt', takeout, asRoom)).toEqual(refused(403))
})

test('an authorization of a delegation accepts no token of the identity provider', async () => {
  expect(await kacls().unwrap(endpoint, blob, forRoom)).toEqual(refused(403))
  expect(await kacls().wrap(endpoint, undefined, forRoom)).toEqual(refused(403))
})

test('a delegated token of another endpoint, key or audience is not valid', async () => {
  const token = await delegated()
  const other = await kacls().create()
  const own = await kacls().wrapped(other)
  expect(await kacls().unwrap(other, own, { authentication: token, ...forRoom })).toEqual(refused(401))
  const claims = decodeJwt(token)
  const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
  const forged = [
    mint(issuerKey(kid), claims),
    mint(issuerKey('else'), claims),
    token.replace(/.{4}$/, 'AAAA'),
    await kacls().authentication({ who: { ...claims, iss: endpoint.endpoint_url } }),
  ]
  for (const authentication of forged)
    expect(await kacls().unwrap(endpoint, blob, { authentication, ...forRoom })).toEqual(refused(401))
})

test('a delegated token ends after a quarter of an hour', async () => {
  const authentication = await delegated()
  const statusOf = async () => (await kacls().unwrap(endpoint, blob, { authentication, ...forRoom })).status
  kacls().vault.advance(QUARTER_MS - 1_000)
  expect(await statusOf()).toBe(200)
  kacls().vault.advance(1_000 + SKEW_MS)
  expect(await statusOf()).toBe(401)
})
