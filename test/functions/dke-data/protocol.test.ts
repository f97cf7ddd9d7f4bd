import { constants, createPrivateKey, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { encrypted, keyIn, refused, useDke } from './dke-data.ts'
import { inspected, tryInspect } from '../../support/inspect.ts'

const dke = useDke()

let endpoint: any
beforeAll(async () => {
  endpoint = await dke().create()
})

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/
const BAD = refused(400)

test('anybody gets the public key, in the form that clients insist on', async () => {
  const { status, headers, body } = await dke().publicKey(endpoint)
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'application/json', 'no-store'])
  const { kty, n, e, alg, kid } = body.key
  expect([kty, e, alg]).toEqual(['RSA', 65_537, 'RS256'])
  expect(n).toMatch(/^[A-Za-z0-9+/]{342}==$/)
  expect(Buffer.from(n as string, 'base64')[0]).toBeGreaterThanOrEqual(0x80)
  const exported = await dke().vault.admin.ok('GET', `/v1/vault/keys2/${endpoint.kek_id as string}`)
  expect(exported).toMatchObject({ algorithm: 'rsa', size: 2_048 })
  expect(kid).toBe(`${endpoint.key_uri as string}/${endpoint.kek_uuid as string}`)
  expect(endpoint.kek_uuid).toMatch(UUID)
  expect(body.cache.exp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
  const ahead = Date.parse(`${body.cache.exp as string}Z`) - dke().vault.service.deployment.clock.now().getTime()
  expect(Math.abs(ahead - 86_400_000)).toBeLessThan(10_000)
})

test('a query, another Host and any Accept do not change the key', async () => {
  const { pathname } = new URL(endpoint.key_uri as string)
  const usual = await dke().publicKey(endpoint)
  const other = await dke().send('GET', `${pathname}?x=1`, undefined, {
    host: 'else.example.test',
    accept: 'image/png',
  })
  expect([other.status, other.body.key]).toEqual([200, usual.body.key])
})

test.each([0, 1, 32, 44, 190])('%i bytes that were encrypted outside are decrypted unchanged', async (length) => {
  const bytes = randomBytes(length)
  const { kid, value } = await dke().protect(endpoint, bytes)
  const { status, body, headers } = await dke().decrypt(kid, value)
  expect([status, headers['cache-control'], body]).toEqual([200, 'no-store', { value: bytes.toString('base64') }])
})

test('the last word of the path is read in any case, and a query is ignored', async () => {
  const { kid, value, bytes } = await dke().protect(endpoint)
  const headers = await dke().bearer({})
  for (const word of ['decrypt', 'Decrypt', 'DECRYPT', 'decrypt?api=1']) {
    const body = { alg: 'RSA-OAEP-256', value, more: 'ignored' }
    const answered = await dke().send('POST', `${new URL(kid).pathname}/${word}`, body, headers)
    expect([answered.status, answered.body?.value], word).toEqual([200, bytes.toString('base64')])
  }
})

test('published vectors decrypt under an imported key', async () => {
  const vectors = JSON.parse(readFileSync(new URL('../../vectors/rsa-oaep.json', import.meta.url), 'utf8'))
  const material = createPrivateKey({ key: vectors.key, format: 'jwk' }).export({ format: 'pem', type: 'pkcs8' })
  const flags = { unexportable: true, undeletable: true, usageMask: 3 }
  const { id } = await dke().vault.admin.create({ name: 'published', algorithm: 'rsa', material, ...flags })
  const own = await dke().create({ existing_key_id: id })
  for (const { msg, ct } of vectors.valid) {
    const { status, body } = await dke().decrypt(
      `${own.key_uri as string}/${own.kek_uuid as string}`,
      Buffer.from(ct as string, 'hex').toString('base64'),
    )
    expect([status, Buffer.from(body.value as string, 'base64').toString('hex')]).toEqual([200, msg])
  }
})

test('another padding, hash, mask or label, random bytes and a short value get the same refusal', async () => {
  const { body } = await dke().publicKey(endpoint)
  const key = keyIn(body)
  const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING }
  const secret = randomBytes(44)
  const values = [
    encrypted(key, secret, { ...OAEP, oaepHash: 'sha1' }),
    encrypted(key, secret, { ...OAEP, oaepHash: 'sha512' }),
    encrypted(key, secret, { ...OAEP, oaepHash: 'sha256', oaepLabel: Buffer.from('label') }),
    encrypted(key, secret, { padding: constants.RSA_PKCS1_PADDING }),
    Buffer.alloc(256, 1).toString('base64'),
    Buffer.alloc(256, 255).toString('base64'),
    Buffer.alloc(255, 1).toString('base64'),
    Buffer.alloc(257, 1).toString('base64'),
    '',
  ]
  const refusals = await Promise.all(values.map((value) => dke().decrypt(body.key.kid as string, value)))
  for (const answered of refusals) expect(answered).toEqual(BAD)
  expect(new Set(refusals.map(({ text }) => text)).size).toBe(1)
})

test('another alg, and a value that is not padded base64, are refused', async () => {
  const { kid, value } = await dke().protect(endpoint)
  for (const alg of ['RSA-OAEP', 'RSA1_5', 'rsa-oaep-256', '', 7])
    expect(await dke().decrypt(kid, value, { alg: alg as string }), String(alg)).toEqual(BAD)
  const unpadded = value.replace(/=+$/, '')
  for (const other of [
    unpadded,
    `${value}=`,
    value.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
    'äöü',
    7,
    null,
  ])
    expect(await dke().decrypt(kid, other), String(other)).toEqual(BAD)
})

test('a body that is no JSON object is refused, and one over 16 KiB is too large', async () => {
  const { kid } = await dke().protect(endpoint)
  const target = `${new URL(kid).pathname}/decrypt`
  const headers = await dke().bearer({})
  for (const body of ['', '{', '[]', '"text"', 'null'])
    expect(await dke().send('POST', target, body, headers), body).toEqual(BAD)
  expect(await dke().send('POST', target, { alg: 'RSA-OAEP-256' }, headers)).toEqual(BAD)
  const large = { alg: 'RSA-OAEP-256', value: 'A'.repeat(16_384) }
  expect(await dke().send('POST', target, large, headers)).toEqual(refused(413))
})

test('unknown endpoints get 404; unknown names and versions are refused after the token', async () => {
  const { kid, value } = await dke().protect(endpoint)
  const other = await dke().create()
  const unknown = kid.replace(endpoint.id as string, '01a20878-ae4e-7000-8d75-7a0b3e902a62')
  expect(await dke().send('GET', new URL(unknown).pathname.replace(/\/[^/]+$/, ''))).toEqual(refused(404))
  expect(await dke().decrypt(unknown, value)).toEqual(refused(404))
  const wrong = [
    kid.replace(endpoint.kek_uuid as string, other.kek_uuid as string),
    kid.replace(/.$/, (digit) => (digit === '1' ? '2' : '1')),
    kid.replace(endpoint.kek_uuid as string, 'no-uuid'),
    kid.replace(endpoint.kek_uuid as string, (endpoint.kek_uuid as string).toUpperCase()),
    kid.replace(endpoint.kek_name as string, (endpoint.kek_name as string).toUpperCase()),
    `${other.key_uri as string}/${endpoint.kek_uuid as string}`,
  ]
  for (const each of wrong) {
    expect(await dke().decrypt(each, value), each).toEqual(BAD)
    expect((await dke().decrypt(each, value, { token: null })).status, each).toBe(401)
  }
  const named = new URL(endpoint.key_uri as string).pathname.replace(endpoint.kek_name as string, 'else')
  expect(await dke().send('GET', named)).toEqual(BAD)
})

test('other methods and other paths are refused in the form of the service', async () => {
  const { kid } = await dke().protect(endpoint)
  const { pathname } = new URL(kid)
  expect(await dke().send('GET', `${pathname}/decrypt`)).toMatchObject({ status: 405, headers: { allow: 'POST' } })
  const own = new URL(endpoint.key_uri as string).pathname
  expect(await dke().send('POST', own, {})).toMatchObject({ status: 405, headers: { allow: 'GET' } })
  for (const target of [
    own.replace('/keys/', '/key/'),
    own.replace(/\/keys\/.*$/, ''),
    `${own.replace(/\/keys\/.*$/, '')}/keys/`,
  ])
    expect((await dke().send('GET', target)).status, target).toBe(404)
})

test('after a rotation the new version is served, and each document decrypts with its own', async () => {
  const own = await dke().create()
  const before = await dke().protect(own)
  const { status, body: rotated } = await dke().act(own.id as string, 'rotate')
  expect([status, rotated.kek_version]).toEqual([200, '1'])
  dke().letPass()
  const after = await dke().protect(rotated)
  expect(after.kid).toBe(`${own.key_uri as string}/${rotated.kek_uuid as string}`)
  expect(after.kid).not.toBe(before.kid)
  const opened = await dke().decrypt(before.kid, before.value)
  expect([opened.status, opened.body.value]).toEqual([200, before.bytes.toString('base64')])
  expect((await dke().decrypt(after.kid, after.value)).status).toBe(200)
  expect(await dke().decrypt(after.kid, before.value)).toEqual(BAD)
  await dke().vault.service.deployment.kill('dke-data')
  expect((await dke().decrypt(before.kid, before.value)).status).toBe(200)
})

test('a disabled or archived endpoint refuses both calls, until it is enabled again', async () => {
  const own = await dke().create()
  const { kid, value } = await dke().protect(own)
  await dke().act(own.id as string, 'disable')
  dke().letPass()
  expect(await dke().publicKey(own)).toEqual(refused(403))
  expect(await dke().decrypt(kid, value)).toEqual(refused(403))
  expect((await dke().decrypt(kid, value, { token: null })).status).toBe(401)
  await dke().act(own.id as string, 'enable')
  dke().vault.advance(251) // a disabled endpoint is read again after a quarter of a second
  expect((await dke().publicKey(own)).status).toBe(200)
  expect((await dke().decrypt(kid, value)).status).toBe(200)
  await dke().act(own.id as string, 'archive')
  dke().letPass()
  expect(await dke().decrypt(kid, value)).toEqual(refused(403))
})

test('a deleted endpoint does not exist any longer', async () => {
  const own = await dke().create()
  const { kid, value } = await dke().protect(own)
  await dke().vault.admin.ok('DELETE', `/v1/keymgr/docsuite/dke/endpoints/${own.id as string}`)
  dke().letPass()
  expect(await dke().decrypt(kid, value)).toEqual(refused(404))
})

test('a key that its owner revokes encrypts nothing more, and decrypts existing data', async () => {
  const own = await dke().create()
  const { kid, value } = await dke().protect(own)
  await dke().vault.admin.act(own.kek_id as string, 'revoke', { reason: 'KeyCompromise' }, '?type=id')
  dke().letPass()
  expect(await dke().publicKey(own)).toEqual(refused(403))
  expect((await dke().decrypt(kid, value)).status).toBe(200)
})

test('an inspection finds the version whose public key encrypted a document’s key', async () => {
  const { admin } = dke().vault
  const made = await dke().create()
  const { value: ciphertext } = await dke().protect(made)
  await dke().act(made.id as string, 'rotate')
  const answer = await inspected(admin, { ciphertext })
  expect(answer).toMatchObject({
    kind: 'content key of a document',
    proof: 'authenticated',
    endpoint: { id: made.id },
    local_key: { id: made.kek_id, version: 0 },
    can_be_opened: true,
    opened_by: [{ kind: 'user of the tenant', names: made.auth_tenants }],
  })
  expect((await tryInspect(admin, { ciphertext: randomBytes(256).toString('base64') })).status).toBe(404)
})
