import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { AUDIENCE, HOST, refusal, useExternal, type CallOptions } from './external-vaults.ts'
import { inspected, tryInspect } from '../../support/inspect.ts'

const external = useExternal()
const PLAINTEXT = Buffer.from('a data key').toString('base64')

let vault: any
let key: any
let blob: any
beforeAll(async () => {
  vault = await external().newVault()
  key = await external().newKey(vault)
  blob = await external().encrypted(vault, key)
})

test('the cloud reads the metadata of a vault, a key and a version', async () => {
  const current = key.cloud_d_params.current_key_version
  const read = async (path: string) => (await external().callVault(vault, path)).body
  expect(await read('/metadata')).toEqual({ state: 'ACTIVE', vendor: 'keymgr' })
  expect(await read(`/keys/${key.id}/metadata`)).toEqual({
    keyId: key.id,
    currentKeyVersionId: current,
    keyShape: { algorithm: 'AES', length: 256 },
    state: 'ENABLED',
    keyOps: ['ENCRYPT', 'DECRYPT'],
  })
  expect(await read(`/keys/${key.id}/keyVersions/${current}/metadata`)).toEqual({
    keyId: key.id,
    keyVersionId: current,
    state: 'ENABLED',
    keyVersionOps: ['ENCRYPT', 'DECRYPT'],
  })
})

test('a key decrypts its own ciphertexts, with the same additional data', async () => {
  const aad = Buffer.from('bucket 7').toString('base64')
  const bound = await external().encrypted(vault, key, { aad })
  expect(bound).toEqual({
    ciphertext: expect.any(String),
    iv: expect.any(String),
    tag: expect.any(String),
    mode: 'GCM',
    aad,
    keyVersionId: key.cloud_d_params.current_key_version,
  })
  expect((await external().decrypt(vault, key, bound)).body).toEqual({ plaintext: PLAINTEXT })
  expect((await external().decrypt(vault, key, blob)).body).toEqual({ plaintext: PLAINTEXT })
})

test("an iv of the caller does not become the ciphertext's", async () => {
  const iv = randomBytes(12).toString('base64')
  const [one, other] = [await external().encrypted(vault, key, { iv }), await external().encrypted(vault, key, { iv })]
  expect(new Set([iv, one.iv, other.iv]).size).toBe(3)
})

test.each(['', '/keys/{key}'])('random bytes are given below the vault%s', async (below) => {
  const path = `${below.replace('{key}', key.id as string)}/generateRandomBytes`
  const { body } = await external().callVault(vault, path, { body: { length: 65_535 } })
  expect(body.length).toBe(65_535)
  expect(Buffer.from(body.randomBytes as string, 'base64')).toHaveLength(65_535)
  for (const length of [0, 65_536, 1.5, '1', undefined])
    expect(await external().callVault(vault, path, { body: { length } })).toEqual(refusal(400))
})

const flipped = (text: string): string => {
  const bytes = Buffer.from(text, 'base64')
  bytes[0] = (bytes[0] ?? 0) ^ 1
  return bytes.toString('base64')
}
test.each<[string, (blob: any) => object]>([
  ['an altered ciphertext', ({ ciphertext }) => ({ ciphertext: flipped(ciphertext) })],
  ['another iv', ({ iv }) => ({ iv: flipped(iv) })],
  ['another tag', ({ tag }) => ({ tag: flipped(tag) })],
  ['a short tag', ({ tag }) => ({ tag: Buffer.from(tag, 'base64').subarray(0, 12).toString('base64') })],
  ['no iv', () => ({ iv: undefined })],
  ['additional data that it was not made with', () => ({ aad: 'AAAA' })],
  ['something else than base64', () => ({ ciphertext: '***' })],
  ['no ciphertext', () => ({ ciphertext: undefined })],
  ['another mode', () => ({ mode: 'CBC' })],
])('a decryption with %s is refused', async (_what, change) => {
  expect(await external().decrypt(vault, key, { ...blob, ...change(blob) })).toEqual(refusal(400))
})

test('a ciphertext of another key over the same local key is refused', async () => {
  const other = await external().newKey(vault, { source_key_identifier: key.local_key_name })
  const foreign = await external().encrypted(vault, other)
  const altered = { ...foreign, keyVersionId: key.cloud_d_params.current_key_version }
  expect(await external().decrypt(vault, key, altered)).toEqual(refusal(400))
  expect(await external().decrypt(vault, key, foreign)).toEqual(refusal(404)) // a version of another key
})

test.each<[string, object]>([
  ['no plaintext', { plaintext: undefined }],
  ['a plaintext that is not base64', { plaintext: 'a b' }],
  ['a plaintext that is no text', { plaintext: 7 }],
  ['additional data that is not base64', { aad: '*' }],
])('an encryption with %s is refused', async (_what, body) => {
  expect(await external().encrypt(vault, key, body)).toEqual(refusal(400))
})

test('unknown keys, versions and paths are not found', async () => {
  const unknown = '0190a1b2-0000-7000-8000-000000000000'
  for (const path of [`/keys/${unknown}/metadata`, `/keys/${key.id}/keyVersions/${unknown}/metadata`, '/keys', '/x'])
    expect(await external().callVault(vault, path), path).toEqual(refusal(404))
  expect(await external().encrypt(vault, key, { keyVersionId: unknown })).toEqual(refusal(404))
  expect(await external().encrypt(vault, { id: unknown })).toEqual(refusal(404))
  const another = await external().newVault()
  expect(await external().encrypt(another, key)).toEqual(refusal(404)) // a key of another vault
})

test.each<[string, () => CallOptions | Promise<CallOptions>, number]>([
  ['no token', () => ({ token: null }), 401],
  ['a text that is no token', () => ({ token: 'x.y.z' }), 401],
  ['a token for another host', () => ({ asked: { audience: 'https://elsewhere.test/' } }), 401],
  ['a token for the path of the vault', () => ({ asked: { audience: `${AUDIENCE}api/v1` } }), 401],
  ['a token of another issuer', () => ({ asked: { claims: { iss: 'https://identity.oraclecloud.com' } } }), 401],
  ['a token that has ended', () => ({ asked: { claims: { exp: 1_000 } } }), 401],
  ['a token without an end', () => ({ asked: { claims: { exp: undefined } } }), 401],
  ['a token that is not valid yet', () => ({ asked: { claims: { nbf: 4_000_000_000 } } }), 401],
  ['a token for other calls', () => ({ asked: { scope: 'urn:opc:idm:__myscopes__' } }), 403],
  ['a token of another client', () => ({ asked: { clientId: external().client('key-set-reader').id } }), 403],
])('a call with %s is refused', async (_what, options, status) => {
  expect(await external().encrypt(vault, key, {}, await options())).toEqual(refusal(status))
  const unknown = { external_vault_params: { endpoint_url: `https://${HOST}/api/v1/keymgr/cloud-d/ekm/v1/vaults/x` } }
  const answer = await external().encrypt(unknown, key, {}, await options())
  expect(answer, 'a vault that never existed').toEqual(refusal(401))
})

test("a token of another tenancy's domain is refused, though its issuer has the same name", async () => {
  const bank = external().cloud.domains.find(({ tenancy }) => tenancy.name === 'bank')
  const clientId = bank?.tenancy.applications[0]?.clientId ?? ''
  const token = await bank?.tokenOf({ clientId, audience: AUDIENCE, claims: { client_id: external().client().id } })
  expect(await external().encrypt(vault, key, {}, { token: token ?? '' })).toEqual(refusal(401))
})

test.each(['https://ekm.keymgr.test', 'https://ekm.keymgr.test:443/', 'https://EKM.keymgr.test:443'])(
  'a token for %s is for this host',
  async (audience) => {
    expect((await external().encrypt(vault, key, {}, { asked: { audience } })).status).toBe(200)
  },
)

test('scopes of earlier clouds are accepted', async () => {
  expect((await external().encrypt(vault, key, {}, { asked: { scope: 'openid oci_hyok_ekm' } })).status).toBe(200)
})

test('answers have the request id of the cloud, or our own without one', async () => {
  const given = await external().encrypt(vault, key, {}, { headers: { 'opc-request-id': 'csid-7/A' } })
  expect(given.headers['opc-request-id']).toBe('csid-7/A')
  expect((await external().encrypt(vault, key)).headers['opc-request-id']).toMatch(/^.{10,}$/)
  expect((await external().callVault(vault, '/metadata', { token: null })).headers['opc-request-id']).toMatch(
    /^.{10,}$/,
  )
})

test('a method that a path does not have is refused', async () => {
  const answer = await external().callVault(vault, '/metadata', { method: 'POST', body: {} })
  expect(answer).toEqual(refusal(405))
  expect(answer.headers.allow).toBe('GET')
})

test('a blocked vault refuses everything within five seconds, and its metadata shows the block', async () => {
  const own = await external().newVault()
  const ownKey = await external().newKey(own)
  await external().encrypted(own, ownKey)
  const blocked = await external().ok('POST', `/vaults/${own.id}/block`)
  expect(blocked.external_vault_params.blocked).toBe(true)
  external().letPass()
  expect((await external().callVault(own, '/metadata')).body).toMatchObject({ state: 'BLOCKED' })
  expect(await external().encrypt(own, ownKey)).toEqual(refusal(403))
  expect(await external().callVault(own, `/keys/${ownKey.id}/metadata`)).toEqual(refusal(403))
  expect(await external().callVault(own, '/generateRandomBytes', { body: { length: 1 } })).toEqual(refusal(403))
  expect((await external().ask('POST', `/vaults/${own.id}/block`)).status).toBe(409)
  await external().ok('POST', `/vaults/${own.id}/unblock`)
  external().vault.advance(300)
  expect((await external().encrypt(own, ownKey)).status).toBe(200)
})

test('a blocked key refuses its use within five seconds', async () => {
  const own = await external().newKey(vault)
  const sealed = await external().encrypted(vault, own)
  const shown = await external().ok('POST', `/keys/${own.id}/block`)
  expect(shown).toMatchObject({ hyok_key_params: { blocked: true, state: 'DISABLED' } })
  external().letPass()
  expect(await external().encrypt(vault, own)).toEqual(refusal(403))
  expect(await external().decrypt(vault, own, sealed)).toEqual(refusal(403))
  expect((await external().callVault(vault, `/keys/${own.id}/metadata`)).body).toMatchObject({ state: 'DISABLED' })
  const random = { body: { length: 1 } }
  expect(await external().callVault(vault, `/keys/${own.id}/generateRandomBytes`, random)).toEqual(refusal(403))
  await external().ok('POST', `/keys/${own.id}/unblock`)
  external().vault.advance(300)
  expect((await external().decrypt(vault, own, sealed)).status).toBe(200)
})

test('a new version of the local key encrypts from then on, and older ciphertexts still open', async () => {
  const own = await external().newKey(vault)
  const [first] = [await external().encrypted(vault, own)]
  await external().vault.admin.act(own.local_key_name as string, 'versions', {})
  external().letPass()
  const second = await external().encrypted(vault, own)
  expect(second.keyVersionId).not.toBe(first.keyVersionId)
  const { resources } = await external().ok('GET', `/keys/${own.id}/versions`)
  expect(resources.map(({ id, is_current }: any) => [id, is_current])).toEqual([
    [first.keyVersionId, false],
    [second.keyVersionId, true],
  ])
  for (const each of [first, second])
    expect((await external().decrypt(vault, own, each)).body).toEqual({ plaintext: PLAINTEXT })
  const earlier = await external().encrypted(vault, own, { keyVersionId: first.keyVersionId })
  expect(earlier.keyVersionId).toBe(first.keyVersionId)
  expect((await external().callVault(vault, `/keys/${own.id}/metadata`)).body).toMatchObject({
    currentKeyVersionId: second.keyVersionId,
  })
})

test('a revoked local key encrypts nothing', async () => {
  const own = await external().newKey(vault)
  const sealed = await external().encrypted(vault, own)
  await external().vault.admin.act(own.local_key_name as string, 'revoke', { reason: 'CessationOfOperation' })
  external().letPass()
  expect(await external().encrypt(vault, own)).toEqual(refusal(403))
  expect((await external().decrypt(vault, own, sealed)).status).toBe(200)
})

test('a policy decides last, by the call, its client, the key and the claims', async () => {
  const policy = `package cloud
default allow = false
allow { input.operation == "encrypt"; input.client == "${external().client().id}"; input.claims.tenant == "shop" }`
  const guarded = await external().newVault({ policy })
  const own = await external().newKey(guarded)
  expect(own.hyok_key_params).not.toHaveProperty('policy')
  const sealed = await external().encrypted(guarded, own)
  expect(await external().decrypt(guarded, own, sealed)).toEqual(refusal(403))
  const byKey = await external().newKey(guarded, { policy: 'package key\nallow { input.key.name == "none" }' })
  expect(await external().encrypt(guarded, byKey)).toEqual(refusal(403))
  await external().ok('PATCH', `/keys/${byKey.id}`, { policy: null })
  await external().ok('PATCH', `/vaults/${guarded.id}`, { policy: null })
  external().letPass()
  expect((await external().decrypt(guarded, own, sealed)).status).toBe(200)
  expect((await external().encrypt(guarded, byKey)).status).toBe(200)
})

test('a deleted vault is reported to callers whom its issuer identifies, and to no one else', async () => {
  const own = await external().newVault()
  expect((await external().callVault(own, '/generateRandomBytes', { body: { length: 1 } })).status).toBe(200)
  await external().ok('DELETE', `/vaults/${own.id}`)
  external().letPass()
  expect(await external().callVault(own, '/metadata')).toEqual(refusal(404))
  expect(await external().callVault(own, '/metadata', { token: null })).toEqual(refusal(401))
  expect(await external().callVault(own, '/metadata', { asked: { scope: 'x' } })).toEqual(refusal(403))
})

test('a deleted key is not found', async () => {
  const own = await external().newKey(vault)
  const sealed = await external().encrypted(vault, own)
  await external().ok('DELETE', `/keys/${own.id}`)
  external().letPass()
  expect(await external().decrypt(vault, own, sealed)).toEqual(refusal(404))
})

test('successes are recorded unless the vault excludes them; refusals always are', async () => {
  const quiet = await external().newVault({ enable_success_audit_event: false })
  const own = await external().newKey(quiet)
  await external().encrypted(quiet, own)
  expect(await external().encrypt(quiet, own, { plaintext: 7 })).toEqual(refusal(400))
  await external().lines(2, { vault: quiet.id })
  await external().vault.service.deployment.logsDelivered()
  const records = async (uri: string) => {
    const found = await external().vault.records(`service=external-vaults&resource_uri=${encodeURIComponent(uri)}`)
    return found.map(({ message, username, success }) => ({ message, username, success }))
  }
  const username = external().client().id
  expect(await records(own.uri as string)).toEqual([{ message: 'External vault encrypt', username, success: false }])
  expect(await records(key.uri as string)).toContainEqual({
    ...{ message: 'External vault encrypt', username, success: true },
  })
  const text = external()
    .vault.service.deployment.logs()
    .map((line) => line.text)
  expect(text.join('\n')).not.toContain(blob.ciphertext)
})

test('an inspection proves which key of which vault made a ciphertext, and shows when it is blocked', async () => {
  const { admin } = external().vault
  const { ciphertext, iv, tag } = blob
  const known = {
    proof: 'authenticated',
    endpoint: { kind: 'external vault', id: vault.id },
    key: { kind: 'external key', id: key.id },
    local_key: { version: 0 },
  }
  const answer = await inspected(admin, { ciphertext, iv, tag })
  expect(answer).toMatchObject({ ...known, kind: 'ciphertext of an external vault', can_be_opened: true })
  expect(JSON.stringify(answer)).not.toContain(PLAINTEXT)
  expect((await tryInspect(admin, { ciphertext, iv, tag: flipped(tag as string) })).status).toBe(404)
  const other = await external().newVault()
  expect((await tryInspect(admin, { ciphertext, iv, tag, endpoint: other.id })).status).toBe(404)
})
