import { beforeAll, describe, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { DAY, expectRefused, pathOf, useVault } from '../vault/vault.ts'
import { authoritiesOf, EXTERNAL, LOCAL, openssl, someName, verified } from './ca.ts'

const vault = useVault()
const admin = () => vault().admin
let ca: ReturnType<typeof authoritiesOf>
beforeAll(() => {
  ca = authoritiesOf(admin())
})

const NAMED = { names: [{ C: 'DE', ST: 'Hessen', L: 'Kassel', O: 'Shop', OU: 'Keys' }] }

describe('a new authority', () => {
  test('waits for its certificate, and has a request for it', async () => {
    const made = await ca.pending({ name: 'first', cn: 'First Root', ...NAMED })
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      uri: `keymgr:${vault().service.domain.id}:ca:local-ca:${made.id as string}`,
      account: expect.any(String),
      application: expect.any(String),
      devAccount: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      name: 'first',
      state: 'pending',
      csr: expect.stringMatching(/^-----BEGIN CERTIFICATE REQUEST-----/),
      subject: expect.stringContaining('CN=First Root'),
      purpose: { client_authentication: false, user_authentication: false },
    })
    expect(await ca.get(made)).toEqual(made)
    const said = await openssl(['req', '-in', '{csr}', '-noout', '-verify', '-subject'], { csr: made.csr })
    expect(said).toMatch(/verify OK/)
    expect(said).toMatch(/C = DE, ST = Hessen, L = Kassel, O = Shop, OU = Keys, CN = First Root/)
  })

  test.each([
    ['ECDSA', 256],
    ['ECDSA', 384],
    ['ECDSA', 521],
    ['RSA', 2048],
  ])('has a key of %s %i in the vault, which only authorities use', async (algorithm, size) => {
    const made = await ca.root({ algorithm, size })
    const key = await admin().get(`ca-${made.id as string}`)
    expect(key).toMatchObject({ size, state: 'Active', usageMask: 12_288, unexportable: true, undeletable: true })
    expectRefused(await admin().tryAct(key.id, 'export', {}), 403, 11)
    for (const half of [key.name, `${key.name as string}_public`]) await admin().update(half, { undeletable: false })
    expectRefused(await admin().call('DELETE', pathOf(key.id)), 409, 9)
    expect(await verified(made.cert, made.cert)).toMatch(/OK/)
  })

  test.each<[string, object, string, number, number]>([
    ['no common name', { cn: undefined }, '#/cn', 422, 2],
    ['a long common name', { cn: 'a'.repeat(65) }, '#/cn', 422, 2],
    ['a control character', { cn: 'a\u0000b' }, '#/cn', 422, 2],
    ['another algorithm', { algorithm: 'DSA' }, '#/algorithm', 422, 2],
    ['a size of another algorithm', { size: 2048 }, '#/size', 422, 2],
    ['a small size', { algorithm: 'RSA', size: 1024 }, '#/size', 422, 2],
    ['a long country', { names: [{ C: 'DEU' }] }, '#/names/0/C', 422, 2],
    ['a DNS name that is none', { dnsNames: ['a b'] }, '#/dnsNames/0', 422, 2],
    ['an address that is none', { ipAddresses: ['10.0.0'] }, '#/ipAddresses/0', 422, 2],
    ['a mail address that is none', { emailAddresses: ['me'] }, '#/emailAddresses/0', 422, 2],
    ['a field nobody knows', { colour: 'red' }, '#/colour', 400, 1],
  ])('with %s is refused, naming it', async (_what, body, pointer, status, code) => {
    expectRefused(await ca.tryCreate(body), status, code, pointer)
  })

  test('needs a free name', async () => {
    const { name } = await ca.pending({ name: someName('ca') })
    expectRefused(await ca.tryCreate({ name }), 409, 7, '#/name')
  })
})

describe('an authority that signs itself', () => {
  test('becomes active, with its certificate', async () => {
    const pending = await ca.pending({ cn: 'Self', ...NAMED })
    const notBefore = '2026-01-01T00:00:00Z'
    const active = await ca.selfSign(pending, { notBefore, notAfter: '2036-01-01T00:00:00Z' })
    expect(active).toMatchObject({
      state: 'active',
      cert: expect.stringMatching(/^-----BEGIN CERTIFICATE-----/),
      csr: pending.csr,
      subject: pending.subject,
      issuer: pending.subject,
      serialNumber: expect.stringMatching(/^[0-9a-f]{32,40}$/),
      sha1Fingerprint: expect.stringMatching(/^[0-9a-f]{40}$/),
      sha256Fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      sha512Fingerprint: expect.stringMatching(/^[0-9a-f]{128}$/),
    })
    expect(Date.parse(active.notBefore)).toBe(Date.parse(notBefore))
    expect(Date.parse(active.notAfter)).toBe(Date.parse('2036-01-01T00:00:00Z'))
    const said = await openssl(
      ['x509', '-in', '{cert}', '-noout', '-fingerprint', '-sha256', '-ext', 'basicConstraints'],
      {
        cert: active.cert,
      },
    )
    expect(said.replaceAll(':', '').toLowerCase()).toContain(active.sha256Fingerprint)
    expect(said).toMatch(/CA:TRUE/)
    expectRefused(await admin().call('POST', ca.at(pending, '/self-sign'), {}), 409, 8)
  })

  test('does so for 3650 days without a word, and at most for 7300', async () => {
    const { notBefore, notAfter } = await ca.root()
    expect(Date.parse(notAfter) - Date.parse(notBefore)).toBe(3_650 * DAY)
    const pending = await ca.pending()
    const refuse = async (body: object, pointer: string): Promise<void> =>
      expectRefused(await admin().call('POST', ca.at(pending, '/self-sign'), body), 422, 2, pointer)
    await refuse({ duration: 7_301 }, '#/duration')
    await refuse({ duration: 0 }, '#/duration')
    await refuse({ duration: 1, notAfter: vault().at(DAY) }, '#/notAfter')
    await refuse({ notAfter: vault().at(7_302 * DAY) }, '#/notAfter')
    await refuse({ notAfter: vault().at(-DAY) }, '#/notAfter')
    await refuse({ notBefore: vault().at(2 * DAY), notAfter: vault().at(DAY) }, '#/notAfter')
    expect(await ca.get(pending)).toMatchObject({ state: 'pending' })
  })

  test('happens once, even if two requests arrive at a time', async () => {
    const pending = await ca.pending()
    const both = await Promise.all([1, 2].map(() => admin().call('POST', ca.at(pending, '/self-sign'), {})))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const { serialNumber } = await ca.get(pending)
    expect(both.find(({ status }) => status === 200)?.body.serialNumber).toBe(serialNumber)
  })

  test('does not with a key that is deactivated', async () => {
    const pending = await ca.pending()
    await admin().act(`ca-${pending.id as string}`, 'revoke', { reason: 'CessationOfOperation' })
    expectRefused(await admin().call('POST', ca.at(pending, '/self-sign'), {}), 409, 8)
  })
})

describe('authorities', () => {
  test('are found by their fields', async () => {
    const made = await ca.root({ name: someName('find'), cn: someName('cn') })
    const found = async (query: Record<string, string>): Promise<string[]> => {
      const { resources } = await admin().ok('GET', `${LOCAL}?limit=-1&${new URLSearchParams(query).toString()}`)
      return resources.map(({ id }: any) => id)
    }
    for (const query of [
      { name: made.name },
      { name: 'find-*', subject: made.subject },
      { issuer: made.issuer },
      { cert: made.cert },
      { id: made.id, state: 'active' },
    ])
      expect(await found(query as Record<string, string>)).toEqual([made.id])
    expect(await found({ id: made.id, state: 'pending,expired' })).toEqual([])
    expect(await found({ cert: 'none' })).toEqual([])
    expectRefused(await admin().call('GET', `${LOCAL}?state=gone`), 400, 1)
  })

  test('accept only flags in an update', async () => {
    const made = await ca.pending()
    const change = (body: object, headers?: Record<string, string>) => admin().call('PATCH', ca.at(made), body, headers)
    expect((await change({ allow_user_authentication: true })).body.purpose).toEqual({
      client_authentication: false,
      user_authentication: true,
    })
    expect((await change({ allow_client_authentication: true })).body.purpose.user_authentication).toBe(true)
    expectRefused(await change({ name: 'other' }), 400, 1, '#/name')
    expectRefused(await change({}, { 'if-match': '"1"' }), 412, 8)
  })

  test('are deleted, and their keys stay', async () => {
    const made = await ca.root()
    expect(await admin().ok('DELETE', ca.at(made))).toEqual({ status: 204 })
    expectRefused(await admin().call('GET', ca.at(made)), 404, 5)
    expectRefused(await admin().call('DELETE', ca.at(made)), 404, 5)
    expect(await admin().get(`ca-${made.id as string}`)).toMatchObject({ state: 'Active' })
  })

  test('stay in their domain', async () => {
    const made = await ca.root()
    const { child: token } = await childAdmin(vault().service, someName('d'))
    const call = (method: string, path: string, body?: object) => vault().service.call(method, path, { token, body })
    expectRefused(await call('GET', ca.at(made)), 404, 5)
    expectRefused(await call('PATCH', ca.at(made), {}), 404, 5)
    expectRefused(await call('GET', ca.at(made, '/certs')), 404, 5)
    expectRefused(await call('DELETE', ca.at(made)), 404, 5)
    expect((await call('GET', `${LOCAL}?id=${made.id as string}`)).body).toMatchObject({ total: 0, resources: [] })
    expect((await call('POST', LOCAL, { cn: 'own' })).status).toBe(201)
  })

  test('leave audit records, which name the certificate and no key', async () => {
    const made = await ca.root()
    const records = await vault().records(`resource_uri=${encodeURIComponent(made.uri)}`)
    const messages = records.map(({ message }) => message)
    expect(messages).toEqual(['Create Local CA', 'Self-Sign Local CA'])
    expect(JSON.stringify(records)).toContain(made.serialNumber)
    expect(JSON.stringify(records)).not.toContain('PRIVATE')
  })
})

test('an authority is over when its certificate is', async () => {
  const made = await ca.root({}, { duration: 1 })
  vault().advance(DAY + 1_000)
  expect(await ca.get(made)).toMatchObject({ state: 'expired' })
  const { csr } = await ca.request()
  expectRefused(await ca.tryIssue(made, { csr, purpose: 'server' }), 409, 8)
})

test('every user reads authorities and their certificates, which are not secret, and only administrators change them', async () => {
  const { holder } = await vault().user('reader', [])
  const made = await ca.root()
  const cert = await ca.issue(made)
  const external = await ca.external({ name: someName('external'), cert: made.cert })
  const read = (path: string): Promise<any> => holder.ok('GET', path)
  expect((await read(`${LOCAL}?limit=-1`)).resources.map(({ id }: any) => id as string)).toContain(made.id)
  expect(await read(ca.at(made))).toEqual(await ca.get(made))
  expect((await read(ca.at(made, '/certs'))).resources).toMatchObject([{ id: cert.id }])
  expect(await read(ca.certAt(made, cert))).toEqual(await ca.getCert(made, cert))
  expect((await read(`${EXTERNAL}?limit=-1`)).resources.map(({ id }: any) => id as string)).toContain(external.id)
  expect((await read(`${EXTERNAL}/${external.id as string}`)).cert).toBe(made.cert)
  expect(JSON.stringify([await read(LOCAL), await read(ca.at(made))])).not.toContain('PRIVATE KEY')
  for (const [method, path, body] of [
    ['POST', LOCAL, { cn: 'a' }],
    ['PATCH', ca.at(made), {}],
    ['DELETE', ca.at(made)],
    ['POST', ca.at(made, '/certs'), { purpose: 'server', csr: made.csr }],
    ['POST', ca.certAt(made, cert, '/revoke'), { reason: 'unspecified' }],
    ['DELETE', ca.certAt(made, cert)],
    ['POST', EXTERNAL, { cert: made.cert }],
    ['DELETE', `${EXTERNAL}/${external.id as string}`],
  ] as const)
    expectRefused(await holder.call(method, path, body), 403, 4)
  expectRefused(await vault().service.call('GET', ca.at(made)), 401, 3)
})
