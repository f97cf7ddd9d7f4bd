import { createServer } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../infra/local/clock.ts'
import { startPeople } from '../../../infra/local/people.ts'
import { useService, type Answered } from '../../support/service.ts'
import { temporaryFolder } from './deployment-support.ts'

/** Log-ins of every kind with what `npm start` has, over HTTP. */
const service = useService()
let admin = ''
const asAdmin = (method: string, path: string, body: object = {}) =>
  service().call(method, path, { token: admin, body })
const anyone = (path: string, body: object) =>
  service().call('POST', path, { body: { ...service().domainField, ...body } })

interface Described {
  readonly connection: Readonly<Record<string, string>>
  readonly people: readonly { readonly name: string; readonly password: string }[]
}
const described = (name: string) => service().deployment.endpoints()[name] as Described
const OWNERS = [{ external: 'key-owners', group: 'Key Admins' }]

async function connect(name: string, strategy: string, fields: object): Promise<void> {
  const body = { name, strategy, create_users: true, group_mappings: OWNERS, [strategy]: fields }
  const made = await asAdmin('POST', '/v1/usermgmt/connections', body)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  expect((await asAdmin('POST', `/v1/usermgmt/connections/${name}/test`)).body).toEqual({ connection_ok: true })
}

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
function isLoggedIn({ status, body }: Answered, name: string): void {
  expect(status, JSON.stringify(body)).toBe(200)
  const { preferred_username, cust } = claimsOf(body.jwt as string)
  expect(preferred_username).toBe(name)
  expect(cust.groups.includes('Key Admins')).toBe(name === 'alice')
}

beforeAll(async () => {
  admin = await service().logIn()
  await connect('sso', 'oidc', described('identity_provider').connection)
})

test('alice logs in at the directory, over each kind of TLS', async () => {
  const { connection, people } = described('directory')
  const password = people.find(({ name }) => name === 'alice')?.password
  await connect('company', 'ldap', connection)
  const plain = { url: connection.url?.replace('ldaps:', 'ldap:'), start_tls: true }
  await connect('company-by-start-tls', 'ldap', { ...connection, ...plain })
  const asked = { connection: 'company', name: 'alice' }
  expect((await anyone('/v1/auth/tokens', { ...asked, password: 'wrong' })).status).toBe(401)
  isLoggedIn(await anyone('/v1/auth/tokens', { ...asked, password }), 'alice')
})

const form = (values: object) => ({
  method: 'POST',
  redirect: 'manual' as const,
  body: new URLSearchParams({ ...values }),
})

test('bob logs in at the identity provider by code, as from the console', async () => {
  const { connection, people } = described('identity_provider')
  const redirect_uri = `${service().deployment.baseUrl}/console/`
  const { status, body } = await anyone('/v1/auth/oidc/authorizations', { connection: 'sso', redirect_uri })
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body.authorization_url).toContain(connection.issuer)
  const page = await fetch(body.authorization_url as string)
  expect(await page.text()).toContain('type="password"')
  const bob = { username: 'bob', password: people.find(({ name }) => name === 'bob')?.password }
  const sent = await fetch(body.authorization_url as string, form(bob))
  const back = new URL(sent.headers.get('location') ?? '')
  expect(`${back.origin}${back.pathname}`).toBe(redirect_uri)
  const { authorization_token } = body
  const returned = { authorization_token, ...Object.fromEntries(back.searchParams) }
  isLoggedIn(await anyone('/v1/auth/tokens', { grant_type: 'authorization_code', ...returned }), 'bob')
})

test('bob confirms a device in a browser', async () => {
  const { body } = await anyone('/v1/auth/oidc/device-authorizations', { connection: 'sso' })
  const ask = () => anyone('/v1/auth/tokens', { grant_type: 'device_code', device_token: body.device_token })
  const { searchParams } = new URL(body.verification_uri_complete as string)
  const confirmed = { username: 'bob', password: 'password of bob', user_code: searchParams.get('user_code') }
  expect((await fetch(body.verification_uri as string, form(confirmed))).status).toBe(200)
  isLoggedIn(await ask(), 'bob')
})

const undo: (() => unknown)[] = []
afterAll(async () => {
  for (const step of undo) await step()
})

test('a restart keeps the addresses, unless another program uses one', async () => {
  const setting = { clock: createClock(), dataDir: temporaryFolder(), identity: undefined, tlsBaseUrl: undefined }
  const start = async () => {
    const steps: (() => unknown)[] = []
    const { endpoints } = await startPeople(setting, steps)
    for (const step of steps) await step()
    return endpoints as Record<'directory' | 'identity_provider', Described>
  }
  const first = await start()
  expect(await start()).toEqual(first)
  const other = createServer().listen(
    Number(new URL(first.identity_provider.connection.issuer ?? '').port),
    '127.0.0.1',
  )
  await once(other, 'listening')
  undo.push(() => other.close())
  const second = await start()
  expect(second.identity_provider.connection.issuer).not.toBe(first.identity_provider.connection.issuer)
  expect(second.directory).toEqual(first.directory)
})
