import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { ROOT_DOMAIN_ID, uuid } from '../../../shared/base/ids.ts'
import { thumbprintOf } from '../../../shared/crypto/x509/thumbprint.ts'
import { authority as foreignAuthority } from '../../support/certificates.ts'
import type { KeyedCertificate } from '../../support/mutual-tls.ts'
import { newRequest } from '../ca/ca.ts'
import { useClients } from './clients.ts'

const all = useClients()
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const logsIn = async (id: string, identity: KeyedCertificate): Promise<string> => {
  const { status, body } = await all().logIn(id, identity)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.jwt as string
}
const isRefused = async (id: string, identity?: KeyedCertificate): Promise<void> => {
  const { status, body } = await all().logIn(id, identity)
  expect(status, JSON.stringify(body)).toBe(401)
  expect(body).toMatchObject({ code: 3, detail: expect.stringMatching(/^No active client has this client_id/) })
}

test('a client gets a token for its certificate, without a refresh token', async () => {
  const { id, identity } = await all().client({ name: 'till', groups: ['Key Users'] })
  const { status, body } = await all().logIn(id, identity)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toEqual({ jwt: expect.any(String), duration: 300, token_type: 'Bearer', client_id: id })
  expect(decodeJwt(body.jwt as string)).toMatchObject({
    sub: id,
    preferred_username: 'till',
    cust: {
      domain_id: ROOT_DOMAIN_ID,
      zone_id: ROOT_DOMAIN_ID,
      client_type: 'client',
      client_id: id,
      client_name: 'till',
      groups: ['Key Users', 'All Clients'],
    },
    cnf: { 'x5t#S256': thumbprintOf(identity.cert) },
  })
  const { resources } = await all().admin.ok('GET', '/v1/audit/records?message=Generate%20Token&username=till')
  expect(resources).toEqual([
    expect.objectContaining({ success: true, principal: { sub: id, groups: [], client_id: id } }),
  ])
  const ofClients = await all().admin.ok('GET', '/v1/audit/client-records?client_name=till&message=Generate%20Token')
  expect(ofClients.resources).toEqual(resources)
  const { id: record } = resources[0] as { id: string }
  expect(await all().admin.ok('GET', `/v1/audit/client-records/${record}`)).toEqual(resources[0])
})

test('curl gets a token with certificate and key', async () => {
  const { id, identity } = await all().client()
  const { deployment } = all().service
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-curl-'))
  const file = (name: string, text: string): string => {
    fs.writeFileSync(path.join(folder, name), text)
    return path.join(folder, name)
  }
  try {
    const { stdout } = await promisify(execFile)('curl', [
      ...['-s', '--cacert', file('ca.pem', String(deployment.caCertificate))],
      ...['--cert', file('client.pem', identity.cert), '--key', file('client.key', identity.key)],
      ...['-H', 'content-type: application/json', '-d', `{"grant_type":"client_credential","client_id":"${id}"}`],
      `${String(deployment.tlsBaseUrl)}/api/v1/auth/tokens/`,
    ])
    expect(JSON.parse(stdout)).toMatchObject({ client_id: id, token_type: 'Bearer' })
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
})

test('a client is recognized by its id in its subject, and by the certificates of its renewals', async () => {
  const { id, identity } = await all().client()
  await logsIn(id, identity)
  const renew = async (): Promise<KeyedCertificate> => {
    all().advance(MINUTE) // so that the certificates' validity begins in different seconds
    const { status, body } = await all().clients.renew({ id })
    expect(status, JSON.stringify(body)).toBe(200)
    return { cert: body.cert as string, key: body.key as string }
  }
  const second = await renew()
  await logsIn(id, identity)
  await logsIn(id, second)
  const third = await renew()
  await isRefused(id, identity)
  await logsIn(id, second)
  await logsIn(id, third)
})

test('a client is recognized by its fingerprint where its subject stays as it is', async () => {
  const { csr, key } = await newRequest('/CN=as-it-is')
  const token = await all().clients.token({ ca_id: all().authority.id })
  const body = { csr, do_not_modify_subject_dn: true }
  const { id, cert, authentication_mode: mode } = await all().clients.registered(token, body)
  expect(mode).toBe('fingerprint')
  await logsIn(id as string, { cert: cert as string, key })
  await isRefused(id as string, await all().issued('/CN=as-it-is'))
})

test('unknown, foreign and missing certificates, unknown clients and wrong ids get the same answer', async () => {
  const { id, identity } = await all().client()
  const second = await all().client()
  await isRefused(id)
  await isRefused(id, second.identity)
  await isRefused(uuid(new Date()), identity)
  await isRefused('no id at all', identity)
  await isRefused(id, foreignAuthority('Clients Root').issue('client'))
  const plain = await all().service.call('POST', '/v1/auth/tokens', {
    body: { grant_type: 'client_credential', client_id: id },
  })
  expect(plain.status).toBe(401)
  await logsIn(id, identity)
})

test('a revoked, expired or deleted client does not log in, although its certificate is valid', async () => {
  const outside = await all().clients.outside()
  const [revoked, gone] = [outside.issue('revoked'), outside.issue('gone')]
  const one = await all().client({ identity: revoked })
  await logsIn(one.id, revoked)
  expect((await all().clients.revoke(one)).status).toBe(200)
  await isRefused(one.id, revoked)
  const two = await all().client({ identity: gone })
  await logsIn(two.id, gone)
  expect((await all().clients.remove(two)).status).toBe(200)
  await isRefused(two.id, gone)
  const token = await all().clients.token({ ca_id: all().authority.id, cert_duration: 1 })
  const { id, identity } = await all().clients.machine(token)
  all().advance(DAY - MINUTE)
  await logsIn(id, identity)
  all().advance(MINUTE)
  await isRefused(id, identity)
})

test('the certificate before a renewal logs in for 24 hours', async () => {
  const { id, identity } = await all().client()
  const { body } = await all().clients.renew({ id })
  const next = { cert: body.cert as string, key: body.key as string }
  all().advance(DAY - MINUTE)
  await logsIn(id, identity)
  await logsIn(id, next)
  all().advance(MINUTE)
  await isRefused(id, identity)
  await logsIn(id, next)
})

test('a certificate that its authority revoked or put on hold does not log in, within five seconds', async () => {
  const one = await all().client()
  const { id, identity } = one
  const certificate = await all().clients.certificateOf(one)
  await logsIn(id, identity)
  await all().ca.revoke(all().authority, certificate, 'certificateHold')
  all().advance(5_000)
  await isRefused(id, identity)
  await all().ca.resume(all().authority, certificate)
  all().advance(5_000)
  await logsIn(id, identity)
  await all().ca.revoke(all().authority, certificate, 'keyCompromise')
  all().advance(5_000)
  await isRefused(id, identity)
})

test('an authority authenticates clients only while its flag is set', async () => {
  const root = await all().ca.root({ cn: 'Flagged' })
  await all().allow(root, { client: true })
  const { id, identity } = await all().client({}, root)
  await logsIn(id, identity)
  for (const flags of [{ client: false }, { client: false, user: true }]) {
    await all().allow(root, flags)
    all().advance(5_000)
    await isRefused(id, identity)
  }
  await all().allow(root, { client: true, user: false })
  all().advance(5_000)
  await logsIn(id, identity)
})

test('a certificate logs in within its dates only', async () => {
  const outside = await all().clients.outside()
  const now = all().service.deployment.clock.now().getTime()
  const identity = outside.issue('for a while', { from: new Date(now - HOUR), until: new Date(now + HOUR) })
  const { id } = await all().client({ identity })
  await logsIn(id, identity)
  all().advance(-2 * HOUR)
  await isRefused(id, identity)
  all().advance(4 * HOUR)
  await isRefused(id, identity)
})

test('an external authority authenticates clients while its flag is set, and cannot be deleted while it has clients', async () => {
  const { at, issue } = await all().clients.outside()
  const identity = issue('outside')
  const { id } = await all().client({ identity })
  await logsIn(id, identity)
  expect((await all().admin.call('DELETE', at)).status).toBe(409)
  await all().admin.ok('PATCH', at, { allow_client_authentication: false })
  all().advance(5_000)
  await isRefused(id, identity)
})

test.each([
  ['domain', 'child'],
  ['auth_domain', 'child'],
  ['auth_domain_path', '/root/child'],
])('clients log in to the root domain: %s %s is refused', async (field, value) => {
  const { id, identity } = await all().client()
  const { status, body } = await all().logIn(id, identity, { [field]: value })
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: [{ pointer: '#/domain', detail: 'clients log in to the root domain only' }],
  })
  expect((await all().logIn(id, identity, { [field]: 'root' })).status).toBe(200)
})

test('a log-in by password answers the client_id that it named, and so does its renewal', async () => {
  const { service } = all()
  const ask = (body: object) => service.call('POST', '/v1/auth/tokens', { body })
  const first = await ask({ name: 'admin', password: 'Correct-Horse-7', client_id: 'shell' })
  expect(first.body.client_id).toBe('shell')
  const next = await ask({ grant_type: 'refresh_token', refresh_token: first.body.refresh_token })
  expect(next.body.client_id).toBe('shell')
})
