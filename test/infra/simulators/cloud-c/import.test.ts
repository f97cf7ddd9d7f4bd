import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { createCipheriv, constants, publicEncrypt } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCloudC, type CloudCSimulator } from '../../../../infra/simulators/cloud-c/simulator.ts'
import { createClock } from '../../../../infra/local/clock.ts'
import { apiOf, lookUntil, newKey, OTHER_RING, RING, type Api, type Reply } from './clients.ts'

const DAY_MS = 86_400_000
const clock = createClock()
let simulator: CloudCSimulator
let api: Api
let count = 0
const fresh = (what: string) => `${what}-${++count}`

beforeAll(async () => {
  simulator = await startCloudC({ clock })
  api = apiOf(simulator)
})
afterEach(() => clock.set(new Date()))
afterAll(() => simulator.stop())

const METHODS = [
  ['RSA_OAEP_3072_SHA1_AES_256', 'sha1', true],
  ['RSA_OAEP_4096_SHA1_AES_256', 'sha1', true],
  ['RSA_OAEP_3072_SHA256_AES_256', 'sha256', true],
  ['RSA_OAEP_4096_SHA256_AES_256', 'sha256', true],
  ['RSA_OAEP_3072_SHA256', 'sha256', false],
  ['RSA_OAEP_4096_SHA256', 'sha256', false],
] as const
type Method = (typeof METHODS)[number][0]
const STANDARD: Method = 'RSA_OAEP_4096_SHA256_AES_256'

/** Wraps as the cloud documents: RSA-OAEP, with or without an AES key in between. */
function wrap(pem: string, method: Method, bytes: Buffer): string {
  const [, oaepHash, twoLayers] = METHODS.find(([name]) => name === method) ?? []
  const seal = (clear: Buffer) =>
    publicEncrypt({ key: pem, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: oaepHash ?? '' }, clear)
  if (twoLayers !== true) return seal(bytes).toString('base64')
  const aesKey = randomBytes(32)
  const cipher = createCipheriv('id-aes256-wrap-pad', aesKey, Buffer.from('a65959a6', 'hex'))
  return Buffer.concat([seal(aesKey), cipher.update(bytes), cipher.final()]).toString('base64')
}

interface Job {
  readonly name: string
  readonly pem: string
}

async function newJob(method: Method = STANDARD, protectionLevel = 'SOFTWARE', ring = RING): Promise<Job> {
  const path = `v1/${ring}/importJobs?importJobId=${fresh('job')}`
  const { body } = await api.post(path, { importMethod: method, protectionLevel })
  expect(body.state).toBe('PENDING_GENERATION')
  const ready = await lookUntil(
    () => api.get(`v1/${String(body.name)}`),
    ({ state }) => state === 'ACTIVE',
  )
  return { name: String(body.name), pem: ready.body.publicKey.pem }
}

const emptyKey = (body: object = { purpose: 'ENCRYPT_DECRYPT' }) =>
  newKey(api, fresh('key'), body, '&skipInitialVersionCreation=true')

const bring = (key: string, job: Job, bytes: Buffer, more: object = {}, method: Method = STANDARD): Promise<Reply> =>
  api.post(`v1/${key}/cryptoKeyVersions:import`, {
    algorithm: 'GOOGLE_SYMMETRIC_ENCRYPTION',
    importJob: job.name,
    wrappedKey: wrap(job.pem, method, bytes),
    ...more,
  })

const settled = (name: string) =>
  lookUntil(
    () => api.get(`v1/${name}`),
    ({ state }) => state !== 'PENDING_IMPORT',
  )

test.each(METHODS)('%s: wrapped material is imported unchanged', async (method) => {
  const job = await newJob(method)
  const key = await emptyKey()
  const bytes = randomBytes(32)
  const { body } = await bring(key, job, bytes, {}, method)
  expect(body).toMatchObject({ state: 'PENDING_IMPORT', importJob: job.name })
  expect((await settled(body.name)).body).toMatchObject({ state: 'ENABLED', importTime: expect.any(String) })
  expect(await simulator.materialOf(key, 1)).toEqual(bytes)
  expect((await api.get(`v1/${key}`)).body).not.toHaveProperty('primary')
})

const pkcs8 = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'pkcs8' })

test.each([
  ['EC_SIGN_P256_SHA256', () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey],
  ['RSA_SIGN_PSS_2048_SHA256', () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
])('a private key is imported as %s, also under the older name of the field', async (algorithm, make) => {
  const job = await newJob()
  const key = await emptyKey({ purpose: 'ASYMMETRIC_SIGN', versionTemplate: { algorithm } })
  const bytes = pkcs8(make())
  const rsaAesWrappedKey = wrap(job.pem, STANDARD, bytes)
  const body = { algorithm, importJob: job.name, rsaAesWrappedKey }
  const imported = await api.post(`v1/${key}/cryptoKeyVersions:import`, body)
  expect((await settled(imported.body.name)).body.state).toBe('ENABLED')
  expect(await simulator.materialOf(key, 1)).toEqual(bytes)
})

test.each<[string, () => Buffer, string]>([
  ['of another length', () => randomBytes(16), 'must have 32 bytes'],
  ['that is a private key', () => pkcs8(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), '32 bytes'],
])('material %s fails later, with a reason', async (_what, make, reason) => {
  const { body } = await bring(await emptyKey(), await newJob(), make())
  expect(body.state).toBe('PENDING_IMPORT')
  const failed = (await settled(body.name)).body
  expect(failed).toMatchObject({ state: 'IMPORT_FAILED', reimportEligible: true })
  expect(failed.importFailureReason).toContain(reason)
})

test('material that cannot be unwrapped fails later too', async () => {
  const job = await newJob()
  const { body } = await bring(await emptyKey(), job, randomBytes(32), {
    wrappedKey: randomBytes(552).toString('base64'),
  })
  expect((await settled(body.name)).body.importFailureReason).toContain('could not be unwrapped')
})

test('a job is for keys of its ring and of its level, and ends after three days', async () => {
  const key = await emptyKey()
  const bytes = randomBytes(32)
  expect((await bring(key, await newJob(STANDARD, 'HSM'), bytes)).code).toBe('INVALID_ARGUMENT')
  expect((await bring(key, await newJob(STANDARD, 'SOFTWARE', OTHER_RING), bytes)).code).toBe('INVALID_ARGUMENT')
  const job = await newJob()
  expect((await bring(key, { ...job, name: `${RING}/importJobs/none` }, bytes)).code).toBe('NOT_FOUND')
  clock.advance(3 * DAY_MS)
  expect((await api.get(`v1/${job.name}`)).body).toMatchObject({
    state: 'EXPIRED',
    expireEventTime: expect.any(String),
  })
  expect(await bring(key, job, bytes)).toMatchObject({ status: 400, code: 'FAILED_PRECONDITION' })
})

test('a job cannot be used before its key exists, nor be created twice', async () => {
  const body = { importMethod: 3, protectionLevel: 1 }
  const path = `v1/${RING}/importJobs?importJobId=${fresh('job')}`
  const { body: made } = await api.post(path, body)
  expect(made).toMatchObject({ importMethod: 'RSA_OAEP_3072_SHA256_AES_256', state: 'PENDING_GENERATION' })
  expect((await api.post(path, body)).code).toBe('ALREADY_EXISTS')
  const import_ = { algorithm: 1, importJob: made.name, wrappedKey: 'AAAA' }
  expect((await api.post(`v1/${await emptyKey()}/cryptoKeyVersions:import`, import_)).code).toBe('FAILED_PRECONDITION')
})

test('direct wrapping is not for RSA keys, and an algorithm must suit the key', async () => {
  const algorithm = 'RSA_SIGN_PSS_2048_SHA256'
  const key = await emptyKey({ purpose: 'ASYMMETRIC_SIGN', versionTemplate: { algorithm } })
  const job = await newJob('RSA_OAEP_4096_SHA256')
  const refused = await bring(key, job, randomBytes(32), { algorithm }, 'RSA_OAEP_4096_SHA256')
  expect(refused.code).toBe('INVALID_ARGUMENT')
  expect((await bring(key, await newJob(), randomBytes(32))).code).toBe('INVALID_ARGUMENT')
})

test('an import-only key accepts only imported versions', async () => {
  const key = await emptyKey({ purpose: 'ENCRYPT_DECRYPT', importOnly: true })
  expect((await api.post(`v1/${key}/cryptoKeyVersions`, {})).code).toBe('FAILED_PRECONDITION')
  expect((await bring(key, await newJob(), randomBytes(32))).code).toBe('OK')
})

test('a destroyed version accepts only the same material again', async () => {
  const key = await emptyKey({ purpose: 'ENCRYPT_DECRYPT', destroyScheduledDuration: '86400s' })
  const bytes = randomBytes(32)
  const { body } = await bring(key, await newJob(), bytes)
  const version = String(body.name)
  await settled(version)
  const again = async (material: Buffer) => bring(key, await newJob(), material, { cryptoKeyVersion: version })
  expect((await again(bytes)).code).toBe('FAILED_PRECONDITION')
  await api.post(`v1/${version}:destroy`, {})
  clock.advance(DAY_MS)
  expect((await api.get(`v1/${version}`)).body).toMatchObject({ state: 'DESTROYED', reimportEligible: true })
  await again(randomBytes(32))
  expect((await settled(version)).body.importFailureReason).toContain('does not match')
  await again(bytes)
  expect((await settled(version)).body).toMatchObject({ state: 'ENABLED' })
  expect(await simulator.materialOf(key, 1)).toEqual(bytes)
})
