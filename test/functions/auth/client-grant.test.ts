import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { thumbprintOf } from '../../../shared/crypto/x509/thumbprint.ts'
import { newClientId, newRequest, register } from '../../support/clients.ts'
import { authority as foreignAuthority } from '../../support/certificates.ts'
import type { KeyedCertificate } from '../../support/mutual-tls.ts'
import { openssl } from '../ca/ca.ts'
import { useClients } from './clients.ts'

const all = useClients()
const HOUR = 3_600_000

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

/** An authority of openssl's, which gives certificates of any subject. */
async function outsideAuthority(): Promise<{ id: string; issue: (subject: string) => Promise<KeyedCertificate> }> {
  const key = await openssl(['ecparam', '-name', 'prime256v1', '-genkey', '-noout'])
  const own = ['-key', '{key}', '-subj', '/CN=Outside', '-days', '3650', '-addext', 'keyUsage=critical,keyCertSign']
  const cert = await openssl(['req', '-x509', '-new', ...own], { key })
  const made = await all().ca.external({ cert })
  await all().admin.ok('PATCH', `/v1/ca/external-cas/${made.id as string}`, { allow_client_authentication: true })
  return {
    id: made.id as string,
    issue: async (subject) => {
      const asked = await newRequest(subject)
      const signed = [
        'x509',
        '-req',
        '-in',
        '{csr}',
        '-CA',
        '{cert}',
        '-CAkey',
        '{key}',
        '-days',
        '3650',
        '-extfile',
        '{ext}',
      ]
      const said = await openssl(signed, { csr: asked.csr, cert, key, ext: 'extendedKeyUsage=clientAuth' })
      return { cert: said.slice(said.indexOf('-----BEGIN')), key: asked.key }
    },
  }
}

test('a client is recognized by its id as the one UID of its subject', async () => {
  const [outside, another] = [await outsideAuthority(), await outsideAuthority()]
  const id = newClientId()
  const registered = await outside.issue(`/UID=${id}/CN=by-name`)
  await register({ id, name: 'by-name', caId: outside.id, identity: registered, mode: 'dn' }, all().now())
  await logsIn(id, registered)
  const later = await outside.issue(`/O=Shop/UID=${id}/CN=another`)
  await logsIn(id, later)
  await isRefused(id, await outside.issue(`/UID=${newClientId()}/CN=by-name`))
  await isRefused(id, await outside.issue(`/UID=${id}/UID=${newClientId()}/CN=two`))
  await isRefused(id, await outside.issue(`/CN=${id}`))
  await isRefused(id, await another.issue(`/UID=${id}/CN=by-name`))
  await all().change(id, { not_before: all().now().toISOString() }) // of a renewal, which those before it precede
  await isRefused(id, later)
  await logsIn(id, registered)
})

test('unknown, foreign and missing certificates, unknown clients and wrong ids get the same answer', async () => {
  const { id, identity } = await all().client()
  const second = await all().client()
  await isRefused(id)
  await isRefused(id, second.identity)
  await isRefused(newClientId(), identity)
  await isRefused('no id at all', identity)
  await isRefused(id, foreignAuthority('Clients Root').issue('client'))
  const plain = await all().service.call('POST', '/v1/auth/tokens', {
    body: { grant_type: 'client_credential', client_id: id },
  })
  expect(plain.status).toBe(401)
  await logsIn(id, identity)
})

test('a revoked, expired or deleted client does not log in', async () => {
  const { id, identity } = await all().client()
  await all().change(id, { revoked_at: all().now().toISOString() })
  await isRefused(id, identity)
  await all().change(id, { revoked_at: undefined, not_after: '2026-01-01T00:00:00Z' })
  await isRefused(id, identity)
  await all().change(id, undefined)
  await isRefused(id, identity)
})

test('the certificate before a renewal logs in until its time', async () => {
  const { id, identity } = await all().client()
  const next = await all().issued('/CN=renewed')
  const until = new Date(all().now().getTime() + 24 * HOUR).toISOString()
  const sha256 = (await all().ca.getCert(all().authority, next)).sha256Fingerprint as string
  const former = (await all().ca.getCert(all().authority, identity)) as {
    sha256Fingerprint: string
    serialNumber: string
  }
  await all().change(id, {
    sha256_fingerprint: sha256,
    former: { sha256_fingerprint: former.sha256Fingerprint, serial_number: former.serialNumber, until },
  })
  await logsIn(id, identity)
  await logsIn(id, next)
  await all().change(id, {
    former: {
      sha256_fingerprint: former.sha256Fingerprint,
      serial_number: former.serialNumber,
      until: all().now().toISOString(),
    },
  })
  await isRefused(id, identity)
  await logsIn(id, next)
})

test('a certificate that its authority revoked or put on hold does not log in, within five seconds', async () => {
  const { id, identity } = await all().client()
  await logsIn(id, identity)
  const { clock } = all().service.deployment
  await all().ca.revoke(all().authority, identity, 'certificateHold')
  clock.advance(5_000)
  await isRefused(id, identity)
  await all().ca.resume(all().authority, identity)
  clock.advance(5_000)
  await logsIn(id, identity)
  await all().ca.revoke(all().authority, identity, 'keyCompromise')
  clock.advance(5_000)
  await isRefused(id, identity)
})

test('an authority lets clients in by its flag alone, and only while it is there', async () => {
  const root = await all().ca.root({ cn: 'Flagged' })
  const identity = await all().issued('/CN=flagged', {}, root)
  const { id } = await all().client({ identity, caId: root.id as string })
  const { clock } = all().service.deployment
  await isRefused(id, identity)
  await all().allow(root, { user: true })
  clock.advance(5_000)
  await isRefused(id, identity)
  await all().allow(root, { client: true })
  clock.advance(5_000)
  await logsIn(id, identity)
  await all().allow(root, { client: false })
  clock.advance(5_000)
  await isRefused(id, identity)
})

test('certificates of servers and of authorities do not log in', async () => {
  for (const purpose of ['server', 'ca']) {
    const identity = await all().issued(`/CN=as-${purpose}`, { purpose })
    const { id } = await all().client({ identity })
    await isRefused(id, identity)
  }
})

test('a certificate logs in within its dates only', async () => {
  const { clock } = all().service.deployment
  const soon = new Date(all().now().getTime() + HOUR)
  const late = new Date(all().now().getTime() + 3 * HOUR)
  const identity = await all().issued('/CN=later', { notBefore: soon.toISOString(), notAfter: late.toISOString() })
  const { id } = await all().client({ identity })
  await isRefused(id, identity)
  clock.advance(2 * HOUR)
  await logsIn(id, identity)
  clock.advance(2 * HOUR)
  await isRefused(id, identity)
})

test('an external authority lets clients in while it says so, and stays while it has clients', async () => {
  const root = foreignAuthority('Elsewhere')
  const made = await all().ca.external({ cert: root.cert })
  const identity = root.issue('outside')
  const { id } = await all().client({ identity, caId: made.id as string })
  await isRefused(id, identity)
  await all().admin.ok('PATCH', `/v1/ca/external-cas/${made.id as string}`, { allow_client_authentication: true })
  all().service.deployment.clock.advance(5_000)
  await logsIn(id, identity)
  const at = `/v1/ca/external-cas/${made.id as string}`
  expect((await all().admin.call('DELETE', at)).status).toBe(409)
  await all().admin.ok('PATCH', at, { allow_client_authentication: false })
  all().service.deployment.clock.advance(5_000)
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
