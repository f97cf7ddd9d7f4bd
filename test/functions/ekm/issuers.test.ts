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

const makeSpace = () =>
  admin().ok('POST', '/v1/keymgr/ekm/cryptospaces', { name: nameOf(), keyURIHostname: HOST, ...POLICY })
const createKey = ({ path }: any, token: string) => ekm().send(`${path as string}:createKey`, {}, { token })

test('crypto spaces accept tokens of issuers of their domain, until they are deleted', async () => {
  const issuer = await make()
  const space = await makeSpace()
  expect((await createKey(space, tokenOf(issuer))).status).toBe(200)
  await admin().ok('DELETE', `${ISSUERS}/${issuer.id as string}`)
  ekm().letPass()
  expect(await createKey(space, tokenOf(issuer))).toEqual(NONE)
})

test('the policy and the audience count for these tokens as well, and no other token is accepted', async () => {
  const issuer = await make()
  const space = await makeSpace()
  const other = { email: 'other@shop.test' }
  expect(await createKey(space, tokenOf(issuer, other))).toEqual(refused(403, 'PERMISSION_DENIED'))
  expect(await createKey(space, tokenOf(issuer, { aud: 'https://other.example.test' }))).toEqual(NONE)
  expect(await createKey(space, tokenOf({ iss: iss() }))).toEqual(NONE)
  expect(await createKey(space, tokenOf(issuer, {}, issuerKey('own')))).toEqual(NONE)
  expect(await createKey(space, tokenOf({ iss: ekm().issuer.name }))).toEqual(NONE)
})

test('endpoints accept the cloud’s tokens only', async () => {
  expect(await wrap(await ekm().create(POLICY), tokenOf(await make()))).toEqual(NONE)
})
