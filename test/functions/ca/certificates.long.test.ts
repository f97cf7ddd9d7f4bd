import { beforeAll, describe, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { DAY, expectRefused, useVault } from '../vault/vault.ts'
import { authoritiesOf, openssl, someName, verified } from './ca.ts'

const vault = useVault()
const admin = () => vault().admin
let ca: ReturnType<typeof authoritiesOf>
let root: any
beforeAll(async () => {
  ca = authoritiesOf(admin())
  root = await ca.root({ cn: 'Root' })
})

const PURPOSES = [
  ['server', 'sslserver'],
  ['client', 'sslclient'],
] as const

describe('a certificate', () => {
  test.each(PURPOSES)('for a %s has the names and the key of its request', async (purpose, known) => {
    const cn = someName('leaf')
    const { csr, key } = await ca.request({ cn, dnsNames: ['shop.example.test'], ipAddresses: ['10.1.2.3'] })
    const issued = await ca.issue(root, { purpose, csr, name: someName('cert') })
    expect(issued).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      uri: expect.stringMatching(/:ca:certificate:/),
      account: expect.any(String),
      application: expect.any(String),
      devAccount: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      name: expect.stringMatching(/^cert-/),
      ca: root.uri,
      purpose,
      state: 'active',
      cert: expect.stringMatching(/^-----BEGIN CERTIFICATE-----/),
      serialNumber: expect.stringMatching(/^[0-9a-f]{32,40}$/),
      subject: `CN=${cn}`,
      issuer: 'CN=Root',
      notBefore: expect.any(String),
      notAfter: expect.any(String),
      sha256Fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(Date.parse(issued.notAfter) - Date.parse(issued.notBefore)).toBe(365 * DAY)
    expect(await verified(issued.cert, root.cert, '-purpose', known)).toMatch(/OK/)
    const text = await openssl(['x509', '-in', '{cert}', '-noout', '-text'], { cert: issued.cert })
    expect(text).toContain('DNS:shop.example.test, IP Address:10.1.2.3')
    const [own, its] = await Promise.all([
      openssl(['pkey', '-in', '{key}', '-pubout'], { key }),
      openssl(['x509', '-in', '{cert}', '-noout', '-pubkey'], { cert: issued.cert }),
    ])
    expect(its).toBe(own)
    expect(await ca.getCert(root, issued)).toEqual(issued)
  })

  test('for a server whose request has only a common name warns that clients will not find it', async () => {
    const { csr } = await ca.request({ cn: 'shop.example.test' })
    const issued = await ca.issue(root, { purpose: 'server', csr })
    expect(issued.warnings).toEqual([expect.stringContaining('alternative name')])
    expect(await ca.getCert(root, issued)).toEqual(issued)
    expect(await ca.issue(root, { purpose: 'client', csr })).not.toHaveProperty('warnings')
  })

  test('for a workload has the URI of its request, and its Ed25519 key', async () => {
    const key = await openssl(['genpkey', '-algorithm', 'ed25519'], {})
    const asked = ['-addext', 'subjectAltName=URI:spiffe://shop.example/payment']
    const csr = await openssl(['req', '-new', '-key', '{key}', '-subj', '/CN=payment', ...asked], { key })
    const issued = await ca.issue(root, { purpose: 'server', csr })
    expect(issued).not.toHaveProperty('warnings')
    const text = await openssl(['x509', '-in', '{cert}', '-noout', '-text'], { cert: issued.cert })
    expect(text).toContain('URI:spiffe://shop.example/payment')
    expect(text).toContain('ED25519')
    expect(await verified(issued.cert, root.cert, '-purpose', 'sslserver')).toMatch(/OK/)
  })

  test('for an authority signs end certificates, but no further authorities', async () => {
    const below = await ca.pending({ cn: 'Below' })
    const { cert } = await ca.issue(root, { purpose: 'ca', csr: below.csr })
    const parent = await ca.external({ cert: root.cert })
    const active = await admin().ok('POST', ca.at(below, '/install'), { cert, parent_id: parent.id })
    const leaf = await ca.issue(active)
    const chain = ['verify', '-x509_strict', '-CAfile', '{root}', '-untrusted', '{below}', '{leaf}']
    expect(await openssl(chain, { root: root.cert, below: cert, leaf: leaf.cert })).toMatch(/OK/)
    const further = await ca.pending({ cn: 'Further' })
    expectRefused(await ca.tryIssue(active, { purpose: 'ca', csr: further.csr }), 422, 2)
  })

  test('has a serial number of its own', async () => {
    const { csr } = await ca.request()
    const issued = await Promise.all(Array.from({ length: 8 }, () => ca.issue(root, { csr })))
    expect(new Set(issued.map(({ serialNumber }) => serialNumber)).size).toBe(8)
  })

  test('does not outlive its authority', async () => {
    const short = await ca.root({}, { duration: 10 })
    const { csr } = await ca.request()
    const body = { csr, purpose: 'server' }
    expectRefused(await ca.tryIssue(short, { ...body, duration: 11 }), 422, 2, '#/duration')
    expectRefused(await ca.tryIssue(short, { ...body, notAfter: vault().at(11 * DAY) }), 422, 2, '#/notAfter')
    expectRefused(await ca.tryIssue(short, { ...body, notBefore: vault().at(-DAY) }), 422, 2, '#/notBefore')
    expect((await ca.issue(short, { csr })).notAfter).toBe(short.notAfter)
    expect((await ca.issue(short, { csr, duration: 5 })).notAfter).not.toBe(short.notAfter)
  })

  test('is for one request that is in order', async () => {
    const { csr } = await ca.request()
    const wild = (await ca.request({ cn: 'all', dnsNames: ['*.example.test'] })).csr
    const forged = csr.replace(/.{8}\n-----END/, (end) => `${end.startsWith('AAAA') ? 'BBBB' : 'AAAA'}${end.slice(4)}`)
    for (const bad of ['none', csr + csr, root.cert, forged, 'A'.repeat(70_000)])
      expectRefused(await ca.tryIssue(root, { csr: bad, purpose: 'server' }), 422, 2, '#/csr')
    expect((await ca.tryIssue(root, { csr: wild, purpose: 'server' })).status).toBe(201)
    expectRefused(await ca.tryIssue(root, { csr: wild, purpose: 'client' }), 422, 2)
    expectRefused(await ca.tryIssue(root, { csr, purpose: 'other' }), 422, 2, '#/purpose')
    expectRefused(await ca.tryIssue(root, { purpose: 'server' }), 422, 2, '#/csr')
    expectRefused(await ca.tryIssue(await ca.pending(), { csr, purpose: 'server' }), 409, 8)
  })

  test('is not issued with a key that is deactivated', async () => {
    const other = await ca.root()
    await admin().act(`ca-${other.id as string}`, 'revoke', { reason: 'CessationOfOperation' })
    expectRefused(await ca.tryIssue(other, { csr: (await ca.request()).csr, purpose: 'server' }), 409, 8)
  })
})

describe('revoking', () => {
  test('is for good, with its reason', async () => {
    const issued = await ca.issue(root)
    const { status, body } = await ca.revoke(root, issued, 'keyCompromise')
    expect([status, body]).toEqual([
      200,
      {
        ...issued,
        state: 'revoked',
        revoked_at: expect.any(String),
        revoked_reason: 'keyCompromise',
        updatedAt: expect.any(String),
      },
    ])
    expectRefused(await ca.revoke(root, issued, 'superseded'), 409, 8)
    expectRefused(await ca.resume(root, issued), 409, 8)
    expect(await ca.getCert(root, issued)).toEqual(body)
  })

  test('needs a known reason', async () => {
    const issued = await ca.issue(root)
    expectRefused(await ca.revoke(root, issued, 'boredom'), 422, 2, '#/reason')
    expectRefused(await admin().call('POST', ca.certAt(root, issued, '/revoke'), {}), 422, 2, '#/reason')
  })

  test('can be a hold, which can be lifted', async () => {
    const issued = await ca.issue(root)
    expectRefused(await ca.resume(root, issued), 409, 8)
    expect((await ca.revoke(root, issued, 'certificateHold')).body.state).toBe('hold')
    expectRefused(await ca.revoke(root, issued, 'certificateHold'), 409, 8)
    const { body } = await ca.resume(root, issued)
    expect(body).toEqual({ ...issued, updatedAt: expect.any(String) })
    expect((await ca.revoke(root, issued, 'certificateHold')).status).toBe(200)
    expect((await ca.revoke(root, issued, 'keyCompromise')).body.state).toBe('revoked')
  })

  test('twice at a time happens once', async () => {
    const issued = await ca.issue(root)
    const both = await Promise.all(['superseded', 'keyCompromise'].map((reason) => ca.revoke(root, issued, reason)))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const won = both.find(({ status }) => status === 200)
    expect((await ca.getCert(root, issued)).revoked_reason).toBe(won?.body.revoked_reason)
  })

  test('leaves an audit record with the reason', async () => {
    const issued = await ca.issue(root)
    await ca.revoke(root, issued, 'superseded')
    const records = await vault().records(`resource_uri=${encodeURIComponent(issued.uri)}`)
    expect(records.map(({ message }) => message)).toEqual(['Issue Certificate', 'Revoke Certificate'])
    expect(JSON.stringify(records[1])).toContain('superseded')
  })
})

describe('certificates', () => {
  test('are found by their fields', async () => {
    const issued = await ca.issue(root)
    await ca.revoke(root, issued, 'superseded')
    const found = async (query: Record<string, string>): Promise<any[]> => {
      const { resources } = await admin().ok(
        'GET',
        ca.at(root, `/certs?limit=-1&${new URLSearchParams(query).toString()}`),
      )
      return resources.map(({ id }: any) => id)
    }
    const { serialNumber, subject, cert, id } = issued
    for (const query of [{ serialNumber }, { subject }, { cert }, { id, state: 'revoked' }])
      expect(await found(query as Record<string, string>)).toEqual([id])
    expect(await found({ serialNumber: serialNumber.toUpperCase(), state: 'active,hold' })).toEqual([])
    expect(await found({ state: 'revoked' })).toContain(id)
  })

  test('belong to their authority and domain', async () => {
    const [other, issued] = [await ca.root(), await ca.issue(root)]
    expectRefused(await admin().call('GET', ca.certAt(other, issued)), 404, 5)
    expectRefused(await ca.revoke(other, issued, 'superseded'), 404, 5)
    const { child: token } = await childAdmin(vault().service, someName('d'))
    for (const [method, path, body] of [
      ['GET', ca.certAt(root, issued)],
      ['DELETE', ca.certAt(root, issued)],
      ['POST', ca.certAt(root, issued, '/revoke'), { reason: 'superseded' }],
      ['POST', ca.at(root, '/certs'), { csr: 'a', purpose: 'server' }],
    ] as const)
      expectRefused(await vault().service.call(method, path, { token, body }), 404, 5)
    expect(await ca.getCert(root, issued)).toEqual(issued)
  })

  test('keep their authority, until their records are deleted', async () => {
    const other = await ca.root()
    const issued = await ca.issue(other)
    expectRefused(await admin().call('DELETE', ca.at(other)), 409, 9)
    expect(await admin().ok('DELETE', ca.certAt(other, issued))).toEqual({ status: 204 })
    expectRefused(await admin().call('GET', ca.certAt(other, issued)), 404, 5)
    expect(await admin().ok('DELETE', ca.at(other))).toEqual({ status: 204 })
  })
})

test('a certificate expires; one that was revoked stays revoked', async () => {
  const [one, other] = [await ca.issue(root, { duration: 1 }), await ca.issue(root, { duration: 1 })]
  await ca.revoke(root, other, 'superseded')
  vault().advance(DAY + 1_000)
  expect((await ca.getCert(root, one)).state).toBe('expired')
  expect((await ca.getCert(root, other)).state).toBe('revoked')
  expectRefused(await ca.revoke(root, one, 'superseded'), 409, 8)
})
