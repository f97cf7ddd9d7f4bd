import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { mint, mintWrongly } from '../../support/issuer.ts'
import { DISCOVERY, json, KEY_SET, OPENID_CLIENT, openidKey } from '../../support/openid-provider.ts'
import { expectRefused, HOUR } from '../vault/vault.ts'
import { ADA, BOB, ISSUERS, refused } from './kacls.ts'
import { claimsIn, useOpenid } from './openid.ts'

const openid = useOpenid()
const kacls = () => openid().kacls

/** Past the minute in which unknown keys are searched for once. */
const MINUTE = 60_001

describe('people who log in at a real identity provider', () => {
  test('wrap and unwrap with its id token, once an administrator has named the provider', async () => {
    const provider = await openid().start(openidKey('first'), openidKey('second', 'ES256'))
    const { issuer: iss, openidConfigurationURL } = provider
    const dry = await openid().makeIssuer(provider, { dryRun: true })
    expect([dry.status, dry.body]).toEqual([
      200,
      {
        iss,
        jwksURL: iss + KEY_SET,
        openidConfigurationURL,
        keys: [
          { kid: 'first', alg: 'RS256', kty: 'RSA', usable: true },
          { kid: 'second', alg: 'ES256', kty: 'EC', usable: true },
        ],
        usable_keys: 2,
      },
    ])
    const { status, body: issuer } = await openid().makeIssuer(provider)
    expect([status, issuer]).toMatchObject([201, { iss, jwksURL: iss + KEY_SET }])
    const endpoint = await openid().endpointOf(issuer.id as string)
    const key = randomBytes(32)
    const authentication = await provider.logIn(ADA)
    expect(claimsIn(authentication)).toMatchObject({ iss, aud: OPENID_CLIENT, email: ADA, email_verified: true })
    const blob = await kacls().wrapped(endpoint, key, { authentication })
    const reader = { authentication: await provider.logIn(BOB), email: BOB }
    expect(await kacls().unwrap(endpoint, blob, reader)).toMatchObject({
      status: 200,
      body: { key: key.toString('base64') },
    })
    expect(await kacls().unwrap(endpoint, blob, { authentication: reader.authentication })).toEqual(refused(403))
    expectRefused(await kacls().vault.admin.call('DELETE', `${ISSUERS}/${issuer.id as string}`), 409, 9)
  })

  test('are compared by the Workspace address of their token, and need a verified one', async () => {
    const company = await openid().company()
    const elsewhere = await company.provider.logIn('ada@people.example.test')
    expect(await openid().wraps(company, elsewhere)).toBe(200)
    expect(await openid().wraps(company, elsewhere, 'ada@people.example.test')).toBe(403)
    const unverified = await company.provider.logIn('eve@shop.example.test')
    expect(await openid().wraps(company, unverified, 'eve@shop.example.test')).toBe(401)
  })

  test.each(['PS256', 'ES256'] as const)('have tokens signed with %s', async (alg) => {
    const company = await openid().company(openidKey('only', alg))
    const token = await company.provider.logIn(ADA)
    const [header = '', claims = '', signature = ''] = token.split('.')
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg, kid: 'only' })
    expect(await openid().wraps(company, token)).toBe(200)
    const other = Buffer.from(signature, 'base64url')
    other[20] = (other[20] ?? 0) ^ 1
    expect(await openid().wraps(company, `${header}.${claims}.${other.toString('base64url')}`)).toBe(401)
  })

  test('are refused at the endpoint of another company, and with a token for another client', async () => {
    const [one, other] = [await openid().company(), await openid().company()]
    const token = await one.provider.logIn(ADA)
    expect(await openid().wraps(other, token)).toBe(401)
    await kacls().change(one.endpoint, { authenticationAud: ['another-client'] })
    kacls().letPass()
    expect(await openid().wraps(one, token)).toBe(401)
  })
})

describe('a key set', () => {
  test('is read once for many calls of many people', async () => {
    const company = await openid().company()
    const { provider } = company
    const before = [provider.asked(KEY_SET), provider.asked(DISCOVERY)]
    const people = await Promise.all([ADA, BOB].map(async (email) => [email, await provider.logIn(email)] as const))
    for (let round = 0; round < 5; round++)
      for (const [email, token] of people) expect(await openid().wraps(company, token, email)).toBe(200)
    expect([provider.asked(KEY_SET), provider.asked(DISCOVERY)]).toEqual([(before[0] ?? 0) + 1, before[1]])
  })

  test('is read once more for a new key, and the former key is valid while it is published', async () => {
    const [first, second] = [openidKey('first'), openidKey('second')]
    const company = await openid().company(first)
    const { provider } = company
    const before = await provider.logIn(ADA)
    expect(await openid().wraps(company, before)).toBe(200)
    const read = provider.asked(KEY_SET)
    await provider.restart(second, first)
    const after = await provider.logIn(ADA)
    expect(await openid().wraps(company, after)).toBe(200)
    expect(await openid().wraps(company, before)).toBe(200)
    expect(provider.asked(KEY_SET)).toBe(read + 1)
  })

  test('without a former key ends its tokens with the next reading', async () => {
    const company = await openid().company(openidKey('first'))
    const { provider } = company
    const before = await provider.logIn(ADA)
    expect(await openid().wraps(company, before)).toBe(200)
    await provider.restart(openidKey('second'))
    expect(await openid().wraps(company, before)).toBe(200) // read a moment ago
    expect(await openid().wraps(company, await provider.logIn(ADA))).toBe(200)
    expect(await openid().wraps(company, before)).toBe(401)
  })

  test('is read for unknown keys at most once a minute, and a key published meanwhile is known after it', async () => {
    const company = await openid().company(openidKey('first'))
    const { provider } = company
    const token = await provider.logIn(ADA)
    expect(await openid().wraps(company, token)).toBe(200)
    const read = provider.asked(KEY_SET)
    for (const kid of ['a', 'b', 'c', 'd'])
      expect(await openid().wraps(company, mint(openidKey(kid), claimsIn(token)))).toBe(401)
    expect(provider.asked(KEY_SET)).toBe(read + 1)
    await provider.restart(openidKey('second'))
    const next = await provider.logIn(ADA)
    expect(await openid().wraps(company, next)).toBe(401)
    expect(await openid().wraps(company, token)).toBe(200)
    expect(provider.asked(KEY_SET)).toBe(read + 1)
    kacls().vault.advance(MINUTE)
    expect(await Promise.all([next, next, next].map((one) => openid().wraps(company, one)))).toEqual([200, 200, 200])
    expect(provider.asked(KEY_SET)).toBe(read + 2)
  })

  test('whose key is replaced under the same name is read again within the hour', async () => {
    const company = await openid().company(openidKey('same'))
    const { provider } = company
    expect(await openid().wraps(company, await provider.logIn(ADA))).toBe(200)
    await provider.restart(openidKey('same'))
    const next = await provider.logIn(ADA)
    expect(await openid().wraps(company, next)).toBe(401)
    kacls().vault.advance(HOUR + 1_000)
    await openid().wraps(company, next) // reads the set again in the background
    await expect.poll(() => openid().wraps(company, next)).toBe(200)
  })
})

describe('a token is refused', () => {
  test('if its provider does not publish the signing key, or another provider signed it', async () => {
    const theirs = openidKey('shared name')
    const [company, other] = [await openid().company(openidKey('shared name')), await openid().company(theirs)]
    const claims = claimsIn(await company.provider.logIn(ADA))
    expect(await openid().wraps(company, mint(theirs, claims))).toBe(401)
    const both = await kacls().create({ authenticationAud: [OPENID_CLIENT] }) // accepts all issuers
    const at = { ...company, endpoint: both }
    expect(await openid().wraps(at, await other.provider.logIn(ADA))).toBe(200)
    expect(await openid().wraps(at, mint(theirs, claims))).toBe(401)
    expect(await openid().wraps(at, mint(theirs, { ...claims, iss: other.provider.issuer }))).toBe(200)
    for (const iss of [`${company.provider.issuer}/`, 'http://127.0.0.1:1', [company.provider.issuer], undefined])
      expect(await openid().wraps(at, mint(theirs, { ...claims, iss })), String(iss)).toBe(401)
  })

  test('if it has another algorithm than its key, or none', async () => {
    const key = openidKey('first')
    const company = await openid().company(key)
    const claims = claimsIn(await company.provider.logIn(ADA))
    expect(await openid().wraps(company, mint(key, claims))).toBe(200)
    for (const alg of ['RS512', 'HS256', 'none'] as const)
      expect(await openid().wraps(company, mintWrongly(key, claims, alg)), alg).toBe(401)
  })
})

test('a provider whose document names another issuer is refused', async () => {
  const [provider, other] = [await openid().start(), await openid().start()]
  const document = (await (await fetch(other.openidConfigurationURL)).json()) as object
  provider.answer(DISCOVERY, json(document))
  expectRefused(await openid().makeIssuer(provider), 422, 2, '#/openidConfigurationURL')
  provider.answer(DISCOVERY, json({ ...document, issuer: `${provider.issuer}/` }))
  const slash = await openid().makeIssuer(provider)
  expect([slash.status, slash.body.iss]).toEqual([201, `${provider.issuer}/`])
  expect(await openid().makeIssuer(other)).toMatchObject({ status: 201 })
})
