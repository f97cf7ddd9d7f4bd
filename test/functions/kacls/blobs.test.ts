import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import fc from '../../support/fast-check.ts'
import { refused, RESOURCE, useKacls, type KaclsAnswer } from './kacls.ts'
import { flippedBit, inspected, tryInspect } from '../../support/inspect.ts'

const kacls = useKacls()

let endpoint: any
let blob: Buffer
let authentication: string
let authorization: string
beforeAll(async () => {
  endpoint = await kacls().create()
  blob = Buffer.from(await kacls().wrapped(endpoint), 'base64')
  authentication = await kacls().authentication()
  authorization = await kacls().authorization(endpoint, { what: { role: 'reader' } })
})

/** Tokens are created once, because the test tries a whole file of blobs. */
const unwrap = (bytes: Buffer): Promise<KaclsAnswer> =>
  kacls().unwrap(endpoint, bytes.toString('base64'), { authentication, authorization })

/** Answers without the request's number, for comparison. */
const plain = ({ status, body, headers }: KaclsAnswer) => ({
  status,
  body: { ...body, details: undefined },
  type: headers['content-type'],
})

function flipped(bytes: Buffer, bit: number): Buffer {
  const other = Buffer.from(bytes)
  const at = bit >> 3
  other[at] = (other[at] ?? 0) ^ (1 << (bit & 7))
  return other
}

async function allAlike(blobs: readonly Buffer[]): Promise<void> {
  const answers = await Promise.all(blobs.map(unwrap))
  for (const answered of answers) expect(answered).toEqual(refused(400))
  expect(new Set(answers.map((answered) => JSON.stringify(plain(answered)))).size).toBe(1)
}

test('every flipped bit of a header gives the same refusal', async () => {
  await allAlike(Array.from({ length: 6 * 8 }, (_, bit) => flipped(blob, bit)))
})

test('a flipped bit of the rest gives the same refusal', async () => {
  const first = plain(await unwrap(flipped(blob, 0)))
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 6 * 8, max: blob.length * 8 - 1 }), async (bit) => {
      expect(plain(await unwrap(flipped(blob, bit)))).toEqual(first)
    }),
    { numRuns: 150 },
  )
})

test('every truncated blob gives the same refusal, and the empty one is missing', async () => {
  await allAlike(Array.from({ length: blob.length - 1 }, (_, at) => blob.subarray(0, at + 1)))
  expect(await unwrap(Buffer.alloc(0))).toEqual(refused(400))
})

test('a blob with more bytes, and bytes that are not a blob, give the same refusal', async () => {
  const longest = Buffer.alloc(1_024)
  blob.copy(longest)
  await allAlike([
    Buffer.concat([blob, Buffer.alloc(1)]),
    Buffer.concat([blob, blob]),
    Buffer.concat([Buffer.alloc(1), blob]),
    longest,
    randomBytes(100),
    randomBytes(1_024),
    Buffer.alloc(40),
  ])
  expect(await unwrap(Buffer.alloc(1_025))).toEqual(refused(400))
})

test('a blob that is not base64, missing or no text is refused', async () => {
  for (const bad of [null, '', '????', 7, [blob.toString('base64')], `${blob.toString('base64')}=`])
    expect(await kacls().unwrap(endpoint, bad), String(bad)).toEqual(refused(400))
})

test('a blob is read in both alphabets, padded or not', async () => {
  const spelled = blob.toString('base64')
  for (const text of [spelled, spelled.replace(/=+$/, ''), blob.toString('base64url')])
    expect((await kacls().unwrap(endpoint, text)).status).toBe(200)
})

test('a token for another resource opens nothing', async () => {
  for (const resource_name of [`${RESOURCE}2`, RESOURCE.toUpperCase(), `${RESOURCE}/`, RESOURCE.slice(0, -1)])
    expect(await kacls().unwrap(endpoint, blob.toString('base64'), { what: { resource_name } })).toEqual(refused(403))
})

test('the same resource at another endpoint opens nothing', async () => {
  const other = await kacls().create()
  expect(await kacls().unwrap(other, blob.toString('base64'))).toEqual(refused(400))
})

test('after a rotation the old blob opens, and new ones name the new version', async () => {
  const own = await kacls().create()
  const key = randomBytes(32)
  const before = await kacls().wrapped(own, key)
  const versionOf = (text: string) => Buffer.from(text, 'base64').readUInt32BE(2)
  for (const version of [1, 2]) {
    const { status, body } = await kacls().act(own.id, 'rotate-key')
    expect([status, body.kek_version]).toEqual([200, String(version)])
    kacls().letPass()
    expect((await kacls().unwrap(own, before)).body).toEqual({ key: key.toString('base64') })
    const later = await kacls().wrapped(own, key)
    expect([versionOf(before), versionOf(later)]).toEqual([0, version])
    expect((await kacls().unwrap(own, later)).body).toEqual({ key: key.toString('base64') })
  }
  const relabelled = Buffer.from(before, 'base64')
  relabelled.writeUInt32BE(1, 2)
  expect(await kacls().unwrap(own, relabelled.toString('base64'))).toEqual(refused(400))
})

test('a disabled endpoint wraps and unwraps nothing, until it is enabled again', async () => {
  const own = await kacls().create()
  const wrapped_key = await kacls().wrapped(own)
  await kacls().act(own.id, 'disable')
  kacls().letPass()
  expect(await kacls().wrap(own)).toEqual(refused(403))
  expect(await kacls().unwrap(own, wrapped_key)).toEqual(refused(403))
  expect(await kacls().wrap(own, undefined, { authentication: 'a.b.c' })).toEqual(refused(401))
  expect((await kacls().get(own, 'status')).status).toBe(200)
  await kacls().act(own.id, 'enable')
  kacls().vault.advance(251) // a disabled endpoint is read again after a quarter of a second
  expect((await kacls().unwrap(own, wrapped_key)).status).toBe(200)
})

test('a key that its owner archives wraps nothing more', async () => {
  const own = await kacls().create()
  const wrapped_key = await kacls().wrapped(own)
  await kacls().vault.admin.act(own.kekName as string, 'archive')
  kacls().letPass()
  expect(await kacls().wrap(own)).toEqual(refused(403))
  expect(await kacls().unwrap(own, wrapped_key)).toEqual(refused(403))
})

test('an inspection proves which endpoint created a blob, and attributes a blob with a flipped bit to no one', async () => {
  const { admin } = kacls().vault
  await kacls().create()
  const ciphertext = blob.toString('base64')
  expect(await inspected(admin, { ciphertext })).toMatchObject({
    kind: 'wrapped key of a KACLS endpoint',
    proof: 'authenticated',
    endpoint: { id: endpoint.id },
    local_key: { id: endpoint.kekID, version: 0 },
    can_be_opened: true,
    opened_by: [{ kind: 'user of the identity provider, whom the suite authorizes', total: 1 }],
  })
  for (const bit of [17, 60, blob.length * 8 - 1]) {
    const { status, body } = await tryInspect(admin, { ciphertext: flippedBit(ciphertext, bit), endpoint: endpoint.id })
    expect([status, body.codeDesc], String(bit)).toEqual([404, expect.stringContaining('KMERRResourceNotFound')])
  }
})
