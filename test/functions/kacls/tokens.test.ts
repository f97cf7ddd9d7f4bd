import { beforeAll, describe, expect, test } from 'vitest'
import { ISSUERS as SUITE_ISSUERS } from '../../../infra/simulators/workspace/simulator.ts'
import { FORGERIES, publishedKey, type Good } from './forgeries.ts'
import { AUDIENCE, refused, useKacls, type KaclsAnswer } from './kacls.ts'

const kacls = useKacls()

let endpoint: any
let good: Record<'authentication' | 'authorization', Good>
beforeAll(async () => {
  endpoint = await kacls().create()
  const { suite } = kacls()
  good = {
    authentication: {
      token: await kacls().authentication(),
      publicKey: await publishedKey(`${suite.idpIssuer}/jwks`),
    },
    authorization: {
      token: await kacls().authorization(endpoint),
      publicKey: await publishedKey(`${suite.keySets}/${SUITE_ISSUERS.drive}`),
    },
  }
})

const now = () => Math.floor(kacls().vault.service.deployment.clock.now().getTime() / 1_000)
const REFUSED = refused(401)

/** Claims of invalid tokens. A valid token has the present time, and expires in an hour. */
const DEFECTS: readonly (readonly [string, () => object])[] = [
  ['of an unknown issuer', () => ({ iss: 'https://else.example.test' })],
  ['without an issuer', () => ({ iss: undefined })],
  ['whose issuer is a list', () => ({ iss: [kacls().suite.idpIssuer, SUITE_ISSUERS.drive] })],
  ['whose issuer is a member of every object', () => ({ iss: 'constructor' })],
  ['for another audience', () => ({ aud: 'else' })],
  ['for an audience that only begins like its own', () => ({ aud: `${AUDIENCE}-more cse-authorization-more` })],
  ['for audiences in one text', () => ({ aud: `${AUDIENCE} cse-authorization` })],
  ['for no audience', () => ({ aud: undefined })],
  ['for an empty list of audiences', () => ({ aud: [] })],
  ['for a list of other audiences', () => ({ aud: ['else', 'other'] })],
  ['for an audience within a list within a list', () => ({ aud: [[AUDIENCE, 'cse-authorization']] })],
  ['that ended 61 seconds ago', () => ({ exp: now() - 61 })],
  ['that ended 61 seconds ago, in text', () => ({ exp: String(now() - 61) })],
  ['without an end', () => ({ exp: undefined })],
  ['whose end is no time', () => ({ exp: 'tomorrow' })],
  ['whose end is null', () => ({ exp: null })],
  ['whose end is a date', () => ({ exp: new Date((now() + 600) * 1_000).toISOString() })],
  ['whose end is hexadecimal', () => ({ exp: `0x${(now() + 600).toString(16)}` })],
  ['whose end is truth', () => ({ exp: true })],
  ['whose end is an empty text', () => ({ exp: '' })],
  ['made in 62 seconds', () => ({ iat: now() + 62 })],
  ['made in 62 seconds, in text', () => ({ iat: String(now() + 62) })],
  ['that does not tell when it was made', () => ({ iat: undefined })],
  ['that counts from 62 seconds on', () => ({ nbf: now() + 62 })],
  ['that counts from no time on', () => ({ nbf: 'soon' })],
  ['without an address', () => ({ email: undefined })],
  ['with an empty address', () => ({ email: '' })],
  ['with two addresses', () => ({ email: ['ada@shop.example.test'] })],
  ['whose address is null', () => ({ email: null })],
]

const ACCEPTED: readonly (readonly [string, () => object])[] = [
  ['that ended 58 seconds ago', () => ({ exp: now() - 58 })],
  ['made in 59 seconds', () => ({ iat: now() + 59 })],
  ['made in 59 seconds, in text', () => ({ iat: String(now() + 59) })],
  ['with times in text', () => ({ exp: String(now() + 600), iat: String(now()) })],
  ['with fractions of seconds', () => ({ exp: now() + 600.5, iat: now() - 0.5 })],
  ['that counts from 59 seconds on', () => ({ nbf: now() + 59 })],
  ['that counted from a second ago on, in text', () => ({ nbf: String(now() - 1) })],
  ['with claims that nobody knows', () => ({ sub: '1', hd: 'shop.example.test', nonce: null, jti: 'x', azp: ['y'] })],
]

describe.each(['authentication', 'authorization'] as const)('a token of %s', (token) => {
  const other = token === 'authentication' ? 'authorization' : 'authentication'
  const send = (text: unknown): Promise<KaclsAnswer> => kacls().wrap(endpoint, undefined, { [token]: text })
  const claiming = (claims: object): Promise<KaclsAnswer> =>
    kacls().wrap(endpoint, undefined, { [token === 'authentication' ? 'who' : 'what']: claims })

  test('is taken when it is good', async () => {
    expect((await send(good[token].token)).status).toBe(200)
  })

  test.each(FORGERIES)('%s is refused', async (_what, forge) => {
    expect(await send(forge(good[token]))).toEqual(REFUSED)
  })

  test.each(DEFECTS)('%s is refused', async (_what, claims) => {
    expect(await claiming(claims())).toEqual(REFUSED)
  })

  test.each(ACCEPTED)('%s is taken', async (_what, claims) => {
    expect((await claiming(claims())).status).toBe(200)
  })

  test('for several audiences including the endpoint’s is accepted', async () => {
    const aud = ['else', token === 'authentication' ? AUDIENCE : 'cse-authorization']
    expect((await claiming({ aud })).status).toBe(200)
  })

  test('in place of the other is refused', async () => {
    expect(await send(good[other].token)).toEqual(REFUSED)
  })

  test('that is missing is refused as a caller without one', async () => {
    for (const text of [null, '']) expect(await send(text)).toEqual(REFUSED)
  })

  test('that is not text, or longer than 16 KiB, is a fault of the body', async () => {
    for (const text of [7, {}, [good[token].token], true]) expect(await send(text)).toEqual(refused(400))
    expect(await claiming({ padding: 'x'.repeat(16_384) })).toEqual(refused(400))
    expect((await claiming({ padding: 'x'.repeat(10_000) })).status).toBe(200)
  })

  test('is refused with the same sentence for every reason', async () => {
    const answers = await Promise.all([
      send('token'),
      send(good[other].token),
      ...FORGERIES.slice(0, 6).map(([, forge]) => send(forge(good[token]))),
      ...DEFECTS.map(([, claims]) => claiming(claims())),
    ])
    expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1)
  })
})

test('swapped tokens are refused', async () => {
  const swapped = { authentication: good.authorization.token, authorization: good.authentication.token }
  expect(await kacls().wrap(endpoint, undefined, swapped)).toEqual(REFUSED)
})

test.each(['role', 'resource_name', 'kacls_url'])('an authorization without %s is refused', async (claim) => {
  for (const value of [undefined, null, '', 7, ['writer']])
    expect(await kacls().wrap(endpoint, undefined, { what: { [claim]: value } }), String(value)).toEqual(REFUSED)
})

test('an authorization whose optional claims are of another type is refused', async () => {
  for (const claim of ['perimeter_id', 'email_type', 'delegated_to', 'kacls_owner_domain', 'message_id', 'spki_hash'])
    expect(await kacls().wrap(endpoint, undefined, { what: { [claim]: 7 } }), claim).toEqual(REFUSED)
})

test('names of resources have at most 128 bytes, and those of Gmail 512', async () => {
  const named = (resource_name: string, issuer: 'drive' | 'gmail') =>
    kacls().wrap(endpoint, undefined, { issuer, what: { resource_name } })
  expect((await named('n'.repeat(128), 'drive')).status).toBe(200)
  expect(await named('n'.repeat(129), 'drive')).toEqual(REFUSED)
  expect(await named('ä'.repeat(65), 'drive')).toEqual(REFUSED)
  expect((await named('n'.repeat(512), 'gmail')).status).toBe(200)
  expect(await named('n'.repeat(513), 'gmail')).toEqual(REFUSED)
})

test.each(['meet', 'calendar', 'gmail'] as const)(
  'an authorization of %s wraps as one of Drive does',
  async (issuer) => {
    expect((await kacls().wrap(endpoint, undefined, { issuer })).status).toBe(200)
  },
)

test('a token of the migration neither wraps nor unwraps', async () => {
  const wrapped_key = await kacls().wrapped(endpoint)
  for (const role of ['writer', 'reader', 'migrator', 'verifier']) {
    const options = { issuer: 'migration' as const, what: { role, email: 'ada@shop.example.test' } }
    expect(await kacls().wrap(endpoint, undefined, options)).toEqual(REFUSED)
    expect(await kacls().unwrap(endpoint, wrapped_key, options)).toEqual(REFUSED)
  }
})

test('a token of an application neither digests nor rewraps', async () => {
  const wrapped_key = await kacls().wrapped(endpoint)
  const rewrap = { wrapped_key, original_kacls_url: 'https://old.example.test' }
  for (const issuer of ['drive', 'meet', 'calendar', 'gmail'] as const) {
    expect(await kacls().migration(endpoint, 'digest', 'verifier', { wrapped_key }, { issuer })).toEqual(REFUSED)
    expect(await kacls().migration(endpoint, 'rewrap', 'migrator', rewrap, { issuer })).toEqual(REFUSED)
  }
})
