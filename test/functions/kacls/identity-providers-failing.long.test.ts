import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { expectNoHang } from '../../support/hang.ts'
import { mint, mintWrongly } from '../../support/issuer.ts'
import { DISCOVERY, json, KEY_SET, openidKey } from '../../support/openid-provider.ts'
import { DAY, expectRefused, HOUR } from '../vault/vault.ts'
import { ADA, BOB, refused } from './kacls.ts'
import { claimsIn, useOpenid } from './openid.ts'

const openid = useOpenid()
const kacls = () => openid().kacls

/** Past the pause after a failed read. */
const PAUSE = 1_001

/** Number of answers that clients cancelled. */
let givenUp = 0
const never: RequestListener = (_request, response) => void response.on('close', () => (givenUp += 1))
/** Starts an answer, and sends a byte now and then, so that the socket is never idle. */
const trickling: RequestListener = (request, response) => {
  never(request, response)
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 100)
  response.on('close', () => clearInterval(timer))
}

describe('a provider that is slow', () => {
  test.each([
    ['and does not answer', never],
    ['and does not come to an end', trickling],
  ])('%s makes calls fail in time with a request to retry, after one read for all of them', async (_what, listener) => {
    const [company, quick] = [await openid().company(), await openid().company()]
    const [token, other] = [await company.provider.logIn(ADA), await quick.provider.logIn(ADA)]
    const { provider, endpoint } = company
    provider.answer(KEY_SET, listener)
    const read = provider.asked(KEY_SET)
    const before = givenUp
    const from = performance.now()
    const waiting = Promise.all([1, 2, 3].map(() => openid().wrap(endpoint, token)))
    expect(await openid().wraps(quick, other)).toBe(200)
    expect(givenUp).toBe(before) // the others do not wait for it
    for (const answered of await waiting) {
      expect(answered).toEqual(refused(503))
      expect(answered.headers['retry-after']).toBe('1')
    }
    expectNoHang(from)
    expect(provider.asked(KEY_SET)).toBe(read + 1)
    provider.answer(KEY_SET, undefined)
    kacls().vault.advance(PAUSE)
    expect(await openid().wraps(company, token)).toBe(200)
  })

  test('delays no call with a known key', async () => {
    const company = await openid().company()
    const { provider } = company
    const token = await provider.logIn(ADA)
    expect(await openid().wraps(company, token)).toBe(200)
    provider.answer(KEY_SET, trickling)
    kacls().vault.advance(HOUR + 1_000) // past the lifetime of the set, which is then read again in the background
    const read = provider.asked(KEY_SET)
    const before = givenUp
    expect(await openid().wraps(company, token)).toBe(200)
    expect(givenUp).toBe(before)
    await expect.poll(() => provider.asked(KEY_SET)).toBe(read + 1)
  })
})

describe('a provider that is gone', () => {
  test('can be absent for a day for its people, but not on an instance that never read its keys', async () => {
    const company = await openid().company()
    const { provider, endpoint } = company
    const [ada, bob] = [await provider.logIn(ADA), await provider.logIn(BOB)]
    expect(await openid().wraps(company, ada)).toBe(200)
    await provider.stop()
    kacls().vault.advance(HOUR + 1_000)
    for (let call = 0; call < 3; call++) expect(await openid().wraps(company, bob, BOB)).toBe(200)
    expect(await openid().wrap(endpoint, mint(openidKey('unknown'), claimsIn(ada)))).toEqual(refused(503))
    expect(await openid().wraps(company, ada)).toBe(200)
    kacls().vault.advance(DAY)
    expect(await openid().wrap(endpoint, ada)).toEqual(refused(503))
    const next = openidKey('second')
    await provider.restart(next)
    kacls().vault.advance(PAUSE)
    expect(await openid().wraps(company, ada)).toBe(401)
    expect(await openid().wraps(company, await provider.logIn(ADA))).toBe(200)
    await provider.stop()
    await kacls().vault.service.deployment.kill('kacls')
    expect(await openid().wrap(endpoint, mint(next, claimsIn(ada)))).toEqual(refused(503))
  })

  test('cannot be named as an issuer', async () => {
    const provider = await openid().start()
    await provider.stop()
    expectRefused(await openid().makeIssuer(provider), 422, 2, '#/openidConfigurationURL')
  })
})

const SECRET = randomBytes(32)
const OCT = { kty: 'oct', kid: 'first', alg: 'HS256', use: 'sig', k: SECRET.toString('base64url') }
const LIES: readonly (readonly [string, RequestListener])[] = [
  ['shared secrets alone', json({ keys: [OCT] })],
  ['nonsense', json('keys')],
  ['a list', json([OCT])],
  ['keys that are none', json({ keys: ['first', null, 7, { kid: 'first', kty: 'RSA', n: '', e: '' }] })],
  ['a huge set', json({ keys: [], more: 'a'.repeat(300_000) })],
  ['an error', json({ keys: [] }, 500)],
  ['a redirect', (_request, response) => response.writeHead(302, { location: DISCOVERY }).end()],
]

describe('a provider that publishes', () => {
  test.each(LIES)('%s is refused, and later publication serves no one', async (_what, listener) => {
    const company = await openid().company()
    const { provider, endpoint } = company
    const token = await provider.logIn(ADA)
    provider.answer(KEY_SET, listener)
    expectRefused(await openid().makeIssuer(provider, { dryRun: true }), 422, 2, '#/openidConfigurationURL')
    const answered = await openid().wrap(endpoint, token)
    expect(answered).toEqual(refused(503))
    expect(answered.text).not.toContain(new URL(provider.issuer).host)
    provider.answer(KEY_SET, undefined)
    kacls().vault.advance(PAUSE)
    expect(await openid().wraps(company, token)).toBe(200)
    provider.answer(KEY_SET, listener)
    kacls().vault.advance(HOUR + 1_000)
    expect(await openid().wraps(company, token)).toBe(200) // with the cached keys
  })

  test('a shared secret beside its key cannot authenticate tokens', async () => {
    const key = openidKey('first')
    const company = await openid().company(key)
    const { provider } = company
    const token = await provider.logIn(ADA)
    const { keys } = (await (await fetch(provider.issuer + KEY_SET)).json()) as { keys: object[] }
    provider.answer(KEY_SET, json({ keys: [{ ...OCT, kid: 'secret' }, OCT, ...keys] }))
    expect(await openid().wraps(company, token)).toBe(200)
    for (const kid of ['secret', 'first']) {
      const made = new SignJWT(claimsIn(token)).setProtectedHeader({ alg: 'HS256', kid, typ: 'JWT' })
      expect(await openid().wraps(company, await made.sign(SECRET)), kid).toBe(401)
    }
    expect(await openid().wraps(company, mintWrongly(key, claimsIn(token), 'HS256'))).toBe(401)
  })

  test('its private keys by mistake is served like any other', async () => {
    const key = openidKey('first')
    const company = await openid().company(key)
    const { provider } = company
    const all = { ...key.privateKey.export({ format: 'jwk' }), kid: key.kid, use: 'sig' }
    provider.answer(KEY_SET, json({ keys: [all] }))
    expect(await openid().wraps(company, await provider.logIn(ADA))).toBe(200)
    const dry = await openid().makeIssuer(await openid().start(), { dryRun: true })
    expect(dry.body.keys).toEqual([{ kid: 'first', alg: 'RS256', kty: 'RSA', usable: true }])
  })
})
