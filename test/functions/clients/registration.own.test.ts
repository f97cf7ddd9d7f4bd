import { beforeAll, describe, expect, test } from 'vitest'
import { authority as elsewhere } from '../../support/certificates.ts'
import { newRequest, openssl, someName, verified } from '../ca/ca.ts'
import { DAY, expectRefused, useVault } from '../vault/vault.ts'
import { CLIENTS, clientsOf, weakCsr } from './clients.ts'

const vault = useVault()
const admin = () => vault().admin
let own: ReturnType<typeof clientsOf>
let ca: any
beforeAll(async () => {
  own = clientsOf(vault())
  ca = await own.authority({ cn: 'Machines' })
})

const csrOf = async (body: object = {}): Promise<string> => (await own.authorities.request(body)).csr
const subjectOf = (cert: string): Promise<string> =>
  openssl(['x509', '-in', '{cert}', '-noout', '-subject', '-nameopt', 'RFC2253'], { cert })
const publicOf = (cert: string): Promise<string> => openssl(['x509', '-in', '{cert}', '-noout', '-pubkey'], { cert })
const printOf = async (cert: string): Promise<string> =>
  (await openssl(['x509', '-in', '{cert}', '-noout', '-fingerprint', '-sha256'], { cert }))
    .replace(/.*=|:|\s/g, '')
    .toLowerCase()
/** A certificate request by openssl. */
const opensslCsr = async (subject: string): Promise<string> => (await newRequest(subject)).csr

describe('a registered client', () => {
  test('has a certificate for its request, with its id in the subject', async () => {
    const token = await own.token()
    const csr = await csrOf({ cn: 'web', names: [{ O: 'Shop' }], dnsNames: ['web.example.test'] })
    const client_metadata = { team: 'payments', tags: ['a', 'b'] }
    const made = await own.registered(token, { name: 'web', csr, client_type: 'server', client_metadata })
    expect(made).toMatchObject({
      uri: expect.stringMatching(/:client-management:client:/),
      client_id: made.id,
      name: 'web',
      client_type: 'server',
      state: 'active',
      ca_id: ca.id,
      regtoken_id: token.id,
      groups: ['All Clients'],
      authentication_mode: 'dn',
      client_metadata,
    })
    expect(made.key).toBeUndefined()
    expect(await verified(made.cert as string, ca.cert as string, '-purpose', 'sslclient')).toMatch(/OK/)
    expect((await subjectOf(made.cert as string)).trim()).toBe(`subject=UID=${made.id as string},CN=web,O=Shop`)
    expect(await printOf(made.cert as string)).toBe(made.sha256_fingerprint)
    expect(await openssl(['req', '-in', '{csr}', '-noout', '-pubkey'], { csr })).toBe(
      await publicOf(made.cert as string),
    )
    const days = (Date.parse(made.not_after as string) - Date.parse(made.not_before as string)) / DAY
    expect(Math.round(days)).toBe(730)
    expect(await own.get(made)).toEqual(made)
    expect(
      (await admin().ok('GET', `/v1/ca/local-cas/${ca.id as string}/certs?name=client-${made.id as string}`)).total,
    ).toBe(1)
    const [record] = await vault().records(`message=Register%20Client&username=web`)
    expect(record).toMatchObject({
      success: true,
      username: 'web',
      principal: { sub: made.id, client_id: made.id },
      details: { resource_uri: made.uri },
    })
    expect(JSON.stringify(record)).not.toContain(token.token)
    expect(await vault().records('client_name=web')).toEqual([record])
    expect(await vault().records('client_name=admin')).toEqual([])
  })

  test('gets a key pair from the service, once', async () => {
    const profile = await own.profile({
      ca_id: ca.id,
      cert_duration: 10,
      csr_parameters: { csr_country: 'DE', csr_org_name: 'Shop', csr_email: 'ops@example.test' },
    })
    const token = await own.token({ client_management_profile_id: profile.id })
    const { key, ...made } = await own.registered(token, { name: 'made-here' })
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----/)
    expect(await openssl(['pkey', '-in', '{key}', '-pubout'], { key })).toBe(await publicOf(made.cert))
    expect((await subjectOf(made.cert)).trim()).toBe(`subject=UID=${made.id as string},CN=made-here,O=Shop,C=DE`)
    expect(await openssl(['x509', '-in', '{cert}', '-noout', '-text'], { cert: made.cert })).toContain(
      'ops@example.test',
    )
    expect(made.profile_id).toBe(profile.id)
    expect(await own.get(made)).toEqual(made)
    expect(JSON.stringify(await vault().records('service=client-management'))).not.toContain(key.split('\n')[1])
    const days = (Date.parse(made.not_after) - Date.parse(made.not_before)) / DAY
    expect(Math.round(days)).toBe(10)
  })

  test('keeps its subject on request, and is identified by its fingerprint', async () => {
    const csr = await csrOf({ cn: 'as-it-is' })
    const made = await own.registered(await own.token(), { csr, do_not_modify_subject_dn: true })
    expect(made).toMatchObject({ authentication_mode: 'fingerprint', name: `client-${made.id as string}` })
    expect((await subjectOf(made.cert as string)).trim()).toBe('subject=CN=as-it-is')
  })

  test('has its id in another attribute too', async () => {
    const csr = await csrOf({ cn: 'other' })
    const made = await own.registered(await own.token(), { csr, subject_dn_field_to_modify: 'OU' })
    expect((await subjectOf(made.cert as string)).trim()).toBe(
      `subject=UID=${made.id as string},OU=${made.id as string},CN=other`,
    )
  })

  test('can send a certificate of a known external authority', async () => {
    const theirs = elsewhere('Elsewhere')
    const { cert } = theirs.issue('their-machine')
    const token = await own.token()
    const register = (body: object = {}) => own.register({ registration_token: token.token, ext_cert: cert, ...body })
    expectRefused(await register(), 422, 2, '#/ext_cert')
    const known = await own.authorities.external({ cert: theirs.cert })
    const refused = await register()
    expectRefused(refused, 409, 8)
    expect(refused.body.detail).toContain(`PATCH /api/v1/ca/external-cas/${known.id as string}`)
    const at = `/v1/ca/external-cas/${known.id as string}`
    await admin().ok('PATCH', at, { allow_client_authentication: true })
    const { status, body: made } = await register({ name: 'theirs' })
    expect(status, JSON.stringify(made)).toBe(201)
    expect(made).toMatchObject({ cert, ca_id: known.id, authentication_mode: 'fingerprint' })
    expectRefused(await register({ name: 'again' }), 409, 7, '#/ext_cert')
    expectRefused(await admin().call('DELETE', at), 409, 9)
    for (const ext_cert of ['none', theirs.cert, elsewhere('Elsewhere').issue('forged').cert])
      expectRefused(await register({ ext_cert }), 422, 2, '#/ext_cert')
    const now = Date.now()
    const over = theirs.issue('over', { from: new Date(now - 2 * DAY), until: new Date(now - DAY) })
    expectRefused(await register({ ext_cert: over.cert }), 422, 2, '#/ext_cert')
    expectRefused(await register({ csr: await csrOf() }), 422, 2, '#/ext_cert')
  })
})

describe('a request for a client', () => {
  test.each<[string, () => Promise<string> | string]>([
    ['nothing of the kind', () => 'none'],
    ['a certificate', () => ca.cert as string],
    ['a wildcard', () => csrOf({ cn: 'a', dnsNames: ['*.example.test'] })],
    ['a key on another curve', () => weakCsr(['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1'])],
    ['a weak key', () => weakCsr(['-newkey', 'rsa:1024'])],
    ['a signature that is forged', async () => forged(await csrOf())],
  ])('is not %s', async (_what, make) => {
    const { token } = await own.token()
    expectRefused(await own.register({ registration_token: token, csr: await make() }), 422, 2, '#/csr')
  })

  test('cannot take the id of another client', async () => {
    const token = await own.token()
    const victim = await own.registered(token, { csr: await csrOf() })
    const csr = await opensslCsr(`/CN=thief/UID=${victim.id as string}`)
    const made = await own.registered(token, { csr })
    expect(await subjectOf(made.cert as string)).not.toContain(victim.id)
    for (const id of [victim.id, ` ${(victim.id as string).toUpperCase()}`]) {
      const body = { csr: await opensslCsr(`/CN=thief/UID=${id as string}`), do_not_modify_subject_dn: true }
      expectRefused(await own.register({ registration_token: token.token, ...body }), 422, 2, '#/csr')
    }
    expectRefused(await own.authorities.tryIssue(ca, { csr, purpose: 'client' }), 422, 2, '#/csr')
  })

  test.each<[string, object, number, string]>([
    ['an unknown field', { colour: 'red' }, 400, '#/colour'],
    ['a name with a control character', { name: 'a\u0000' }, 422, '#/name'],
    ['an attribute that holds no id', { subject_dn_field_to_modify: 'C' }, 422, '#/subject_dn_field_to_modify'],
  ])('with %s is refused, naming it', async (_what, body, status, pointer) => {
    const { token } = await own.token()
    expectRefused(await own.register({ registration_token: token, ...body }), status, status === 400 ? 1 : 2, pointer)
  })
})

/** The request with its last byte changed. */
function forged(csr: string): string {
  const der = Buffer.from(csr.replace(/-----.*-----/g, ''), 'base64')
  der[der.length - 1] = (der.at(-1) ?? 0) ^ 1
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
}

describe('registrations', () => {
  test('need a token, and a refusal does not state what is wrong with it', async () => {
    const short = await own.token({ lifetime: '1m' })
    const single = await own.token({ max_clients: 1 })
    await own.registered(single)
    vault().advance(61_000)
    const texts = new Set<string>()
    for (const registration_token of ['unknown', short.token, single.token]) {
      const answered = await own.register({ registration_token, csr: 'not even looked at' })
      expectRefused(answered, 401, 3)
      texts.add(answered.body.detail as string)
    }
    expect(texts.size).toBe(1)
    expect((await vault().records('message=Register%20Client&success=false')).length).toBeGreaterThan(0)
    const { id } = single
    await admin().ok('PATCH', `/v1/client-management/regtokens/${id as string}`, { max_clients: 2 })
    const second = await own.registered(single)
    await admin().ok('DELETE', `${CLIENTS}/${second.id as string}`)
    expectRefused(await own.register({ registration_token: single.token }), 401, 3) // uses are counted, not clients
    await admin().ok('DELETE', `/v1/client-management/regtokens/${id as string}`)
    expectRefused(await own.register({ registration_token: single.token }), 401, 3)
    expect((await admin().ok('GET', `${CLIENTS}?limit=1000`)).resources.map((one: any) => one.regtoken_id)).toContain(
      id,
    )
  })

  test('at the same time use the last permitted use once', async () => {
    const { token: registration_token } = await own.token({ max_clients: 1 })
    const answers = await Promise.all([1, 2, 3].map(() => own.register({ registration_token })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401])
  })

  test('at once with an unlimited token all succeed', async () => {
    const token = await own.token()
    const made = await Promise.all([1, 2, 3, 4, 5, 6].map(() => own.registered(token)))
    expect(new Set(made.map(({ id }) => id as string)).size).toBe(6)
  })

  test('number their clients, and no number is reused', async () => {
    const [prefix, csr] = [someName('node'), await csrOf()]
    const token = await own.token({ name_prefix: prefix })
    await own.registered(await own.token(), { name: `${prefix}3` })
    const first = await own.registered(token)
    expect(first.name).toBe(`${prefix}1`)
    expectRefused(await own.register({ registration_token: token.token, name: 'mine' }), 422, 2, '#/name')
    expectRefused(await own.register({ registration_token: token.token, csr: 'none' }), 422, 2, '#/csr')
    await admin().ok('DELETE', `${CLIENTS}/${first.id as string}`)
    const more = await Promise.all([1, 2, 3].map(() => own.registered(token, { csr })))
    expect(more.map(({ name }) => name as string).sort()).toEqual([2, 4, 5].map((number) => `${prefix}${number}`))
  })

  test('have names of their own', async () => {
    const token = await own.token()
    const { name } = await own.registered(token, { name: someName('one') })
    expectRefused(await own.register({ registration_token: token.token, name }), 409, 7, '#/name')
  })

  test('need an active authority that authenticates clients, and end with it', async () => {
    const shy = await own.authorities.root()
    const refused = await own.register({ registration_token: (await own.token({ ca_id: shy.id })).token })
    expectRefused(refused, 409, 8)
    expect(refused.body.detail).toContain('allow_client_authentication')
    const pending = await own.authorities.pending()
    expectRefused(await own.register({ registration_token: (await own.token({ ca_id: pending.id })).token }), 409, 8)
    const short = await own.authority({}, { duration: 5 })
    const made = await own.registered(await own.token({ ca_id: short.id }))
    expect(made.not_after).toBe(short.notAfter)
  })
})
