import { createHmac, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import type { CloudCKeySpec } from '../../../../shared/clouds/cloud-c/adapter/types.ts'
import { cloudC } from '../../../../shared/clouds/cloud-c/adapter/verbs.ts'
import { LOCAL_ALGORITHMS } from '../../../../shared/crypto/algorithms.ts'
import { asKeyObject, generateMaterial } from '../../../../shared/crypto/key-material.ts'
import type { KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../../shared/crypto/secret-bytes.ts'
import { CloudCParam, CloudCVersionParam, KEY_LABEL } from '../../../../shared/clouds/cloud-c/param.ts'
import { DAY_MS, later } from '../../../../shared/base/time.ts'
import { refusalOf, twice } from '../conformance-fixture.ts'
import { Book } from '../memory-journal.ts'
import { newName, RING, useCloudC } from './simulated.ts'

const own = useCloudC()
const { place } = own

afterEach(() => {
  own.cloud.reset()
  own.clock.set(new Date())
})

const nameOf = (ref: string) => `${RING}/cryptoKeys/${ref}`
const symmetric = (more: Partial<CloudCKeySpec> = {}): CloudCKeySpec => ({
  key_name: newName(),
  purpose: 'ENCRYPT_DECRYPT',
  ...more,
})
const create = (more?: Partial<CloudCKeySpec>) => cloudC.create(place(), symmetric(more), new Book().open())
const aes = (): Promise<KeyMaterial> => generateMaterial(LOCAL_ALGORITHMS.aes)
const there = async (ref: string) => {
  const key = await cloudC.read(place(), ref)
  if (key === undefined) throw new Error(`There is no key ${ref}.`)
  return key
}
const reasonOf = async (work: Promise<unknown>) => (await refusalOf(work)).reason

test('a key is described in the words of the interface, always in the same order', async () => {
  const spec = symmetric({
    labels: { zone: 'b', area: 'a' },
    next_rotation_time: later(own.clock.now(), 10 * DAY_MS).toISOString(),
    rotation_period: '864000s',
    destroy_scheduled_duration: '172800s',
  })
  const book = new Book()
  const { ref, param, primary } = await cloudC.create(place(), spec, book.open())
  expect(ref).toBe(spec.key_name)
  expect(param).toEqual({
    name: nameOf(ref),
    key_name: ref,
    primary: `${nameOf(ref)}/cryptoKeyVersions/1`,
    purpose: 'ENCRYPT_DECRYPT',
    create_time: param.create_time,
    next_rotation_time: spec.next_rotation_time,
    rotation_period: '864000s',
    version_template: { protection_level: 'SOFTWARE', algorithm: 'SYMMETRIC_ENCRYPTION' },
    labels: { area: 'a', [KEY_LABEL]: book.id, zone: 'b' },
    import_only: false,
    destroy_scheduled_duration: '172800s',
  })
  expect(Object.keys(param)).toEqual(Object.keys(CloudCParam.shape))
  expect(Object.keys(param.labels)).toEqual(['area', KEY_LABEL, 'zone'])
  expect(primary?.param).toMatchObject({ version: '1', state: 'ENABLED', algorithm: 'SYMMETRIC_ENCRYPTION' })
  const order = Object.keys(CloudCVersionParam.shape)
  const shown = Object.keys(primary?.param ?? {})
  expect(shown).toEqual(order.filter((name) => shown.includes(name)))
})

const ASYMMETRIC = [
  ['EC_SIGN_P256_SHA256', 'prime256v1', 'sha256', 'SOFTWARE'],
  ['EC_SIGN_P384_SHA384', 'secp384r1', 'sha384', 'SOFTWARE'],
  ['EC_SIGN_SECP256K1_SHA256', 'secp256k1', 'sha256', 'HSM'],
] as const

test.each(ASYMMETRIC)('%s: our key is uploaded and signs there', async (algorithm, curve, hash, protection_level) => {
  const material = await generateMaterial(LOCAL_ALGORITHMS.ec, { curve })
  const spec = { key_name: newName(), purpose: 'ASYMMETRIC_SIGN', algorithm, protection_level } as const
  const { ref, primary, param } = await cloudC.upload(place(), spec, material, new Book().open())
  expect([primary, param.version_template.protection_level]).toEqual([undefined, protection_level])
  const data = Buffer.from('proof by use')
  const { signature = '' } = await own.asUser(`${nameOf(ref)}/cryptoKeyVersions/1:asymmetricSign`, {
    data: data.toString('base64'),
  })
  const key = createPublicKey(asKeyObject(material))
  expect(verify(hash, data, key, Buffer.from(signature, 'base64'))).toBe(true)
  const half = await cloudC.publicKey(place(), ref, '1')
  expect(half).toEqual({ pem: key.export({ format: 'pem', type: 'spki' }), algorithm })
})

test('an RSA key of 4096 bits is uploaded as well, and an HMAC key makes our MACs', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 })
  const bytes = privateKey.export({ format: 'der', type: 'pkcs8' })
  const rsa: KeyMaterial = {
    ...{ objectType: 'Private Key', algorithm: 'rsa', sizeBits: 4096 },
    bytes: SecretBytes.from(bytes),
  }
  const decrypting = { key_name: newName(), purpose: 'ASYMMETRIC_DECRYPT', algorithm: 'RSA_DECRYPT_OAEP_4096_SHA512' }
  const { ref } = await cloudC.upload(place(), decrypting as CloudCKeySpec, rsa, new Book().open())
  expect(await own.cloud.materialOf(nameOf(ref))).toEqual(bytes)

  const hmac = await generateMaterial(LOCAL_ALGORITHMS['hmac-sha512'], { sizeBits: 512 })
  const macs = { key_name: newName(), purpose: 'MAC', algorithm: 'HMAC_SHA512' } as const
  const made = await cloudC.upload(place(), macs, hmac, new Book().open())
  const { mac } = await own.asUser(`${nameOf(made.ref)}/cryptoKeyVersions/1:macSign`, { data: 'AAAA' })
  const ours = hmac.bytes.use((key) => createHmac('sha512', key).update(Buffer.alloc(3)).digest('base64'))
  expect(mac).toBe(ours)
})

test('uploads of one day share an import job, uploads of another day or level do not', async () => {
  const jobs = new Set<string | undefined>()
  const up = async (more?: Partial<CloudCKeySpec>) => {
    const { ref } = await cloudC.upload(place(), symmetric(more), await aes(), new Book().open())
    jobs.add(own.cloud.keyOf(nameOf(ref))?.versions[0]?.importJob)
  }
  await up()
  await up()
  expect(jobs.size).toBe(1)
  await up({ protection_level: 'HSM' })
  expect(jobs.size).toBe(2)
  own.clock.advance(DAY_MS)
  await up()
  expect(jobs.size).toBe(3)
})

test('an import-only key is created without a version, and accepts our versions', async () => {
  const { ref, primary } = await create({ import_only: true })
  expect([primary, await cloudC.versions(place(), ref)]).toEqual([undefined, []])
  const version = await cloudC.importVersion(place(), ref, {}, await aes(), new Book().open())
  expect(version.param).toMatchObject({ state: 'ENABLED', import_time: expect.any(String) })
  expect((await cloudC.setPrimary(place(), ref, version.ref)).primary).toEqual(version)
})

test('an id in use by others is a conflict, and their key stays unchanged', async () => {
  const { ref } = await create({ labels: { whose: 'theirs' } })
  expect(await reasonOf(create({ key_name: ref }))).toBe('CLOUD_CONFLICT')
  expect((await there(ref)).param.labels.whose).toBe('theirs')
})

test('labels are replaced except our own, and omitted fields stay', async () => {
  const { ref, param } = await create({ labels: { a: '1' } })
  const mark = param.labels[KEY_LABEL]
  const next_rotation_time = later(own.clock.now(), 3 * DAY_MS).toISOString()
  const rotation = { next_rotation_time, rotation_period: '864000s' }
  await twice(() => cloudC.updateKey(place(), ref, { labels: { b: '2' } }))
  const changed = await cloudC.updateKey(place(), ref, rotation)
  expect(changed.param).toMatchObject({ labels: { b: '2', [KEY_LABEL]: mark }, ...rotation })
  expect(await cloudC.updateKey(place(), ref, {})).toEqual(changed)
  const ended = await cloudC.updateKey(place(), ref, { next_rotation_time: null, rotation_period: null })
  expect(ended.param).not.toHaveProperty('rotation_period')
  expect(ended.param.labels).toEqual({ b: '2', [KEY_LABEL]: mark })
})

test('another algorithm applies to later versions', async () => {
  const spec = { purpose: 'ASYMMETRIC_SIGN', algorithm: 'EC_SIGN_P256_SHA256' } as const
  const { ref } = await create(spec)
  await cloudC.updateKey(place(), ref, { version_template_algorithm: 'EC_SIGN_P384_SHA384' })
  await cloudC.createVersion(place(), ref, {}, new Book().open())
  await cloudC.createVersion(place(), ref, { algorithm: 'RSA_SIGN_PSS_2048_SHA256' }, new Book().open())
  const algorithms = (await cloudC.versions(place(), ref)).map(({ param }) => param.algorithm)
  expect(algorithms).toEqual(['EC_SIGN_P256_SHA256', 'EC_SIGN_P384_SHA384', 'RSA_SIGN_PSS_2048_SHA256'])
  const mac = cloudC.createVersion(place(), ref, { algorithm: 'HMAC_SHA256' }, new Book().open())
  expect(await reasonOf(mac)).toBe('RULE_BROKEN')
})

test('exactly the given enabled version becomes the primary, also under repetition', async () => {
  const { ref } = await create()
  const { ref: second } = await cloudC.createVersion(place(), ref, {}, new Book().open())
  expect((await there(ref)).primary?.ref).toBe('1')
  await twice(() => cloudC.setPrimary(place(), ref, second))
  expect((await there(ref)).primary?.ref).toBe(second)
  await cloudC.disableVersion(place(), ref, '1')
  expect(await reasonOf(cloudC.setPrimary(place(), ref, '1'))).toBe('CLOUD_CONFLICT')
  expect(await reasonOf(cloudC.setPrimary(place(), ref, '17'))).toBe('CLOUD_NOT_FOUND')
})

test('destroying and restoring may be repeated, until the version is destroyed', async () => {
  const { ref } = await create({ destroy_scheduled_duration: '86400s' })
  const waiting = await cloudC.destroyVersion(place(), ref, '1')
  expect(waiting.param).toMatchObject({ state: 'DESTROY_SCHEDULED', destroy_time: expect.any(String) })
  expect(await cloudC.destroyVersion(place(), ref, '1')).toEqual(waiting)
  expect(await reasonOf(cloudC.enableVersion(place(), ref, '1'))).toBe('CLOUD_CONFLICT')
  const back = await cloudC.restoreVersion(place(), ref, '1')
  expect(back.param.state).toBe('DISABLED')
  expect(await cloudC.restoreVersion(place(), ref, '1')).toEqual(back)
  await cloudC.destroyVersion(place(), ref, '1')
  own.clock.advance(DAY_MS)
  expect((await cloudC.destroyVersion(place(), ref, '1')).param.state).toBe('DESTROYED')
  expect(await reasonOf(cloudC.restoreVersion(place(), ref, '1'))).toBe('CLOUD_CONFLICT')
})

test('a destroyed version accepts only the same material again', async () => {
  const ours = await aes()
  const spec = symmetric({ destroy_scheduled_duration: '86400s' })
  const { ref } = await cloudC.upload(place(), spec, ours, new Book().open())
  await cloudC.destroyVersion(place(), ref, '1')
  own.clock.advance(DAY_MS)
  const again = async (material: KeyMaterial, book = new Book()) =>
    cloudC.reimportVersion(place(), ref, '1', material, book.open())
  const refused = await refusalOf(again(await aes()))
  expect([refused.reason, refused.message]).toEqual(['CLOUD_INVALID', expect.stringContaining('does not match')])
  const book = new Book()
  expect((await again(ours, book)).param.state).toBe('ENABLED')
  expect((await again(ours, book)).param.state).toBe('ENABLED')
  expect(await own.cloud.materialOf(nameOf(ref))).toEqual(ours.bytes.use((bytes) => Buffer.from(bytes)))
  expect(await reasonOf(again(ours))).toBe('CLOUD_CONFLICT')
})

test('versions are in the order of their numbers, page after page', async () => {
  const [ref = ''] = own.cloud.seed(RING, 1, () => ({ id: newName(), versions: 12 }))
  own.cloud.inject({ fault: 'short-page', operation: 'ListCryptoKeyVersions' })
  const numbers = (await cloudC.versions(place(), ref)).map((each) => each.ref)
  expect(numbers).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12'])
})

test('a survey reads a whole ring in the calls of its list', async () => {
  const ring = 'projects/shop-keys/locations/global/keyRings/shared'
  const refs = own.cloud.seed(ring, 1_500, (n) => ({ labels: { n: String(n) } }))
  const survey = await cloudC.survey(place({ ring }))
  const read = await Promise.all(refs.map((ref) => survey.read(ref)))
  expect(read.map((key) => key?.param.labels.n)).toEqual(refs.map((_ref, n) => String(n)))
  expect(await survey.read('not-there')).toBeUndefined()
  expect(own.cloud.counts()).toEqual({ ListCryptoKeys: 2 })
  const [ref = ''] = refs
  expect(await survey.read(ref)).toEqual(await cloudC.read(place({ ring }), ref))
})

test('symmetric keys have no public key', async () => {
  expect(await reasonOf(cloudC.publicKey(place(), (await create()).ref, '1'))).toBe('CLOUD_INVALID')
})
