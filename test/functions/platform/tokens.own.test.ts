import { beforeAll, describe, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { call, useService } from '../../support/service.ts'
import { CREDENTIALS, EXPORTS, INSTANCES, Platform, TOKEN, type Credential } from './platform.ts'

const service = useService()
let platform: Platform
let admin = ''
let own: Credential
let child = { admin: '', id: '' }
let ofChild: Credential

beforeAll(async () => {
  platform = new Platform(service())
  admin = await service().logIn()
  own = await platform.credential(admin, 'siem')
  const made = await childAdmin(service())
  child = { admin: made.child, id: made.childId }
  ofChild = await platform.credential(child.admin, 'siem')
})

describe('a platform credential', () => {
  test('shows its secret once, to its creator', async () => {
    expect(own.client_secret).toMatch(/^[\w-]{43}$/)
    const { body: listed } = await service().call('GET', `${CREDENTIALS}?name=siem`, { token: admin })
    expect(listed).toMatchObject({ total: 1, resources: [{ id: own.id, name: 'siem', client_id: own.client_id }] })
    const { body: got } = await service().call('GET', `${CREDENTIALS}/${own.id}`, { token: admin })
    expect(JSON.stringify([listed, got])).not.toContain(own.client_secret)
    expect(JSON.stringify([listed, got])).not.toContain('secret_hash')
    const records = await service().call('GET', '/v1/audit/records?message=Create%20Platform*', { token: admin })
    expect(records.body.total).toBe(1)
    expect(JSON.stringify(records.body)).not.toContain(own.client_secret)
  })

  test('is managed only by administrators of its domain', async () => {
    const { token: auditor } = await service().userIn(admin, 'auditor', ['Audit Admins'])
    expect((await service().call('POST', CREDENTIALS, { token: auditor, body: { name: 'x' } })).status).toBe(403)
    expect((await service().call('GET', CREDENTIALS, { token: auditor })).status).toBe(403)
    expect((await service().call('GET', `${CREDENTIALS}/${own.id}`, { token: child.admin })).status).toBe(404)
    expect((await service().call('DELETE', `${CREDENTIALS}/${own.id}`, { token: child.admin })).status).toBe(404)
    const taken = await service().call('POST', CREDENTIALS, { token: admin, body: { name: 'siem' } })
    expect(taken).toMatchObject({ status: 409, body: { errors: [{ pointer: '#/name' }] } })
  })

  test('stops within five seconds when it is revoked', async () => {
    const { clock } = service().deployment
    const short = await platform.credential(admin, 'short')
    const token = await platform.token(short)
    expect((await platform.call('GET', INSTANCES, token)).status).toBe(200)
    expect((await service().call('DELETE', `${CREDENTIALS}/${short.id}`, { token: admin })).status).toBe(200)
    expect(await platform.tryToken(short)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    clock.advance(5_000)
    expect((await platform.call('GET', INSTANCES, token)).status).toBe(401)
  })
})

describe('a platform token', () => {
  test('lives an hour', async () => {
    const { clock } = service().deployment
    const { body, headers } = await platform.tryToken(own)
    expect(body).toEqual({ access_token: expect.any(String) as string, token_type: 'Bearer', expires_in: 3_600 })
    expect(headers.get('cache-control')).toBe('no-store')
    clock.advance(3_590_000)
    expect((await platform.call('GET', INSTANCES, body.access_token as string)).status).toBe(200)
    clock.advance(20_000)
    expect(await platform.call('GET', INSTANCES, body.access_token as string)).toMatchObject({ status: 401 })
    admin = await service().logIn()
  })

  test('is for the platform, and no other token is', async () => {
    const token = await platform.token(own)
    expect((await service().call('GET', '/v1/audit/records', { token })).status).toBe(401)
    expect((await service().call('GET', '/v1/auth/self/user', { token })).status).toBe(401)
    expect((await platform.call('GET', INSTANCES, admin)).status).toBe(401)
    expect((await platform.call('POST', EXPORTS, admin, {})).status).toBe(401)
    expect((await platform.call('GET', INSTANCES)).status).toBe(401)
    expect((await platform.call('GET', INSTANCES, `${token.slice(0, -4)}AAAA`)).status).toBe(401)
  })

  test('leaves a record that names its credential', async () => {
    await platform.token(own)
    await platform.tryToken({ ...own, client_secret: 'wrong' })
    const { body } = await service().call('GET', '/v1/audit/records?message=Generate%20Platform%20Token&limit=2', {
      token: admin,
    })
    expect(body.resources).toMatchObject([
      { success: false, username: 'siem' },
      { success: true, username: 'siem', service: 'platform', principal: { sub: own.id, client_id: own.client_id } },
    ])
  })
})

describe('the token endpoint refuses in the words of RFC 6749', () => {
  const good = () => ({ grant_type: 'client_credentials', client_id: own.client_id, client_secret: own.client_secret })
  test.each<[string, number, string, () => Readonly<Record<string, string>> | string]>([
    ['another grant', 400, 'unsupported_grant_type', () => ({ ...good(), grant_type: 'password' })],
    ['no grant', 400, 'invalid_request', () => ({ client_id: own.client_id, client_secret: own.client_secret })],
    ['no secret', 400, 'invalid_request', () => ({ grant_type: 'client_credentials', client_id: own.client_id })],
    ['nothing', 400, 'invalid_request', () => ({})],
    ['a field twice', 400, 'invalid_request', () => `${new URLSearchParams(good()).toString()}&client_id=x`],
    ['a wrong secret', 401, 'invalid_client', () => ({ ...good(), client_secret: 'x' })],
    ['no secret in it', 401, 'invalid_client', () => ({ ...good(), client_secret: '' })],
    ['an unknown client', 401, 'invalid_client', () => ({ ...good(), client_id: 'someone' })],
    ["another domain's", 401, 'invalid_client', () => ({ ...good(), client_id: `${own.id}.${child.id}` })],
  ])('%s', async (_what, status, error, fields) => {
    const answer = await platform.form(fields())
    expect(answer).toMatchObject({ status, body: { error, error_description: expect.any(String) as string } })
    expect(answer.headers.get('content-type')).toBe('application/json')
    if (status === 401) expect(answer.headers.get('www-authenticate')).toBe('Basic')
    expect(JSON.stringify(answer.body)).not.toContain(own.client_secret)
  })

  test('a client may authenticate by HTTP Basic, in place of the form', async () => {
    const basic = (secret: string): Record<string, string> => ({
      authorization: `Basic ${Buffer.from(`${encodeURIComponent(own.client_id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
    })
    const grant = { grant_type: 'client_credentials' }
    expect((await platform.form(grant, basic(own.client_secret))).status).toBe(200)
    expect((await platform.form({ ...grant, client_id: own.client_id }, basic(own.client_secret))).status).toBe(200)
    expect(await platform.form(grant, basic('x'))).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    for (const more of [good(), { ...grant, client_id: 'another' }])
      expect(await platform.form(more, basic(own.client_secret))).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      })
  })

  test('a JSON body is refused: the call accepts a form', async () => {
    const answer = await call(service().deployment.baseUrl, 'POST', TOKEN, { body: good() })
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: expect.stringContaining('must be a form') as string },
    })
    expect(answer.body).not.toHaveProperty('access_token')
  })

  test('unknown fields are ignored', async () => {
    expect((await platform.form({ ...good(), scope: 'audit' })).status).toBe(200)
  })
})

test('service instances are the own domain, and for the root its children', async () => {
  const { body: one } = await platform.call('GET', INSTANCES, await platform.token(ofChild))
  expect(one).toMatchObject({ total: 1, resources: [{ tenantID: child.id, type: 'dsp' }] })
  const { body: all } = await platform.call('GET', INSTANCES, await platform.token(own))
  expect(all.total).toBe(2)
  expect(all.resources.map(({ id }: any) => id as string)).toContain(one.resources[0].id)
})
