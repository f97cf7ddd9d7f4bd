import { createHash, createPrivateKey, createPublicKey, verify } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { found, textMarker } from '../../support/markers.ts'
import files from '../../vectors/key-files.json' with { type: 'json' }
import { expectRefused } from '../vault/vault.ts'
import { ENDPOINTS, spkiHashOf, useKacls } from '../kacls/kacls.ts'

const kacls = useKacls()
let endpoint: any
beforeAll(async () => {
  endpoint = await kacls().create()
})

const { keys } = files
const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64')
const DIGEST = createHash('sha256').update('a message').digest()

/** Signs with a blob, and verifies with the public key of the PEM. */
async function signs(blob: string, pem: string): Promise<boolean> {
  const members = { algorithm: 'SHA256withRSA', digest: base64(DIGEST), wrapped_private_key: blob }
  const { status, body } = await kacls().mail(endpoint, 'privatekeysign', spkiHashOf(pem), members)
  expect(status, JSON.stringify(body)).toBe(200)
  const signature = Buffer.from(body.signature as string, 'base64')
  return verify('sha256', Buffer.from('a message'), createPublicKey(pem), signature)
}

test.each([
  ['PEM of PKCS #8', keys.rsa.pem, keys.rsa.pem],
  ['PEM of PKCS #1', keys['rsa-pkcs1'].pem, keys.rsa.pem],
  ['base64 of PEM', base64(keys.rsa.pem), keys.rsa.pem],
  ['base64 of DER', base64(createPrivateKey(keys.rsa.pem).export({ format: 'der', type: 'pkcs8' })), keys.rsa.pem],
  ['PEM of 3,072 bits', keys['rsa-3072'].pem, keys['rsa-3072'].pem],
  ['base64 of PEM of 4,096 bits', base64(keys['rsa-4096'].pem), keys['rsa-4096'].pem],
])('a key as %s signs by its blob', async (_what, text, pem) => {
  expect(await signs(await kacls().wrappedPrivateKey(endpoint, text), pem)).toBe(true)
})

test('a key wrapped twice gives two blobs, and an Idempotency-Key does not make them one', async () => {
  const headers = { 'idempotency-key': 'wrapped-once' }
  const body = { private_key: keys.rsa.pem }
  const first = await kacls().wrapPrivateKey(endpoint, body, headers)
  const second = await kacls().wrapPrivateKey(endpoint, body, headers)
  expect([first.status, second.status]).toEqual([200, 200])
  expect(first.body.wrapped_private_key).not.toBe(second.body.wrapped_private_key)
})

test.each([
  ['no key', 'not a key'],
  ['a public key', createPublicKey(keys.rsa.pem).export({ format: 'pem', type: 'spki' }).toString()],
  ['an encrypted key', keys['rsa-trad-enc'].pem],
  ['a key of an elliptic curve', keys.ec.pem],
  ['a short key', keys.small.pem],
  ['too long', `${keys.rsa.pem}${' '.repeat(8_192)}`],
  ['empty', ''],
])('a text that is %s is refused by its field', async (_what, private_key) => {
  const refused = await kacls().wrapPrivateKey(endpoint, { private_key })
  expectRefused(refused, 422, 2, '#/private_key')
  if (private_key !== '') expect(JSON.stringify(refused.body)).not.toContain(private_key.slice(30, 60) || private_key)
})

test.each([
  ['of 129 bytes', `${'é'.repeat(64)}x`],
  ['that is reserved', 'takeout'],
])('a perimeter %s is refused', async (_what, perimeter_id) => {
  expectRefused(
    await kacls().wrapPrivateKey(endpoint, { private_key: keys.rsa.pem, perimeter_id }),
    422,
    2,
    '#/perimeter_id',
  )
})

test('a perimeter of 128 bytes is sealed with the key, and decides when it is used', async () => {
  const own = await kacls().create()
  const perimeter_id = 'é'.repeat(64)
  await kacls().setPerimeter(own, `package p\n\nallow if input.perimeter_id == "${perimeter_id}"\n`)
  const members = { algorithm: 'SHA256withRSA', digest: base64(DIGEST) }
  const statusOf = async (more: object) => {
    const wrapped_private_key = await kacls().wrappedPrivateKey(own, keys.rsa.pem, more)
    const spki = spkiHashOf(keys.rsa.pem)
    return (await kacls().mail(own, 'privatekeysign', spki, { ...members, wrapped_private_key })).status
  }
  expect([await statusOf({ perimeter_id }), await statusOf({ perimeter_id: 'else' }), await statusOf({})]).toEqual([
    200, 403, 403,
  ])
})

test('a disabled or archived endpoint, and one whose key is deactivated, wraps no private key', async () => {
  const own = await kacls().create()
  const id = own.id as string
  const body = { private_key: keys.rsa.pem }
  await kacls().act(id, 'disable')
  expectRefused(await kacls().wrapPrivateKey(own, body), 409, 8)
  await kacls().act(id, 'enable')
  expect((await kacls().wrapPrivateKey(own, body)).status).toBe(200)
  await kacls().act(id, 'archive')
  expectRefused(await kacls().wrapPrivateKey(own, body), 409, 8)
  const other = await kacls().create()
  await kacls().vault.admin.act(other.kekID as string, 'revoke', { reason: 'CessationOfOperation' }, '?type=id')
  expectRefused(await kacls().wrapPrivateKey(other, body), 409, 8)
})

test('only administrators of endpoints, in their own domain, wrap private keys', async () => {
  const { vault } = kacls()
  const path = `${ENDPOINTS}/${endpoint.id as string}/wrapprivatekey`
  const body = { private_key: keys.rsa.pem }
  const { holder: keymgr } = await vault.user('keymgr', ['keymgr Admins'])
  expect((await keymgr.call('POST', path, body)).status).toBe(200)
  const { holder: user } = await vault.user('user', ['keymgr Users', 'Key Admins'])
  expectRefused(await user.call('POST', path, body), 403, 4)
  const { child: token } = await childAdmin(vault.service)
  expect((await vault.service.call('POST', path, { token, body })).status).toBe(404)
  const authentication = await kacls().authentication()
  expect((await vault.service.call('POST', path, { body: { ...body, authentication } })).status).toBe(401)
})

test('the record names endpoint, administrator, perimeter and public key; the private key is in no record and no log line', async () => {
  const own = await kacls().create()
  await kacls().wrappedPrivateKey(own, keys.rsa.pem, { perimeter_id: 'inside' })
  await kacls().wrapPrivateKey(own, { private_key: keys.small.pem })
  const { vault } = kacls()
  const written = await vault.records(`resource_uri=${encodeURIComponent(own.uri as string)}`)
  const wraps = written.filter(({ message }) => message === 'Wrap KACLS Private Key')
  expect(wraps.map(({ username, success }) => [username, success])).toEqual([
    ['admin', true],
    ['admin', false],
  ])
  expect(wraps.map(({ details }) => details.after)).toEqual([
    { perimeter_id: 'inside', spki_hash: spkiHashOf(keys.rsa.pem) },
    undefined,
  ])
  const { d = '' } = createPrivateKey(keys.rsa.pem).export({ format: 'jwk' })
  const secrets = [
    { what: 'the exponent', bytes: Buffer.from(d, 'base64url') },
    ...[keys.rsa.pem, keys.small.pem].map((pem) => textMarker('a line', pem.split('\n')[5] ?? '')),
  ]
  const logs = vault.service.deployment.logs().map(({ text }) => text)
  const places = [...written.map((record) => JSON.stringify(record)), ...logs].map((text) => ({
    name: text.slice(0, 100),
    content: Buffer.from(text),
  }))
  expect(found(secrets, places)).toEqual([])
})
