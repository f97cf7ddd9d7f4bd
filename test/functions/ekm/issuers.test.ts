import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issuerKey, mint, startIssuer, type Issuer, type IssuerKey } from '../../support/issuer.ts'
import { expectRefused } from '../vault/vault.ts'
import { HOST, refused, useEkm } from './ekm.ts'

const ekm = useEkm()
const admin = () => ekm().vault.admin
const ISSUERS = '/v1/keymgr/ekm/issuers'
const EMAIL = 'reader@shop.test'

let server: Issuer
let key: IssuerKey
beforeAll(async () => {
  key = issuerKey('own')
  server = await startIssuer(key)
})
afterAll(() => server.stop())

const nameOf = () => `i-${randomBytes(6).toString('hex')}`
const iss = () => `https://${randomBytes(4).toString('hex')}.issuer.test`
const make = (more: object = {}) =>
  admin().ok('POST', ISSUERS, { name: nameOf(), iss: iss(), jwksURL: server.keySet, ...more })
const tokenOf = (issuer: any, more: object = {}, by = key) =>
  mint(by, { ...ekm().claims({ iss: issuer.iss, email: EMAIL, ...more }) })
const wrap = (endpoint: any, token: string) => ekm().call(endpoint, 'wrap', { plaintext: 'AAAA' }, { token })

const NONE = refused(401, 'UNAUTHENTICATED')
const POLICY = { policy: { basic: { clients: [EMAIL] } } }

test('an issuer is created, shown, listed beside the built-in one, renamed and deleted', async () => {
  const issuer = await make()
  const one = `${ISSUERS}/${issuer.id as string}`
  expect(await admin().ok('GET', one)).toEqual(issuer)
  const { resources } = await admin().ok('GET', `${ISSUERS}?limit=1000`)
  expect(resources).toContainEqual(issuer)
  expect(resources).toContainEqual(expect.objectContaining({ name: 'built-in', iss: ekm().issuer.name }))
  const renamed = await admin().ok('PATCH', one, { name: `${issuer.name as string}-2` })
  expect(renamed).toMatchObject({ name: `${issuer.name as string}-2`, iss: issuer.iss })
  await admin().ok('DELETE', one)
  expectRefused(await admin().call('GET', one), 404, 5)
})

test('the built-in issuer is read-only', async () => {
  const { resources } = await admin().ok('GET', `${ISSUERS}?name=built-in`)
  const one = `${ISSUERS}/${resources[0].id as string}`
  expect(await admin().ok('GET', one)).toMatchObject({ name: 'built-in', jwksURL: ekm().issuer.keySet })
  expectRefused(await admin().call('PATCH', one, { name: 'mine' }), 409, 8)
  expectRefused(await admin().call('DELETE', one), 409, 8)
})

test('issuers are checked when they are created', async () => {
  const issuer = await make()
  const body = { name: nameOf(), jwksURL: server.keySet }
  expectRefused(await admin().call('POST', ISSUERS, { ...body, iss: issuer.iss }), 409, 7)
  expectRefused(await admin().call('POST', ISSUERS, { ...body, iss: ekm().issuer.name }), 409, 7)
  expectRefused(await admin().call('POST', ISSUERS, body), 422, 2)
  expectRefused(
    await admin().call('POST', ISSUERS, { ...body, iss: iss(), jwksURL: 'http://keys.example.test/certs' }),
    422,
    2,
  )
})

test('tokens of an issuer of the domain are accepted by its endpoints, until it is deleted', async () => {
  const issuer = await make()
  const endpoint = await ekm().create(POLICY)
  expect((await wrap(endpoint, tokenOf(issuer))).status).toBe(200)
  await admin().ok('DELETE', `${ISSUERS}/${issuer.id as string}`)
  ekm().letPass()
  expect(await wrap(endpoint, tokenOf(issuer))).toEqual(NONE)
})

test('the policy, the audience and the times are checked for these tokens too', async () => {
  const issuer = await make()
  const endpoint = await ekm().create(POLICY)
  const seconds = Math.floor(ekm().now.getTime() / 1_000)
  expect(await wrap(endpoint, tokenOf(issuer, { email: 'other@shop.test' }))).toEqual(refused(403, 'PERMISSION_DENIED'))
  for (const claims of [
    { aud: 'https://other.example.test' },
    { exp: seconds - 3_600, iat: seconds - 7_200 },
    { email_verified: false },
  ])
    expect(await wrap(endpoint, tokenOf(issuer, claims)), JSON.stringify(claims)).toEqual(NONE)
})

test('tokens of an unknown issuer, of another key, or with the cloud’s name are refused', async () => {
  const issuer = await make()
  const endpoint = await ekm().create(POLICY)
  const other = issuerKey('own')
  expect(await wrap(endpoint, tokenOf({ iss: iss() }))).toEqual(NONE)
  expect(await wrap(endpoint, tokenOf(issuer, {}, other))).toEqual(NONE)
  expect(await wrap(endpoint, tokenOf({ iss: ekm().issuer.name }))).toEqual(NONE)
  expect(await wrap({ key_path: `/api/v1/keymgr/ekm/endpoints/${'0'.repeat(64)}` }, tokenOf(issuer))).toEqual(NONE)
})

test('an issuer of the domain cannot identify accounts of the cloud', async () => {
  const issuer = await make()
  const email = 'Service-1@gcp-sa-ekms.iam.gserviceaccount.com'
  const endpoint = await ekm().create({ policy: { basic: { clients: [email.toLowerCase(), EMAIL] } } })
  expect(await wrap(endpoint, tokenOf(issuer, { email }))).toEqual(NONE)
  expect((await wrap(endpoint, tokenOf(issuer))).status).toBe(200)
  expect((await wrap(endpoint, ekm().token({ email }))).status, 'the cloud itself can').toBe(200)
})

test('an issuer of one domain is unknown in another', async () => {
  const { root } = ekm().vault.service
  const token = await root.logIn()
  const body = { name: nameOf(), iss: iss(), jwksURL: server.keySet }
  const theirs = await root.call('POST', ISSUERS, { token, body })
  expect(theirs.status, JSON.stringify(theirs.body)).toBe(201)
  expect((await admin().call('GET', `${ISSUERS}/${theirs.body.id as string}`)).status).toBe(404)
  expect(await wrap(await ekm().create(POLICY), tokenOf(body))).toEqual(NONE)
})

test('crypto spaces accept tokens of issuers of their domain', async () => {
  const issuer = await make()
  const body = { name: nameOf(), keyURIHostname: HOST, ...POLICY }
  const { path } = await admin().ok('POST', '/v1/keymgr/ekm/cryptospaces', body)
  const createKey = (token: string) => ekm().send(`${path as string}:createKey`, {}, { token })
  expect((await createKey(tokenOf(issuer))).status).toBe(200)
  expect(await createKey(tokenOf({ iss: iss() }))).toEqual(NONE)
})
