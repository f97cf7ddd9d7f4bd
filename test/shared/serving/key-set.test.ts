import type { ServerResponse } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { KeySetOf } from '../../../shared/serving/key-set.ts'
import type { Moment } from '../../../shared/base/moment.ts'
import { issuerKey, jwkOf, startIssuer } from '../../support/issuer.ts'

const [first, second] = [issuerKey('first'), issuerKey('second')]
const issuer = await startIssuer(first)
afterAll(() => issuer.stop())

const HOUR = 3_600_000
const START = Date.parse('2026-05-04T03:02:01Z')
let keys: KeySetOf
let before = 0
beforeEach(() => {
  issuer.publish(first)
  keys = new KeySetOf(issuer.keySet)
  before = issuer.fetches()
})

/** `later` milliseconds after the start, on both clocks; a caller waits for at most `waits`. */
const at = (later: number, waits = 5_000): Moment => ({
  monoMs: later,
  epochMs: START + later,
  untilMs: performance.now() + waits,
})
const kidsAt = (later: number, ...kids: string[]) =>
  Promise.all(kids.map(async (kid) => (await keys.key(kid, at(later))) !== undefined))
const fetched = () => issuer.fetches() - before
const settled = (count: number) => expect.poll(fetched).toBe(count)

test('one read serves all concurrent and later callers', async () => {
  expect(await kidsAt(0, 'first', 'first', 'first')).toEqual([true, true, true])
  expect(await kidsAt(HOUR - 1, 'first')).toEqual([true])
  expect(fetched()).toBe(1)
})

test('a connection to the issuer stayed open after each reading', async () => {
  await kidsAt(0, 'first')
  await kidsAt(1_000, 'second')
  await expect.poll(() => issuer.connections()).toBe(0)
})

test('a set is read again in the background after its lifetime', async () => {
  await kidsAt(0, 'first')
  issuer.publish(second)
  expect(keys.key('first', at(HOUR + 1))).not.toBeInstanceOf(Promise)
  await settled(2)
  await expect.poll(() => keys.key('second', at(HOUR + 2)) instanceof Promise).toBe(false)
  expect(keys.key('second', at(HOUR + 3))).toBeDefined()
  expect(fetched()).toBe(2)
})

test('an unknown key is searched for once by all callers, and again after a minute', async () => {
  await kidsAt(0, 'first')
  expect(await kidsAt(1_000, 'second', 'third', 'second')).toEqual([false, false, false])
  expect(fetched()).toBe(2)
  issuer.publish(first, second)
  expect(await kidsAt(60_999, 'second', 'fourth')).toEqual([false, false])
  expect(fetched()).toBe(2)
  expect(await kidsAt(61_001, 'second')).toEqual([true])
  expect(fetched()).toBe(3)
})

/** Possible failures of an issuer, or of a server in its place. */
const FAILURES: readonly [string, (response: ServerResponse) => void][] = [
  ['gone', (response) => response.destroy()],
  ['faulty', (response) => response.writeHead(500).end('{}')],
  ['elsewhere', (response) => response.writeHead(302, { location: issuer.keySet }).end()],
  ['nonsense', (response) => response.end('<html>')],
  ['no set', (response) => response.end('{"keys": {}}')],
  ['empty', (response) => response.end('{"keys": []}')],
  ['endless', (response) => response.end(`{"keys": [], "filling": "${'x'.repeat(300_000)}"}`)],
  [
    'without a usable key',
    (response) => response.end(JSON.stringify({ keys: [{ ...jwkOf(second), alg: 'RSA-OAEP' }] })),
  ],
]

test.each(FAILURES)(
  'an issuer that is %s: known keys are valid, and unknown ones are undecided',
  async (_what, fail) => {
    await kidsAt(0, 'first')
    issuer.answer = fail
    expect(await kidsAt(2 * HOUR, 'first')).toEqual([true])
    await expect(kidsAt(2 * HOUR, 'second')).rejects.toMatchObject({ reason: 'UNAVAILABLE' })
    expect(await kidsAt(24 * HOUR - 1, 'first')).toEqual([true])
    await expect(kidsAt(24 * HOUR + 1, 'first')).rejects.toMatchObject({ reason: 'UNAVAILABLE' })
  },
)

test('a key published while its issuer failed once was refused for a minute', async () => {
  await kidsAt(0, 'first')
  issuer.answer = (response) => response.writeHead(500).end('{}')
  const ask = (later: number) => expect(kidsAt(later, 'second')).rejects.toMatchObject({ reason: 'UNAVAILABLE' })
  await ask(10_000)
  await ask(10_999)
  expect(fetched()).toBe(2)
  issuer.publish(first, second)
  expect(await kidsAt(11_001, 'second')).toEqual([true])
  expect(fetched()).toBe(3)
})

test.each(FAILURES)(
  'an issuer that is %s from the start: all tokens are undecided, and it is not called for each',
  async (_what, fail) => {
    issuer.answer = fail
    const ask = (later: number) =>
      expect(kidsAt(later, 'first', 'first')).rejects.toMatchObject({ reason: 'UNAVAILABLE' })
    await ask(0)
    await ask(999)
    expect(fetched()).toBe(1)
    issuer.publish(first)
    expect(await kidsAt(1_001, 'first')).toEqual([true])
    expect(fetched()).toBe(2)
  },
)

test('a slow issuer: a caller with time gets the answer, others a refusal, and the answer serves the next', async () => {
  let release: (() => void) | undefined
  issuer.answer = (response) => {
    release = () => {
      issuer.publish(first)
      issuer.answer(response)
    }
  }
  await expect(keys.key('first', at(0, 20))).rejects.toMatchObject({ reason: 'UNAVAILABLE' })
  const patient = keys.key('first', at(1))
  release?.()
  expect(await patient).toBeDefined()
  expect(await kidsAt(2, 'first')).toEqual([true])
  expect(fetched()).toBe(1)
})

test('members of a set that are for something else, too short, or broken are passed over', async () => {
  const short = issuerKey('short', 1_024)
  const members = [
    jwkOf(first),
    jwkOf(short),
    { ...jwkOf(second), use: 'enc' },
    { ...jwkOf(second), kid: 'ec', kty: 'EC' },
    { ...jwkOf(second), kid: 7 },
    { ...jwkOf(second), kid: 'broken', n: '' },
    null,
    'text',
  ]
  issuer.answer = (response) => response.end(JSON.stringify({ keys: members }))
  expect(await kidsAt(0, 'first', 'short', 'second', 'ec', 'broken')).toEqual([true, false, false, false, false])
})

test.each([
  ['unsaid', undefined, HOUR],
  ['short', 'max-age=1', 60_000],
  ['said among others', 'public, max-age=120, must-revalidate', 120_000],
  ['long', 'max-age=99999999', 6 * HOUR],
  ['no number', 'max-age=soon', HOUR],
])('a lifetime that is %s is limited by its bounds', async (_what, cacheControl, lifetime) => {
  const body = JSON.stringify({ keys: [jwkOf(first)] })
  issuer.answer = (response) =>
    response.writeHead(200, { ...(cacheControl && { 'cache-control': cacheControl }) }).end(body)
  await kidsAt(0, 'first')
  await kidsAt(lifetime, 'first')
  expect(fetched()).toBe(1)
  await kidsAt(lifetime + 1, 'first')
  await settled(2)
})

test('an address must use HTTPS, or HTTP on this machine', () => {
  for (const address of [
    'ftp://issuer.test/certs',
    'http://issuer.test/certs',
    'http://127.0.0.1.issuer.test/certs',
    'http://localhost.issuer.test/certs',
    'http://10.0.0.1/certs',
  ])
    expect(() => new KeySetOf(address), address).toThrow('https://')
  for (const address of [
    'https://issuer.test/certs',
    'http://localhost:1/certs',
    'http://127.1:1/certs',
    'http://[::1]:1/certs',
  ])
    expect(new KeySetOf(address)).toBeInstanceOf(KeySetOf)
  expect(() => new KeySetOf('issuer')).toThrow()
})

const listed = (key: typeof first, more: object): object => ({ ...jwkOf(key), ...more })
const unnamed = (key: typeof first): object => ({ ...jwkOf(key), kid: undefined })

test('keys of one name are distinguished by algorithm, in any order of the set', async () => {
  for (const members of [
    [listed(first, { kid: 'same', alg: 'RS256' }), listed(second, { kid: 'same', alg: 'RS512' })],
    [listed(second, { kid: 'same', alg: 'RS512' }), listed(first, { kid: 'same', alg: 'RS256' })],
  ]) {
    issuer.publishSet(members)
    keys = new KeySetOf(issuer.keySet)
    expect((await keys.key('same', at(0), 'RS256'))?.key.equals(first.publicKey)).toBe(true)
    expect((await keys.key('same', at(0), 'RS512'))?.key.equals(second.publicKey)).toBe(true)
    expect(await keys.key('same', at(0), 'ES256')).toBeUndefined()
  }
})

test('a token without a name is verified with the only key that signs', async () => {
  issuer.publishSet([unnamed(first), { ...jwkOf(second), use: 'enc' }])
  expect((await keys.key(undefined, at(0), 'RS256'))?.key.equals(first.publicKey)).toBe(true)
  expect(await keys.key('first', at(0), 'RS256')).toBeUndefined() // an unknown key name
})

test('a token without a name is not verified with one of several keys', async () => {
  issuer.publish(first, second)
  expect(await keys.key(undefined, at(0), 'RS256')).toBeUndefined()
})
