import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { USAGE } from '../../../shared/crypto/usage.ts'
import files from '../../vectors/key-files.json' with { type: 'json' }
import { refused, spkiHashOf, useKacls } from './kacls.ts'

const kacls = useKacls()

const KEY = randomBytes(32)
const OPENED = { key: KEY.toString('base64') }
const ROOM = { delegated_to: 'room-7@shop.example.test' }
const HOUR_MS = 3_600_000
/** A disabled endpoint is read again after a quarter of a second. */
const READ_AGAIN_MS = 251

/** An endpoint, and one of each artifact that it returned before. */
async function used() {
  const endpoint = await kacls().create()
  await kacls().change(endpoint, { allow_privileged_unwrap: true })
  const blob = await kacls().wrapped(endpoint, KEY)
  const privateKey = await kacls().wrappedPrivateKey(endpoint, files.keys.rsa.pem)
  const { body } = await kacls().call(endpoint, 'delegate', {}, { what: ROOM })
  return { endpoint, id: endpoint.id as string, blob, privateKey, delegated: body.delegated_authentication as string }
}
type Used = Awaited<ReturnType<typeof used>>

const sign = ({ endpoint, privateKey }: Used) =>
  kacls().mail(endpoint, 'privatekeysign', spkiHashOf(files.keys.rsa.pem), {
    algorithm: 'SHA256withRSA',
    digest: KEY.toString('base64'),
    wrapped_private_key: privateKey,
  })

/** Statuses of all calls, except the migration of keys to the endpoint, which needs another service. */
async function statuses(of: Used): Promise<Record<string, number>> {
  const { endpoint, blob: wrapped_key } = of
  const answers = {
    wrap: await kacls().wrap(endpoint, KEY),
    unwrap: await kacls().unwrap(endpoint, wrapped_key),
    import: await kacls().privileged(endpoint, 'privilegedwrap', { key: 'AAAA' }),
    export: await kacls().privileged(endpoint, 'privilegedunwrap', { wrapped_key }),
    digest: await kacls().migration(endpoint, 'digest', 'verifier', { wrapped_key }),
    delegate: await kacls().call(endpoint, 'delegate', {}, { what: ROOM }),
    sign: await sign(of),
  }
  return Object.fromEntries(Object.entries(answers).map(([call, { status }]) => [call, status]))
}
const all = (status: number) => ({
  wrap: status,
  unwrap: status,
  import: status,
  export: status,
  digest: status,
  delegate: status,
  sign: status,
})

test('a disabled or archived endpoint refuses every call, and serves again as soon as it is enabled', async () => {
  const of = await used()
  expect(await statuses(of)).toEqual(all(200))
  await kacls().act(of.id, 'disable')
  kacls().letPass()
  expect(await statuses(of)).toEqual(all(403))
  await kacls().act(of.id, 'enable')
  kacls().vault.advance(READ_AGAIN_MS)
  expect(await statuses(of)).toEqual(all(200))
  await kacls().act(of.id, 'archive')
  kacls().letPass()
  expect(await statuses(of)).toEqual(all(403))
  await kacls().act(of.id, 'recover')
  kacls().vault.advance(READ_AGAIN_MS)
  expect((await kacls().wrap(of.endpoint, KEY)).status).toBe(403) // it is now disabled
  await kacls().act(of.id, 'enable')
  kacls().vault.advance(READ_AGAIN_MS)
  expect(await statuses(of)).toEqual(all(200))
})

test('a disabled endpoint shows its state and keys, and no more to callers without tokens than before', async () => {
  const { endpoint, id, blob } = await used()
  await kacls().act(id, 'disable')
  kacls().letPass()
  expect((await kacls().get(endpoint, 'status')).status).toBe(200)
  expect((await kacls().get(endpoint, 'certs')).status).toBe(200)
  expect(await kacls().unwrap(endpoint, blob, { authentication: 'no.token.atall' })).toEqual(refused(401))
  expect(await kacls().unwrap(endpoint, 7)).toEqual(refused(400))
  await kacls().lines(1, { endpoint: id, status: 401 })
  expect((await kacls().wrap(endpoint, KEY)).body.message).toBe('The user is not allowed to use this resource.')
  await kacls().lines(1, { endpoint: id, rule: 'status' })
})

test('a key that its owner deactivates wraps nothing more, and unwraps existing blobs', async () => {
  const of = await used()
  const { endpoint, id, blob } = of
  const { admin } = kacls().vault
  await admin.act(endpoint.kekID as string, 'revoke', { reason: 'CessationOfOperation' }, '?type=id')
  kacls().letPass()
  expect(await kacls().wrap(endpoint, KEY)).toEqual(refused(403))
  expect(await kacls().privileged(endpoint, 'privilegedwrap', { key: 'AAAA' })).toEqual(refused(403))
  expect((await kacls().unwrap(endpoint, blob)).body).toEqual(OPENED)
  expect((await sign(of)).status).toBe(200)
  await kacls().lines(2, { endpoint: id, refusal: 'STATE_CONFLICT' })
})

test('a key without the use unwrap unwraps nothing, and one without the use wrap wraps nothing', async () => {
  const of = await used()
  const { endpoint, blob } = of
  const { admin } = kacls().vault
  const key = endpoint.kekID as string
  await admin.update(key, { usageMask: USAGE.wrap }, '?type=id')
  kacls().letPass()
  expect((await kacls().wrap(endpoint, KEY)).status).toBe(200)
  expect(await kacls().unwrap(endpoint, blob)).toEqual(refused(403))
  expect(await kacls().privileged(endpoint, 'privilegedunwrap', { wrapped_key: blob })).toEqual(refused(403))
  expect((await sign(of)).status).toBe(403)
  await admin.update(key, { usageMask: USAGE.unwrap }, '?type=id')
  kacls().letPass()
  expect(await kacls().wrap(endpoint, KEY)).toEqual(refused(403))
  expect((await kacls().unwrap(endpoint, blob)).body).toEqual(OPENED)
})

test('a deleted endpoint does not exist any longer', async () => {
  const { endpoint, id, blob } = await used()
  await kacls().vault.admin.ok('DELETE', `/v1/keymgr/WorkspaceCSE/endpoints/${id}`)
  kacls().letPass()
  expect(await kacls().unwrap(endpoint, blob)).toEqual(refused(404))
  expect((await kacls().get(endpoint, 'certs')).status).toBe(404)
})

const kids = async (endpoint: any): Promise<string[]> =>
  (await kacls().get(endpoint, 'certs')).body.keys.map(({ kid }: any) => kid as string)
const versionIn = (blob: string): number => Buffer.from(blob, 'base64').readUInt32BE(2)

test('after a rotation the new version wraps and all former ones unwrap', async () => {
  const of = await used()
  const { endpoint, id, blob } = of
  expect(versionIn(blob)).toBe(0)
  const blobs = [blob]
  for (const version of [1, 2]) {
    const { status, body } = await kacls().act(id, 'rotate-key')
    expect([status, body.kek_version]).toEqual([200, String(version)])
    kacls().letPass()
    const next = await kacls().wrapped(endpoint, KEY)
    expect(versionIn(next)).toBe(version)
    blobs.push(next)
  }
  for (const each of blobs) expect((await kacls().unwrap(endpoint, each)).body).toEqual(OPENED)
  expect((await sign(of)).status).toBe(200)
  const privateKey = await kacls().wrappedPrivateKey(endpoint, files.keys.rsa.pem)
  expect(versionIn(privateKey)).toBe(2)
  expect((await sign({ ...of, privateKey })).status).toBe(200)
  await kacls().vault.service.deployment.kill('kacls')
  for (const each of blobs) expect((await kacls().unwrap(endpoint, each)).body).toEqual(OPENED)
  const unknown = Buffer.from(blob, 'base64')
  unknown.writeUInt32BE(3, 2)
  expect(await kacls().unwrap(endpoint, unknown.toString('base64'))).toEqual(refused(400))
  for (const version of [0, 1, 2])
    await kacls().lines({ atLeast: 2 }, { endpoint: id, operation: 'unwrap', version, status: 200 })
})

test('the signing key of another instance is published at once', async () => {
  const { endpoint, id } = await used()
  const [former] = await kids(endpoint)
  await kacls().act(id, 'rotate-key')
  kacls().vault.advance(READ_AGAIN_MS)
  expect(await kids(endpoint)).toEqual([expect.not.stringMatching(former ?? ''), former])
})

test('tokens of a former signing key are valid until their end, and its public half is published for two hours', async () => {
  const { endpoint, id, blob, delegated } = await used()
  const [former] = await kids(endpoint)
  await kacls().act(id, 'rotate-key')
  kacls().letPass()
  const both = await kids(endpoint)
  expect(both).toHaveLength(2)
  expect(both[1]).toBe(former)
  const unwrap = (authentication: string) => kacls().unwrap(endpoint, blob, { authentication, what: ROOM })
  expect((await unwrap(delegated)).body).toEqual(OPENED)
  const { body } = await kacls().call(endpoint, 'delegate', {}, { what: ROOM })
  const header = JSON.parse(Buffer.from(body.delegated_authentication.split('.')[0], 'base64url').toString())
  expect(header.kid).toBe(both[0])
  expect((await unwrap(body.delegated_authentication)).body).toEqual(OPENED)
  kacls().vault.advance(2 * HOUR_MS)
  kacls().letPass()
  expect(await kids(endpoint)).toEqual([both[0]])
  expect(await unwrap(delegated)).toEqual(refused(401))
})
