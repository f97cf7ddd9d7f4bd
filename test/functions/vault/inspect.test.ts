import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import fc from '../../support/fast-check.ts'
import { flippedBit, inspected, tryInspect } from '../../support/inspect.ts'
import { useEkm } from '../ekm/ekm.ts'
import { expectRefused, Holder } from './vault.ts'

const ekm = useEkm()
const vault = () => ekm().vault
const admin = () => vault().admin

const PLAINTEXT = Buffer.from('never shown').toString('base64')
let endpoint: any
let blob = ''
let child: Holder
beforeAll(async () => {
  endpoint = await ekm().create()
  blob = (await ekm().ok(endpoint, 'wrap', { plaintext: PLAINTEXT })).wrappedBlob as string
  const { child: token } = await childAdmin(vault().service)
  child = new Holder(vault().service, () => Promise.resolve(token))
})

/** Answers without what differs from request to request. */
const plain = ({ status, body }: any) => ({ status, body: { ...body, traceId: undefined } })

test('bytes of an unknown form are not recognized', async () => {
  for (const ciphertext of ['?', 'AA==', 'AAAAAAAA', 'not base64', 'a.b.c', 'A'.repeat(131_072), '=', 'é'])
    expect(plain(await tryInspect(admin(), { ciphertext }))).toEqual({ status: 200, body: { recognized: false } })
  const parts = { iv: '!', tag: 'AAAA', metadata: 'AAAA', aad: 'AAAA' }
  for (const [name, text] of Object.entries(parts))
    expect((await tryInspect(admin(), { ciphertext: blob, [name]: `${text}?` })).body).toEqual({ recognized: false })
})

test('no bytes cause a fault, and only real ciphertexts are attributed', async () => {
  const bytes = fc.uint8Array({ maxLength: 300 }).map((each) => Buffer.from(each).toString('base64'))
  const header = fc
    .tuple(fc.constantFrom(0, 1, 2), fc.constantFrom(0, 1, 2), fc.uint8Array({ minLength: 30, maxLength: 80 }))
    .map(([first, second, rest]) => Buffer.from([first, second, ...rest]).toString('base64'))
  const damaged = fc.nat(Buffer.from(blob, 'base64').length * 8 - 1).map((bit) => flippedBit(blob, bit))
  const body = fc.record(
    {
      ciphertext: fc.oneof(bytes, header, damaged).filter(Boolean),
      iv: bytes,
      tag: bytes,
      metadata: bytes,
      aad: bytes,
    },
    { requiredKeys: ['ciphertext'] },
  )
  await fc.assert(
    fc.asyncProperty(body, async (given) => {
      const { status, body: answer } = await tryInspect(admin(), given)
      expect(status === 404 || (status === 200 && answer.recognized === false), JSON.stringify(answer)).toBe(true)
    }),
    { numRuns: 120 },
  )
})

test('a ciphertext of another domain gets the same answer as an unknown one', async () => {
  await admin().ok('GET', `/v1/keymgr/ekm/endpoints/${endpoint.id as string}`)
  const nobody = Buffer.from(blob, 'base64')
  randomBytes(16).copy(nobody, nobody.length - 16)
  const none = plain(await tryInspect(child, { ciphertext: nobody.toString('base64') }))
  expect(none.status).toBe(404)
  for (const more of [{}, { endpoint: endpoint.id }, { endpoint: endpoint.name }, { endpoint: randomUUID() }])
    expect(plain(await tryInspect(child, { ciphertext: blob, ...more }))).toEqual(none)
  expect(plain(await tryInspect(admin(), { ciphertext: nobody.toString('base64') }))).toEqual(none)
})

test('an exported key is recognized by the local key that the caller names', async () => {
  const name = `kek-${randomUUID()}`
  const kek = await admin().create({ name, algorithm: 'aes' })
  const inner = await admin().create({ name: `${name}-inner`, algorithm: 'aes', usageMask: 64 + 12 })
  const { material } = await admin().act(inner.id, 'export', { wrapKeyName: name })
  await admin().act(name, 'versions', {})
  expect(await inspected(admin(), { ciphertext: material, key: name })).toMatchObject({
    kind: 'exported key',
    proof: 'authenticated',
    endpoint: { kind: 'local key', id: kek.id },
    local_key: { id: kek.id, version: 0, latest: false },
    can_be_opened: true,
    opened_by: expect.arrayContaining([{ kind: 'group', names: ['Key Admins'], total: 1 }]),
  })
  const other = await admin().create({ name: `${name}-other`, algorithm: 'aes' })
  expectRefused(await tryInspect(admin(), { ciphertext: material, key: other.id }), 404, 5)
})

test('a destroyed key opens nothing, and the header of a named endpoint reports it', async () => {
  const made = await ekm().create()
  const { wrappedBlob: ciphertext } = await ekm().ok(made, 'wrap', { plaintext: PLAINTEXT })
  await admin().update(made.kekID, { undeletable: false })
  await admin().act(made.kekID, 'revoke', { reason: 'KeyCompromise' })
  await admin().act(made.kekID, 'destroy', undefined, '?force=true')
  expectRefused(await tryInspect(admin(), { ciphertext }), 404, 5)
  expect(await inspected(admin(), { ciphertext, endpoint: made.id })).toMatchObject({
    proof: 'header',
    local_key: { state: 'Destroyed Compromised' },
    can_be_opened: false,
    obstacles: [expect.stringContaining('has no material')],
  })
})

test('only administrators of endpoints inspect, and the record contains neither ciphertext nor content', async () => {
  const { holder } = await vault().user(`user-${randomUUID()}`, ['keymgr Users', 'Key Admins'])
  expectRefused(await tryInspect(holder, { ciphertext: blob }), 403, 4)
  await inspected(admin(), { ciphertext: blob })
  const { resources } = await admin().ok('GET', '/v1/audit/records?message=Inspect%20Ciphertext&limit=1000')
  const details = expect.objectContaining({
    resource_uri: endpoint.uri,
    after: expect.objectContaining({ proof: 'authenticated' }),
  })
  expect(resources).toContainEqual(expect.objectContaining({ success: true, details }))
  for (const secret of [blob, PLAINTEXT]) expect(JSON.stringify(resources)).not.toContain(secret)
})
