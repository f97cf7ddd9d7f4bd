import { randomBytes, randomUUID } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import {
  SHOP,
  startCrm,
  type CalloutLogin,
  type CrmSeedCredential,
  type CrmSimulator,
} from '../../../../infra/simulators/crm/simulator.ts'
import { create, query, session, update, type Session } from './clients.ts'
import { keyAnswer, startKeyService, type KeyService, type Wrong } from './key-service.ts'

const MINUTE_MS = 60_000
const clock = createClock()
let simulator: CrmSimulator
let service: KeyService
let shop: Session
let pem: string

const BASIC = { kind: 'password', username: 'crm', password: 'pass:wörd' } as const

beforeEach(async () => {
  simulator = await startCrm({ clock })
  simulator.setIntervals('off')
  pem = await simulator.pemOf(SHOP, 'keymgr_wrapping')
  service = await startKeyService(pem)
  shop = await session(simulator)
  await create(shop, { Type: 'Data' })
  simulator.reset()
})
afterEach(async () => {
  await service.stop()
  await simulator.stop()
})

const credential = (change: Partial<CrmSeedCredential> = {}): string =>
  simulator.setCredential(SHOP, { developerName: 'keymgr', endpoint: service.endpoint, login: BASIC, ...change })

const fields = (change: object = {}) => ({
  ...{ Type: 'Data', Source: 'REMOTE', KeyDerivationMode: 'NONE', RemoteKeyIdentifier: randomUUID() },
  ...(!('RemoteKeyServiceId' in change) && { RemoteKeyServiceId: credential() }),
  ...{ RemoteKeyCertificate: 'keymgr_wrapping', ...change },
})
/** `OK`, or the message of the refusal. */
const register = async (change: object = {}): Promise<string> => {
  const { status, body } = await create(shop, fields(change))
  return status === 201 ? 'OK' : body[0].message
}
const registered = async (change: object = {}): Promise<string> => (await create(shop, fields(change))).body.id
const viewOf = (id: string) => simulator.secrets(SHOP).find((each) => each.id === id)

test('a cache-only key is fetched while it is registered', async () => {
  const id = await registered({ RemoteKeyIdentifier: 'a.b-c_1' })
  expect(simulator.materialOf(id)).toEqual(service.material)
  const { kid, requestId, headers } = service.callouts.at(-1) ?? {}
  expect([kid, requestId]).toEqual(['a.b-c_1', expect.stringMatching(/^[0-9a-f]{32}$/)])
  expect(headers).toMatchObject({
    authorization: `Basic ${Buffer.from('crm:pass:wörd').toString('base64')}`,
    'user-agent': expect.stringMatching(/^SFDC-Callout\/\d+/),
    accept: expect.not.stringContaining('json'),
    'cache-control': 'no-cache',
  })
  const found = await query(shop, `SELECT Source, KeyDerivationMode, SecretValue FROM TenantSecret WHERE Id = '${id}'`)
  expect(found.body.records).toMatchObject([{ Source: 'REMOTE', KeyDerivationMode: 'NONE', SecretValue: null }])
  expect(simulator.calls().at(0)).toMatchObject({ operation: 'CreateTenantSecret' })
  expect(simulator.calls().at(1)).toMatchObject({
    operation: 'Callout',
    params: { kid: 'a.b-c_1', credential: 'keymgr' },
  })
})

test('without replay detection the callout has no nonce', async () => {
  simulator.changeSettings(SHOP, { enableReplayDetection: false })
  expect(await register()).toBe('OK')
  expect(service.callouts.at(-1)?.requestId).toBeUndefined()
  service.answer = async (callout) => ({
    text: JSON.stringify(await keyAnswer(pem, callout, service.material, { header: { jti: 'x' } })),
  })
  expect(await register()).toContain('ILLEGAL_PARAMETERS_IN_JWE_HEADER')
})

test.each<[string, object, string]>([
  ['a derived one', { KeyDerivationMode: 'PBKDF2' }, 'never derived'],
  ['one with material', { SecretValue: 'AAAA' }, 'cannot be given'],
  ['one of the type Database', { Type: 'Database' }, 'no cache-only keys'],
  ['one without a certificate', { RemoteKeyCertificate: '' }, 'Required fields are missing: [RemoteKeyCertificate]'],
  ['one with an unknown credential', { RemoteKeyServiceId: '0XA000000000000AAA' }, 'invalid cross reference id'],
  ['one with other characters', { RemoteKeyIdentifier: 'a/b' }, 'characters'],
])('registering %s is refused before a callout', async (_what, change, message) => {
  const before = service.callouts.length
  expect(await register(change)).toContain(message)
  expect(service.callouts).toHaveLength(before)
})

test('the certificate must have 4096 bits, platform encryption and a private key that stays', async () => {
  const wish = { keySize: 4096, isEncryptedWithPlatform: true, isExportable: false }
  simulator.addCertificate(SHOP, { ...wish, developerName: 'exportable', isExportable: true })
  simulator.addCertificate(SHOP, { ...wish, developerName: 'plain', isEncryptedWithPlatform: false })
  simulator.addCertificate(SHOP, { ...wish, developerName: 'small', keySize: 2048 })
  simulator.addCertificate(SHOP, { ...wish, developerName: 'unusable', isUnusable: true })
  simulator.addCertificate(SHOP, { ...wish, developerName: 'expired', expiresAt: clock.now().getTime() - 1 })
  for (const name of ['exportable', 'plain', 'small', 'unusable', 'expired', 'none'])
    expect(await register({ RemoteKeyCertificate: name })).toContain('certificate')
})

test('the organization must allow cache-only keys, and have an active Data secret before the first one', async () => {
  simulator.changeSettings(SHOP, { enableCacheOnlyKeys: false })
  expect(await register()).toContain('enableCacheOnlyKeys')
  const empty = await startCrm({ clock })
  empty.setIntervals('off')
  const own = await session(empty)
  const RemoteKeyServiceId = empty.setCredential(SHOP, {
    ...{ developerName: 'keymgr', endpoint: service.endpoint, login: BASIC },
  })
  const attempt = async () => (await create(own, { ...fields(), RemoteKeyServiceId })).body[0]?.message ?? 'OK'
  expect(await attempt()).toContain('Data is required')
  await create(own, { Type: 'Data' })
  expect(await attempt()).toBe('OK')
  await empty.stop()
})

test('keys of the search index are cache-only on the older infrastructure only', async () => {
  expect(await register({ Type: 'SearchIndex' })).toBe('OK')
  simulator.changeSettings(SHOP, { isHyperforce: true })
  expect(await register({ Type: 'SearchIndex' })).toContain('no cache-only keys')
})

test('a key identifier can be registered once', async () => {
  expect(await register({ RemoteKeyIdentifier: 'twice' })).toBe('OK')
  expect(await register({ RemoteKeyIdentifier: 'twice' })).toContain('not unique')
})

test.each<[string, Wrong, string]>([
  ['another nonce', { header: { jti: 'other' } }, 'POTENTIAL_REPLAY_ATTACK_DETECTED'],
  ['no nonce', { header: { jti: undefined } }, 'POTENTIAL_REPLAY_ATTACK_DETECTED'],
  ['another key id', { header: { kid: 'other' } }, 'INCORRECT_KEYID_IN_JWE_HEADER'],
  ['a further member', { header: { typ: 'JWE' } }, 'ILLEGAL_PARAMETERS_IN_JWE_HEADER'],
  ['OAEP with SHA-256', { header: { alg: 'RSA-OAEP-256' } }, 'INCORRECT_ALGORITHM_IN_JWE_HEADER'],
  ['AES-128', { header: { enc: 'A128GCM' } }, 'INCORRECT_ENCRYPTION_ALGORITHM_IN_JWE_HEADER'],
  ['a key of 16 bytes', { plaintext: randomBytes(16) }, 'INCORRECT_DATA_ENCRYPTION_KEY_SIZE'],
  [
    'a key in base64',
    { plaintext: Buffer.from(randomBytes(32).toString('base64')) },
    'INCORRECT_DATA_ENCRYPTION_KEY_SIZE',
  ],
])('an answer with %s is refused', async (_what, wrong, problem) => {
  service.answer = async (callout) => ({ text: JSON.stringify(await keyAnswer(pem, callout, service.material, wrong)) })
  expect(await register()).toContain(problem)
})

type Good = Awaited<ReturnType<typeof keyAnswer>>
const altered = ({ jwe }: Good, index: number): string =>
  jwe
    .split('.')
    .map((part, n) => (n === index ? `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}` : part))
    .join('.')

test.each<[string, (good: Good) => string, string]>([
  ['an empty body', () => '', 'EMPTY_RESPONSE'],
  ['no JSON', () => '{', 'MALFORMED_JSON_RESPONSE'],
  ['a third member', (good) => JSON.stringify({ ...good, ok: true }), 'MALFORMED_JSON_RESPONSE'],
  ['another key id in the body', (good) => JSON.stringify({ ...good, kid: 'x' }), 'INCORRECT_KEYID_IN_JSON'],
  ['four parts', (good) => JSON.stringify({ ...good, jwe: good.jwe.split('.').slice(1).join('.') }), 'MALFORMED_JWE'],
  ['padding', (good) => JSON.stringify({ ...good, jwe: `${good.jwe}=` }), 'MALFORMED_JWE_RESPONSE'],
  [
    'another content key',
    (good) => JSON.stringify({ ...good, jwe: altered(good, 1) }),
    'MALFORMED_CONTENT_ENCRYPTION_KEY',
  ],
  ['another IV', (good) => JSON.stringify({ ...good, jwe: altered(good, 2) }), 'MALFORMED_DATA_ENCRYPTION_KEY'],
  ['another tag', (good) => JSON.stringify({ ...good, jwe: altered(good, 4) }), 'MALFORMED_DATA_ENCRYPTION_KEY'],
])('an answer with %s is refused as well', async (_what, change, problem) => {
  service.answer = async (callout) => ({ text: change(await keyAnswer(pem, callout, service.material)) })
  expect(await register()).toContain(problem)
})

test('an answer for another certificate is refused', async () => {
  simulator.addCertificate(SHOP, { developerName: 'other_wrapping', keySize: 4096, isEncryptedWithPlatform: true })
  const other = await simulator.pemOf(SHOP, 'other_wrapping')
  service.answer = async (callout) => ({
    text: JSON.stringify(await keyAnswer(other, callout, service.material)),
  })
  expect(await register()).toContain('MALFORMED_CONTENT_ENCRYPTION_KEY')
})

test.each([
  [401, 'AUTHENTICATION_FAILURE_RESPONSE'],
  [403, 'DESTROY_HTTP_CODE'],
  [404, 'DESTROY_HTTP_CODE'],
  [204, 'ERROR_HTTP_CODE'],
  [302, 'ERROR_HTTP_CODE'],
  [503, 'ERROR_HTTP_CODE'],
])('status %i is a failure', async (status, problem) => {
  service.answer = () => ({ status, text: '' })
  const before = simulator.secrets(SHOP).length
  expect(await register()).toContain(problem)
  expect(simulator.secrets(SHOP)).toHaveLength(before)
})

test('a host that does not resolve, plain HTTP elsewhere, and a slow service fail', async () => {
  for (const endpoint of ['https://keys.example.test/', 'http://keys.example.test/', 'http://127.0.0.1:9/'])
    expect(await register({ RemoteKeyServiceId: credential({ endpoint }) })).toContain('ERROR_HTTP_CODE')
  simulator.inject({ operation: 'Callout', fault: 'hang', times: 1 })
  expect(await register()).toContain('RESPONSE_TIMEOUT')
})

test('callouts can have a token, signed with a certificate of the organization', async () => {
  const login: CalloutLogin = {
    ...({ kind: 'jwt', certificate: 'keymgr_callouts' } as const),
    ...{ issuer: 'https://shop.my.example.test', subject: 'keymgr' },
    ...{ audience: 'keymgr', claims: { scope: 'keymgr_crm_cacheonly_key' } },
  }
  expect(await register({ RemoteKeyServiceId: credential({ login }) })).toBe('OK')
  const keys = await (await fetch(`${simulator.instanceOf(SHOP)}/id/keys`)).json()
  const token = String(service.callouts.at(-1)?.headers.authorization).replace('Bearer ', '')
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys as never), {
    currentDate: clock.now(),
  }) // a key set
  expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: 'keymgr_callouts' })
  expect(payload).toMatchObject({
    iss: 'https://shop.my.example.test',
    sub: 'keymgr',
    aud: 'keymgr',
    scope: 'keymgr_crm_cacheonly_key',
  })
  expect(Number(payload.exp) - Number(payload.iat)).toBe(120)
  const before = service.callouts.length
  service.answer = () => ({ status: 401, text: '' })
  expect(await register({ RemoteKeyServiceId: credential({ login }) })).toContain('AUTHENTICATION_FAILURE')
  expect(service.callouts).toHaveLength(before + 2) // it renews its token once
  credential({ login, isExternal: true })
  const published: any = await (await fetch(`${simulator.instanceOf(SHOP)}/id/keys`)).json() // `any`: a key set
  expect(published.keys).toEqual([])
})

test('an external credential must be open to automated processes, and hides its address', async () => {
  const id = credential({ isExternal: true, isOpenToProcesses: false })
  expect(await register({ RemoteKeyServiceId: id })).toContain('AUTHENTICATION_FAILURE_RESPONSE')
  const { body } = await query(
    shop,
    'SELECT Id, DeveloperName, MasterLabel, Endpoint, PrincipalType FROM NamedCredential',
  )
  expect(body.records).toMatchObject([{ Id: id, DeveloperName: 'keymgr', Endpoint: null }])
  credential()
  const { body: shown } = await query(shop, 'SELECT Endpoint FROM NamedCredential')
  expect(shown.records).toMatchObject([{ Endpoint: service.endpoint }])
})

test('a failed fetch destroys an active key; it is retried every minute, then every five, for a day', async () => {
  const id = await registered()
  service.answer = () => ({ status: 503, text: '' })
  expect(await simulator.flush(id)).toBe('ERROR_HTTP_CODE')
  expect(viewOf(id)).toMatchObject({ status: 'DESTROYED', isRetried: true })
  expect(simulator.materialOf(id)).toBeUndefined()
  const attempts = async (ms: number): Promise<number> => {
    const before = service.callouts.length
    clock.advance(ms)
    await simulator.fetchDue()
    return service.callouts.length - before
  }
  expect(await attempts(MINUTE_MS - 1_000)).toBe(0)
  for (let minute = 0; minute < 5; minute++) expect(await attempts(MINUTE_MS)).toBe(1)
  expect(await attempts(MINUTE_MS)).toBe(0)
  expect(await attempts(4 * MINUTE_MS)).toBe(1)
  service.answer = undefined
  expect(await attempts(5 * MINUTE_MS)).toBe(1)
  expect(viewOf(id)).toMatchObject({ status: 'ACTIVE', isRetried: false })
  expect(simulator.materialOf(id)).toEqual(service.material)
})

test('after a day no retry follows, until the key is activated', async () => {
  const id = await registered()
  service.answer = () => ({ status: 503, text: '' })
  await simulator.flush(id)
  service.answer = undefined
  clock.advance(24 * 60 * MINUTE_MS + 1)
  const before = service.callouts.length
  await simulator.fetchDue()
  expect(service.callouts).toHaveLength(before)
  shop = await session(simulator)
  expect((await update(shop, id, { Status: 'ACTIVE' })).status).toBe(204)
  expect(viewOf(id)).toMatchObject({ status: 'ACTIVE', isRetried: false })
})

test('one fetch can fail on request', async () => {
  const id = await registered()
  simulator.inject({ operation: 'Callout', fault: 'server-error', times: 1 })
  expect(await simulator.flush(id)).toBe('ERROR_HTTP_CODE')
  clock.advance(MINUTE_MS)
  await simulator.fetchDue()
  expect(viewOf(id)?.status).toBe('ACTIVE')
})

test('a cached key is fetched again after three days', async () => {
  const id = await registered()
  const count = () => service.callouts.length
  const before = count()
  clock.advance(71 * 60 * MINUTE_MS)
  await simulator.fetchDue()
  expect(count()).toBe(before)
  clock.advance(60 * MINUTE_MS)
  await simulator.fetchDue()
  expect(count()).toBeGreaterThan(before)
  expect(viewOf(id)?.status).toBe('ACTIVE')
})

test('an active cache-only key can be destroyed, and restored by activation, not by import', async () => {
  const id = await registered()
  expect((await update(shop, id, { Status: 'DESTROYED' })).status).toBe(204)
  expect(viewOf(id)).toMatchObject({ status: 'DESTROYED', isRetried: false })
  expect((await update(shop, id, { SecretValue: 'AAAA' })).code).toBe('FIELD_INTEGRITY_EXCEPTION')
  service.answer = () => ({ status: 403, text: '' })
  expect((await update(shop, id, { Status: 'ACTIVE' })).body[0].message).toContain('DESTROY_HTTP_CODE')
  expect(viewOf(id)?.status).toBe('DESTROYED')
  service.answer = undefined
  const next = await registered()
  expect((await update(shop, id, { Status: 'ACTIVE' })).status).toBe(204)
  expect([id, next].map((each) => viewOf(each)?.status)).toEqual(['ACTIVE', 'ARCHIVED'])
  expect((await update(shop, next, { Status: 'ACTIVE' })).code).toBe('FIELD_INTEGRITY_EXCEPTION') // archived
})

test('a cache-only key can move to another credential, which must serve it', async () => {
  const id = await registered()
  const wrong = simulator.setCredential(SHOP, { developerName: 'wrong', endpoint: 'http://127.0.0.1:9/', login: BASIC })
  expect((await update(shop, id, { RemoteKeyServiceId: wrong })).body[0].message).toContain('ERROR_HTTP_CODE')
  const right = simulator.setCredential(SHOP, { developerName: 'right', endpoint: service.endpoint, login: BASIC })
  expect((await update(shop, id, { RemoteKeyServiceId: right })).status).toBe(204)
  expect(simulator.calls().at(-1)).toMatchObject({ operation: 'Callout', params: { credential: 'right' } })
})
