import { hash, randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { SESSION_KIND } from '../../../shared/serving/session-rows.ts'
import { AttestedClient, offerOf } from '../../support/attested-client.ts'
import { CarriedClient } from '../../support/tls-client.ts'
import { EMAIL, ENDPOINTS, HOST, refused, useEkm } from '../ekm/ekm.ts'

const ekm = useEkm()

const INVALID = refused(400, 'INVALID_ARGUMENT')
const OUT_OF_TURN = refused(400, 'FAILED_PRECONDITION')
const UNKNOWN = refused(404, 'NOT_FOUND')
const DENIED = refused(403, 'PERMISSION_DENIED')

let endpoint: any
let certificate: string
beforeAll(async () => {
  endpoint = await ekm().create({ endpoint_type: 'ekm-ude' })
  const shown = await ekm().vault.admin.ok('GET', `${ENDPOINTS}/${endpoint.id as string}/session-certificate`)
  certificate = shown.certificate
})

const client = (claims?: object): AttestedClient => new AttestedClient(ekm(), HOST, certificate, claims)
const accepted = (claims?: object): Promise<AttestedClient> => client(claims).session()

test('a session is begun, agreed on and accepted without evidence; keys are used in it, and it is ended', async () => {
  const stet = client()
  const begun = await stet.begin()
  expect(Object.keys(begun.body)).toEqual(['sessionContext', 'tlsRecords'])
  expect(await stet.handshake()).toMatchObject({ status: 200, body: {} })
  expect(stet.tls.socket.authorized).toBe(true)
  const answered = await stet.negotiate([1])
  expect(Object.keys(answered.body)).toEqual(['requiredEvidenceTypesRecords'])
  expect(await stet.agreed(answered)).toEqual(offerOf([1]))
  expect(await stet.finalize()).toMatchObject({ status: 200, body: {} })
  const secrets = [randomBytes(32), randomBytes(15 * 1_024)]
  const blobs: Buffer[] = []
  for (const secret of secrets) blobs.push(await stet.wrap(endpoint, secret))
  for (const [at, blob] of blobs.entries()) expect(await stet.unwrap(endpoint, blob)).toEqual(secrets[at])
  expect(await stet.end()).toMatchObject({ status: 200, body: {} })
  expect(await stet.confidential(endpoint, 'confidentialwrap', randomBytes(32))).toEqual(UNKNOWN)
})

test('every call has two spellings, and unknown ones are not found', async () => {
  const unread = { tlsRecords: 'AAAA' }
  expect(await ekm().send('/api/v1/keymgr/ekm/session/begin-session', unread)).toEqual(INVALID)
  const stet = await accepted()
  expect((await stet.confidential(endpoint, 'confidential-wrap', randomBytes(8))).status).toBe(200)
  for (const call of ['hello', 'begin-Session', '', 'handshake/x'])
    expect(await ekm().send(`/api/v1/keymgr/ekm/session/${call}`, {}), call).toEqual(UNKNOWN)
})

test('blobs are the same inside and outside a session, also with data that is bound', async () => {
  const stet = await accepted()
  const [secret, aad] = [randomBytes(40), Buffer.from('bound')]
  const inside = await stet.wrap(endpoint, secret, { aad })
  const additionalAuthenticatedData = aad.toString('base64')
  const opened = await ekm().unwrap(endpoint, inside, { additionalAuthenticatedData })
  expect(opened.body).toEqual({ plaintext: secret.toString('base64') })
  const outside = await ekm().wrap(endpoint, secret, { additionalAuthenticatedData })
  expect(await stet.unwrap(endpoint, outside, { aad })).toEqual(secret)
  expect(await stet.confidential(endpoint, 'confidentialunwrap', outside), 'without it').toEqual(INVALID)
})

test.each<[string, readonly number[], readonly number[] | undefined, readonly number[] | undefined]>([
  ['none', [1], undefined, [1]],
  ['a machine’s, with the kind of nonce', [2, 3], [1], [2, 3]],
  ['a machine’s, without it', [2, 3], undefined, [2, 3]],
  ['both', [1, 2, 3], [1], [2, 3]],
  ['in another order, with unknown ones', [9, 3, 1, 2], [7, 1], [2, 3]],
  ['unknown and none', [0, 1], undefined, [1]],
  ['a quote alone', [2], undefined, undefined],
  ['a log alone', [3], [1], undefined],
  ['a quote and none', [1, 2], undefined, undefined],
  ['a log and none', [1, 3], undefined, undefined],
  ['unknown', [0], undefined, undefined],
  ['nothing', [], undefined, undefined],
  ['a machine’s, with unknown kinds of nonces', [2, 3], [0, 7], undefined],
])('an offer of evidence is answered: %s', async (_what, types, nonces, answer) => {
  const stet = client()
  await stet.begin()
  await stet.handshake()
  const answered = await stet.negotiate(types, nonces)
  if (answer !== undefined) expect(await stet.agreed(answered)).toEqual(offerOf(answer))
  else {
    expect(answered).toEqual(INVALID)
    expect(await stet.negotiate([1]), 'the session is over').toEqual(UNKNOWN)
  }
})

test('an unpacked offer is accepted, and malformed messages are refused', async () => {
  const unpacked = client()
  await unpacked.begin()
  await unpacked.handshake()
  const records = await unpacked.tls.write(Buffer.from('0801080208031001', 'hex'))
  const body = { sessionContext: unpacked.context, offeredEvidenceTypesRecords: records.toString('base64') }
  expect(await unpacked.agreed(await unpacked.send('negotiateattestation', body))).toEqual(offerOf([2, 3]))
  const broken = client()
  await broken.begin()
  await broken.handshake()
  const garbage = await broken.tls.write(Buffer.from('0a0501', 'hex'))
  const sent = { sessionContext: broken.context, offeredEvidenceTypesRecords: garbage.toString('base64') }
  expect(await broken.send('negotiateattestation', sent)).toEqual(INVALID)
})

test('the Finished of a client may come with its offer', async () => {
  const stet = client()
  await stet.begin()
  const answered = await stet.negotiate([1], undefined, await stet.finished())
  expect(await stet.agreed(answered)).toEqual(offerOf([1]))
  expect((await stet.finalize()).status).toBe(200)
  expect(await stet.wrap(endpoint, randomBytes(8))).toBeInstanceOf(Buffer)
})

test('an evidence message without content is read if no evidence was agreed on, so that the next records are in order', async () => {
  const stet = client()
  await stet.begin()
  await stet.handshake()
  await stet.agreed(await stet.negotiate([1]))
  expect((await stet.finalize(undefined, Buffer.from('0a00', 'hex'))).status).toBe(200)
  expect(await stet.wrap(endpoint, randomBytes(8))).toBeInstanceOf(Buffer)
})

test('a call out of turn is refused and ends the session', async () => {
  const [begun, connected, negotiated, done] = [client(), client(), client(), await accepted()]
  for (const one of [begun, connected, negotiated]) await one.begin()
  for (const one of [connected, negotiated]) await one.handshake()
  await negotiated.negotiate([1])
  const at = (one: AttestedClient) => ({ sessionContext: one.context, tlsRecords: 'AAAA' })
  for (const [one, call] of [
    [begun, 'finalize'],
    [connected, 'endsession'],
    [negotiated, 'negotiateattestation'],
    [done, 'handshake'],
  ] as const) {
    expect(await one.send(call, at(one)), call).toEqual(OUT_OF_TURN)
    expect(await one.send(call, at(one)), `${call} again`).toEqual(UNKNOWN)
  }
  const early = client()
  await early.begin()
  await early.handshake()
  expect(await early.confidential(endpoint, 'confidentialwrap', randomBytes(8))).toEqual(OUT_OF_TURN)
})

test('an unknown session has one answer: none named, malformed, of another length, made up, ended', async () => {
  const answers = []
  for (const sessionContext of [
    undefined,
    '',
    'AAAA',
    randomBytes(32).toString('base64'),
    randomBytes(33).toString('base64'),
  ])
    for (const call of ['handshake', 'negotiateattestation', 'finalize', 'endsession'])
      answers.push(await ekm().send(`/api/v1/keymgr/ekm/session/${call}`, { sessionContext, tlsRecords: 'AAAA' }))
  answers.push(await ekm().call(endpoint, 'confidentialwrap', { tlsRecords: 'AAAA' }))
  for (const answered of answers) expect(answered).toEqual(UNKNOWN)
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['no TLS', Buffer.from('GET / HTTP/1.1\r\n\r\n').toString('base64')],
  ['a cut ClientHello', Buffer.from('1603010004010000', 'hex').toString('base64')],
  ['an alert', Buffer.from('15030100020128', 'hex').toString('base64')],
  ['no base64', '*'],
  ['a number', 7],
])('a session that begins with %s is refused, never answered with an alert', async (_what, tlsRecords) => {
  expect(await ekm().send('/api/v1/keymgr/ekm/session/beginsession', { tlsRecords })).toEqual(INVALID)
})

test.each([
  ['no suite of ours', { ciphers: 'TLS_AES_128_CCM_SHA256' }],
  ['older versions of TLS alone', { maxVersion: 'TLSv1.2' }],
  ['no group of ours', { ecdhCurve: 'P-384' }],
] as const)('a session that begins with %s is refused, never answered with an alert', async (_what, options) => {
  const tls = new CarriedClient({ servername: HOST, ...options })
  const tlsRecords = (await tls.hello()).toString('base64')
  tls.close()
  expect(await ekm().send('/api/v1/keymgr/ekm/session/beginsession', { tlsRecords })).toEqual(INVALID)
})

test('a confidential call with an invalid token is refused, and leaves the session unchanged', async () => {
  const stet = await accepted()
  const records = await stet.tls.write(stet.message(endpoint, randomBytes(8)))
  const sent = (token: string) => stet.confidential(endpoint, 'confidentialwrap', Buffer.alloc(0), { records, token })
  const [head, claims, signature = ''] = ekm().token().split('.')
  const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  for (const [what, token] of [
    ['another signature', [head, claims, flipped].join('.')],
    ['another audience', ekm().token({ aud: 'https://elsewhere.example.test' })],
    ['an ended life', ekm().token({ iat: 1, exp: 2 })],
  ] as const)
    expect(await sent(token), what).toEqual(refused(401, 'UNAUTHENTICATED'))
  expect((await sent(ekm().token())).status).toBe(200)
})

test('the session of one caller is refused to another, who cannot end it; another token is refused too', async () => {
  const stet = await accepted()
  const claims = { email: 'other@project.iam.gserviceaccount.com' }
  expect(await stet.confidential(endpoint, 'confidentialwrap', randomBytes(8), { claims })).toEqual(DENIED)
  const other = ekm().token(claims)
  expect(await stet.send('endsession', { sessionContext: stet.context, tlsRecords: 'AAAA' }, other)).toEqual(DENIED)
  const unauthenticated = refused(401, 'UNAUTHENTICATED')
  const elsewhere = { aud: 'https://elsewhere.example.test' }
  for (const call of ['beginsession', 'handshake', 'finalize'])
    expect(await stet.send(call, {}, ekm().token(elsewhere)), call).toEqual(unauthenticated)
  // The records that the others sent were never read: the client's next ones are still due after the lost one.
  const late = await stet.confidential(endpoint, 'confidentialwrap', randomBytes(8))
  expect(late).toEqual(refused(409, 'ABORTED'))
})

test('a call made twice is answered once; the second ends the session', async () => {
  const stet = await accepted()
  const records = await stet.tls.write(Buffer.from('0a00', 'hex'))
  expect(await stet.confidential(endpoint, 'confidentialwrap', Buffer.alloc(0), { records })).toEqual(INVALID)
  expect(await stet.confidential(endpoint, 'confidentialwrap', Buffer.alloc(0), { records }), 'again').toEqual(INVALID)
  expect(await stet.confidential(endpoint, 'confidentialwrap', randomBytes(8)), 'then').toEqual(UNKNOWN)
})

test('of two parallel calls with the same records, one is answered', async () => {
  const stet = await accepted()
  const records = await stet.tls.write(stet.message(endpoint, randomBytes(8)))
  const sent = () => stet.confidential(endpoint, 'confidentialwrap', Buffer.alloc(0), { records })
  const answers = await Promise.all([sent(), sent()])
  const statuses = answers.map(({ status }) => status).sort()
  // The other lost the race, or came after it: then its records are old.
  expect([
    [200, 409],
    [200, 400],
  ]).toContainEqual(statuses)
})

test('of two parallel calls with different records, the later one waits for its turn', async () => {
  const stet = await accepted()
  const sent = (records: Buffer) => stet.confidential(endpoint, 'confidentialwrap', Buffer.alloc(0), { records })
  const message = () => stet.message(endpoint, randomBytes(8))
  const [first, second] = [await stet.tls.write(message()), await stet.tls.write(message())]
  const [one, two] = await Promise.all([sent(first), sent(second)])
  expect(one.status).toBe(200)
  await stet.content(one)
  const late = two.status === 409 ? await sent(second) : two
  expect(late.status).toBe(200)
  await stet.content(late)
  const third = await stet.tls.write(message())
  const fourth = await stet.tls.write(message())
  expect(await sent(fourth), 'before its turn').toEqual(refused(409, 'ABORTED'))
  expect((await sent(third)).status).toBe(200)
})

test('a session moves between instances, and outlives their stop', async () => {
  const stet = client()
  const calls = [
    () => stet.begin(),
    () => stet.handshake(),
    async () => {
      const answered = await stet.negotiate([1])
      await stet.agreed(answered)
      return answered
    },
    () => stet.finalize(),
  ]
  for (const call of calls) {
    await ekm().freshInstance()
    expect((await call()).status).toBe(200)
  }
  await ekm().freshInstance()
  const secret = randomBytes(16)
  expect(await stet.unwrap(endpoint, await stet.wrap(endpoint, secret))).toEqual(secret)
})

test('a refused message leaves the session usable: a bad key, a wrong blob, a key outside, too many bytes', async () => {
  const stet = await accepted()
  const other = await ekm().create({ endpoint_type: 'ekm-ude' })
  const some = randomBytes(32)
  const kekId = (endpoint.key_path as string).split('/').at(-1) ?? ''
  const wrapped = (inner: object) => stet.confidential(endpoint, 'confidentialwrap', some, inner)
  const otherKey = (other.key_path as string).split('/').at(-1) ?? ''
  for (const inner of [
    { keyPath: '' },
    { keyPath: 'bad' },
    { keyPath: otherKey },
    { metadata: { keyPath: otherKey } },
    { metadata: { keyPath: kekId, keyUriPrefix: 'x' } },
    { metadata: { additionalContext: { accessReasonContext: { reason: 4 } } } },
    { message: Buffer.from('0a0501', 'hex') },
  ])
    expect(await wrapped(inner), JSON.stringify(inner)).toEqual(INVALID)
  for (const metadata of [{}, null, { keyPath: kekId }])
    expect((await wrapped({ metadata: metadata ?? {} })).status).toBe(200)
  const prefixed = { keyUriPrefix: `https://${HOST}/api/v1/keymgr/ekm/endpoints/` }
  expect((await wrapped(prefixed)).status).toBe(200)
  for (const blob of [some, Buffer.alloc(0), await ekm().wrap(other, some)])
    expect(await stet.confidential(endpoint, 'confidentialunwrap', blob)).toEqual(INVALID)
  const large = randomBytes(15 * 1_024 + 1)
  expect(await stet.confidential(endpoint, 'confidentialwrap', large)).toEqual(INVALID)
  expect(await stet.confidential(endpoint, 'confidentialunwrap', await ekm().wrap(endpoint, large))).toEqual(INVALID)
  expect((await wrapped({})).status).toBe(200)
})

test('changed records end the session', async () => {
  const stet = await accepted()
  const records = await stet.tls.write(randomBytes(40))
  records[20] = (records[20] ?? 0) ^ 1
  expect(await stet.confidential(endpoint, 'confidentialwrap', Buffer.alloc(0), { records })).toEqual(INVALID)
  expect(await stet.confidential(endpoint, 'confidentialwrap', randomBytes(8))).toEqual(UNKNOWN)
  await ekm().lines({ atLeast: 1 }, { alert: 'bad_record_mac' })
})

test('the end of a session has its own message; an error ends a session too', async () => {
  const stet = await accepted()
  expect(await stet.end('TLS Tunneled EndSessionRequest V2')).toEqual(INVALID)
  expect(await stet.end()).toEqual(UNKNOWN)
})

test('closing the connection ends the session', async () => {
  const stet = await accepted()
  const records = await new Promise<Buffer>((resolve) => {
    stet.tls.socket.end(() => resolve(stet.tls.collect()))
  })
  expect(
    await stet.send('endsession', { sessionContext: stet.context, tlsRecords: records.toString('base64') }),
  ).toEqual(INVALID)
})

test('sessions are for endpoints of their type and symmetric keys', async () => {
  const plain = await ekm().create()
  expect(await (await accepted()).confidential(plain, 'confidentialwrap', randomBytes(8))).toEqual(OUT_OF_TURN)
  const signs = await ekm().create({
    endpoint_type: 'ekm-ude',
    key_type: 'asymmetric',
    algorithm: 'EC_SIGN_P256_SHA256',
  })
  expect(await (await accepted()).confidential(signs, 'confidentialwrap', randomBytes(8))).toEqual(OUT_OF_TURN)
})

test('a session ends ten minutes after its start if unfinished, and an hour after it was accepted', async () => {
  const [unfinished, done] = [client(), client()]
  await unfinished.begin()
  await unfinished.handshake()
  await done.session()
  ekm().vault.advance(10 * 60_000)
  expect(await unfinished.negotiate([1])).toEqual(UNKNOWN)
  const token = ekm().token()
  expect((await done.confidential(endpoint, 'confidentialwrap', randomBytes(8), { token })).status).toBe(200)
  ekm().vault.advance(50 * 60_000)
  expect(await done.confidential(endpoint, 'confidentialwrap', randomBytes(8), { token: ekm().token() })).toEqual(
    UNKNOWN,
  )
})

test('the table has the hash of a handle and a sealed state, until the session has ended and is swept', async () => {
  const [unfinished, done] = [client(), client()]
  await unfinished.begin()
  await done.session()
  const storedOf = ({ context }: AttestedClient) => {
    const handle = Buffer.from(context, 'base64')
    return ekm().vault.stored(hash('sha256', handle, 'hex'), SESSION_KIND, ROOT_DOMAIN_ID)
  }
  const row = JSON.stringify(await storedOf(done))
  expect(Object.keys(JSON.parse(row) as object).sort()).toEqual(['endsAt', 'id', 'sealed'])
  for (const secret of ['accepted', EMAIL, done.context, Buffer.from(done.context, 'base64').toString('hex')])
    expect(row).not.toContain(secret)
  ekm().vault.advance(9 * 60_000)
  await ekm().vault.sweep()
  expect(await storedOf(unfinished)).toBeDefined()
  ekm().vault.advance(60_001)
  await ekm().vault.sweep()
  expect(await storedOf(unfinished)).toBeUndefined()
  expect(await storedOf(done)).toBeDefined()
  ekm().vault.advance(50 * 60_000)
  await ekm().vault.sweep()
  expect(await storedOf(done)).toBeUndefined()
})
