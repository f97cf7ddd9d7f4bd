import { constants, createPublicKey, hash, randomBytes, verify } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { EKM_ALGORITHMS } from '../../../shared/crypto/protocols/ekm-algorithms.ts'
import { refused, useEkm } from '../ekm/ekm.ts'

const ekm = useEkm()

let endpoint: any
beforeAll(async () => {
  endpoint = await ekm().create()
})

const PLAINTEXT = Buffer.from('a key of the cloud’s own')
const b64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64')
const DAMAGED = refused(400, 'INVALID_ARGUMENT')

test('a wrapped text unwraps; two blobs of the same text differ; answers have no other member', async () => {
  const first = await ekm().wrap(endpoint, PLAINTEXT)
  const second = await ekm().wrap(endpoint, PLAINTEXT)
  expect(first.equals(second)).toBe(false)
  expect(first.length).toBe(PLAINTEXT.length + 33)
  for (const blob of [first, second])
    expect((await ekm().unwrap(endpoint, blob)).body).toEqual({ plaintext: b64(PLAINTEXT) })
  expect(await ekm().ok(endpoint, 'wrap', { plaintext: b64('x') })).toEqual({ wrappedBlob: expect.any(String) })
})

test('a blob opens only with its additional data, and a refusal does not disclose the reason', async () => {
  const aad = b64('X')
  const blob = await ekm().wrap(endpoint, PLAINTEXT, { additionalAuthenticatedData: aad })
  expect((await ekm().unwrap(endpoint, blob, { additionalAuthenticatedData: aad })).status).toBe(200)
  const damaged = Buffer.from(blob)
  damaged.writeUInt8(damaged.readUInt8(20) ^ 1, 20)
  const answers = await Promise.all([
    ekm().unwrap(endpoint, blob, { additionalAuthenticatedData: b64('Y') }),
    ekm().unwrap(endpoint, blob),
    ekm().unwrap(endpoint, damaged, { additionalAuthenticatedData: aad }),
    ekm().unwrap(endpoint, Buffer.alloc(64), { additionalAuthenticatedData: aad }),
  ])
  for (const answered of answers) expect(answered).toEqual(DAMAGED)
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
})

test('a blob with a flipped bit, truncated or reordered is refused, never answered as a fault', async () => {
  const blob = await ekm().wrap(endpoint, Buffer.from('short'))
  const changed: Buffer[] = []
  for (let bit = 0; bit < blob.length * 8; bit++) {
    const flipped = Buffer.from(blob)
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    changed.push(flipped)
  }
  for (let length = 1; length < blob.length; length++) changed.push(blob.subarray(0, length))
  const [head, iv, rest] = [blob.subarray(0, 5), blob.subarray(5, 17), blob.subarray(17)]
  changed.push(Buffer.concat([head, rest, iv]), Buffer.concat([iv, head, rest]), Buffer.concat([blob, Buffer.of(0)]))
  for (let from = 0; from < changed.length; from += 50)
    for (const answered of await Promise.all(
      changed.slice(from, from + 50).map((each) => ekm().unwrap(endpoint, each)),
    ))
      expect(answered).toEqual(DAMAGED)
})

test('a blob of one endpoint does not open at another', async () => {
  const other = await ekm().create()
  const blob = await ekm().wrap(endpoint, PLAINTEXT)
  expect(await ekm().unwrap(other, blob)).toEqual(DAMAGED)
})

test('after a rotation new blobs name the new version at the same address; old blobs open only under their own version', async () => {
  const own = await ekm().create()
  const before = await ekm().wrap(own, PLAINTEXT)
  expect(before.readUInt32BE(1)).toBe(0)
  const { status, body: rotated } = await ekm().act(own.id as string, 'rotate')
  expect(status).toBe(200)
  expect(rotated).toMatchObject({ keyURI: own.keyURI, kekVersion: '1', kekName: own.kekName })
  expect(rotated.kekID).not.toBe(own.kekID)
  ekm().letPass()
  const after = await ekm().wrap(own, PLAINTEXT)
  expect(after.readUInt32BE(1)).toBe(1)
  const byNewId = { key_path: (own.key_path as string).replace(own.kekID as string, rotated.kekID as string) }
  for (const at of [own, byNewId])
    for (const blob of [before, after])
      expect((await ekm().unwrap(at, blob)).body).toEqual({ plaintext: b64(PLAINTEXT) })
  for (const [blob, version] of [
    [before, 1],
    [after, 0],
    [before, 7],
  ] as const) {
    const renamed = Buffer.from(blob)
    renamed.writeUInt32BE(version, 1)
    expect(await ekm().unwrap(own, renamed)).toEqual(DAMAGED)
  }
})

test.each([
  ['plaintext', 'wrap', 66_560],
  ['additionalAuthenticatedData', 'wrap', 65_536],
])('the largest %s is taken, a byte more is not', async (field, verb, most) => {
  const of = (bytes: number) => ({ plaintext: b64('x'), [field]: b64(randomBytes(bytes)) })
  const whole = of(most)
  const { wrappedBlob } = await ekm().ok(endpoint, verb, whole)
  const { plaintext: _, ...rest } = whole as Record<string, string>
  const answered = await ekm().ok(endpoint, 'unwrap', { ...rest, wrappedBlob })
  expect(answered.plaintext).toBe(whole.plaintext)
  expect(await ekm().call(endpoint, verb, of(most + 1))).toEqual(DAMAGED)
})

test('wrap and unwrap refuse a missing or empty content', async () => {
  for (const body of [{}, { plaintext: '' }, { plaintext: null }])
    expect(await ekm().call(endpoint, 'wrap', body)).toEqual(DAMAGED)
  for (const body of [{}, { wrappedBlob: '' }]) expect(await ekm().call(endpoint, 'unwrap', body)).toEqual(DAMAGED)
})

test('a message that names a key must name the one of the address', async () => {
  const kekId = endpoint.kekID as string
  const plaintext = b64('x')
  for (const keyPath of [kekId, endpoint.keyURI, `some/where/${kekId}`])
    expect((await ekm().call(endpoint, 'wrap', { plaintext, keyPath })).status).toBe(200)
  for (const keyPath of ['0'.repeat(64), `x${kekId}`, kekId.slice(1), `${kekId}/`])
    expect(await ekm().call(endpoint, 'wrap', { plaintext, keyPath })).toEqual(DAMAGED)
})

const SIGNING = Object.entries(EKM_ALGORITHMS).filter(([, { keyType }]) => keyType === 'asymmetric')

test.each(SIGNING)(
  '%s signs messages and their digests, as an independent verifier confirms',
  async (algorithm, row) => {
    if (!('signing' in row)) throw new Error('A signing algorithm signs')
    const own = await ekm().create({ key_type: 'asymmetric', algorithm })
    expect(own).toMatchObject({ key_type: 'asymmetric', algorithm, kekVersion: '0' })
    const { hash: name, scheme } = row.signing
    const published = await ekm().ok(own, 'getPublicKey')
    expect(published).toEqual({
      pem: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n[^-]+-----END PUBLIC KEY-----\n$/),
      algorithm,
    })
    const key = createPublicKey(published.pem as string)
    expect(key.asymmetricKeyType).toBe(scheme === 'ecdsa' ? 'ec' : 'rsa')
    const data = randomBytes(100)
    const digest = hash(name, data, 'base64')
    const saltLength = hash(name, '', 'buffer').length
    const verifier = {
      'rsa-pss': { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength },
      'rsa-pkcs1': { key, padding: constants.RSA_PKCS1_PADDING },
      ecdsa: { key, dsaEncoding: 'der' as const },
    }[scheme]
    for (const what of [{ data: data.toString('base64') }, { digest: { [name]: digest } }, { digest }]) {
      const { signature, ...more } = await ekm().ok(own, 'asymmetricSign', what)
      expect(more).toEqual({})
      expect(verify(name, data, verifier, Buffer.from(signature as string, 'base64'))).toBe(true)
    }
    const [other = ''] = ['sha256', 'sha384', 'sha512'].filter((each) => each !== name)
    const wrongly = [
      { digest: { [other]: hash(other, data, 'base64') } },
      { digest: { [name]: b64(randomBytes(20)) } },
      { digest: { [name]: digest, [other]: hash(other, data, 'base64') } },
      { digest: {} },
      { digest: b64(randomBytes(saltLength + 1)) },
      { data: data.toString('base64'), digest },
      {},
    ]
    for (const what of wrongly) expect(await ekm().call(own, 'asymmetricSign', what)).toEqual(DAMAGED)
  },
)

test('a verb for another kind of key gets a specific refusal, after the policy allows the call', async () => {
  const signing = await ekm().create({ key_type: 'asymmetric', algorithm: 'EC_SIGN_P256_SHA256' })
  const kind = refused(400, 'FAILED_PRECONDITION')
  expect(await ekm().call(signing, 'wrap', { plaintext: b64('x') })).toEqual(kind)
  expect(await ekm().call(signing, 'unwrap', { wrappedBlob: b64('x') })).toEqual(kind)
  expect(await ekm().call(endpoint, 'asymmetricSign', { data: b64('x') })).toEqual(kind)
  expect(await ekm().call(endpoint, 'getPublicKey')).toEqual(kind)
  const claims = { email: 'somebody@else.test' }
  expect(await ekm().call(endpoint, 'getPublicKey', {}, { claims })).toEqual(refused(403, 'PERMISSION_DENIED'))
})
