import { createHmac, createPublicKey, verify } from 'node:crypto'
import { EncryptCommand, GenerateDataKeyCommand, GenerateMacCommand, SignCommand } from '@aws-sdk/client-kms'
import type { MacAlgorithmSpec, SigningAlgorithmSpec } from '@aws-sdk/client-kms'
import { afterEach, expect, test } from 'vitest'
import { specNamed, usageFor } from '../../../../shared/clouds/cloud-a/adapter/specs.ts'
import type { CloudAKeySpec } from '../../../../shared/clouds/cloud-a/adapter/types.ts'
import { cloudA } from '../../../../shared/clouds/cloud-a/adapter/verbs.ts'
import { LOCAL_ALGORITHMS } from '../../../../shared/crypto/algorithms.ts'
import { asKeyObject, generateMaterial } from '../../../../shared/crypto/key-material.ts'
import type { KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import {
  CLOUD_A_SPECS,
  CloudAParam,
  KEY_TAG,
  type CloudAName,
  type CloudASpec,
} from '../../../../shared/clouds/cloud-a/keys/model.ts'
import { DAY_MS, later } from '../../../../shared/base/time.ts'
import { refusalOf, twice } from '../conformance-fixture.ts'
import { Book } from '../memory-journal.ts'
import { firstOf, newAlias, REGION, useCloudA } from './simulated.ts'

const own = useCloudA()
const { place, connection } = own
const ACCOUNT = '111122223333'

afterEach(() => own.cloud.reset())

function materialFor(spec: CloudASpec, cloud: CloudAName = 'cloud-a'): Promise<KeyMaterial> {
  const { algorithm, ...shape } = specNamed(spec).fits(cloud)
  return generateMaterial(LOCAL_ALGORITHMS[algorithm], shape)
}

const symmetric = (more: Partial<CloudAKeySpec> = {}): CloudAKeySpec => ({
  spec: 'SYMMETRIC_DEFAULT',
  usage: 'ENCRYPT_DECRYPT',
  tags: [],
  ...more,
})
const create = (more?: Partial<CloudAKeySpec>) => cloudA.create(place(), symmetric(more), new Book().open())
const now = async (ref: string, more?: Parameters<typeof place>[0]) => {
  const key = await cloudA.read(place(more), ref)
  if (key === undefined) throw new Error(`There is no key ${ref}.`)
  return key.param
}

const HASHES: Readonly<Record<string, string>> = { '224': 'sha224', '256': 'sha256', '384': 'sha384', '512': 'sha512' }
const SIGNATURES: Partial<Record<CloudASpec, SigningAlgorithmSpec>> = {
  ECC_NIST_P384: 'ECDSA_SHA_384',
  ECC_NIST_P521: 'ECDSA_SHA_512',
}

/** Uses the key in the cloud and checks the result with the local copy of its material. */
async function isOurs(ref: string, spec: CloudASpec, material: KeyMaterial): Promise<boolean> {
  const Message = Buffer.from('proof by use')
  if (spec === 'SYMMETRIC_DEFAULT') {
    const there = await own.cloud.materialOf(ACCOUNT, REGION, ref) // its ciphertext differs each time
    return material.bytes.use((bytes) => there?.equals(bytes) === true)
  }
  if (spec.startsWith('HMAC_')) {
    const bits = spec.slice(-3)
    const MacAlgorithm = `HMAC_SHA_${bits}` as MacAlgorithmSpec // named after the specs
    const { Mac } = await own.kms().send(new GenerateMacCommand({ KeyId: ref, Message, MacAlgorithm }))
    const mac = createHmac(HASHES[bits] ?? '', asKeyObject(material)).update(Message)
    return mac.digest().equals(Buffer.from(Mac ?? []))
  }
  const fallback = spec.startsWith('RSA_') ? 'RSASSA_PKCS1_V1_5_SHA_256' : 'ECDSA_SHA_256'
  const SigningAlgorithm = SIGNATURES[spec] ?? fallback
  const { Signature } = await own.kms().send(new SignCommand({ KeyId: ref, Message, SigningAlgorithm }))
  const key = createPublicKey(asKeyObject(material))
  return verify(HASHES[SigningAlgorithm.slice(-3)], Message, key, Buffer.from(Signature ?? []))
}

test.each(CLOUD_A_SPECS)('%s: our material is uploaded, with the implied usage, and used there', async (spec) => {
  const material = await materialFor(spec)
  const usage = spec.startsWith('RSA_') ? 'SIGN_VERIFY' : usageFor(spec)
  const made = await cloudA.upload(place(), { spec, usage, tags: [] }, material, new Book().open())
  expect(made.param).toMatchObject({
    AccountId: ACCOUNT,
    CustomerMasterKeySpec: spec,
    KeyUsage: usage,
    KeyState: 'Enabled',
    Enabled: true,
    Origin: 'EXTERNAL',
    KeyManager: 'CUSTOMER',
    ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE',
  })
  expect(made.param).not.toHaveProperty('ValidTo')
  expect(await isOurs(made.ref, spec, material)).toBe(true)
})

test('an edition with other symmetric keys accepts material of their length, and refuses any other', async () => {
  const account = firstOf(own.cloud, 'cloud-a-cn')
  const there = place({ connection: connection(account), account: account.id, region: 'cn-north-1' })
  const material = await materialFor('SYMMETRIC_DEFAULT', 'cloud-a-cn')
  const made = await cloudA.upload(there, symmetric(), material, new Book().open())
  expect(made.param.KeyState).toBe('Enabled')
  expect(await own.cloud.materialOf(account.id, 'cn-north-1', made.ref)).toHaveLength(16)
  const long = await materialFor('SYMMETRIC_DEFAULT')
  const refused = await refusalOf(cloudA.upload(there, symmetric(), long, new Book().open()))
  expect(refused.reason).toBe('RULE_BROKEN')
  expect(refused.message).toBe(
    'CustomerMasterKeySpec SYMMETRIC_DEFAULT takes a local key of algorithm aes of 128 bits; in this edition it becomes an SM4 key.',
  )
})

test('a key is described in the words and the order of the interface', async () => {
  const alias = newAlias()
  const book = new Book()
  const tags = [
    { TagKey: 'team', TagValue: 'blue' },
    { TagKey: 'cost', TagValue: '7' },
  ]
  const spec = symmetric({ alias, tags, description: 'for orders', multiRegion: true })
  const { ref, param } = await cloudA.create(place(), spec, book.open())
  expect(Object.keys(param)).toEqual(Object.keys(CloudAParam.shape).filter((name) => name in param))
  expect(param).toEqual({
    AccountId: ACCOUNT,
    Arn: `arn:aws:kms:${REGION}:${ACCOUNT}:key/${ref}`,
    KeyID: ref,
    CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
    KeyUsage: 'ENCRYPT_DECRYPT',
    KeyState: 'Enabled',
    Enabled: true,
    KeyManager: 'CUSTOMER',
    Origin: 'CLOUD_A_KMS',
    Description: 'for orders',
    CreationDate: expect.stringMatching(/^20\d\d-.*Z$/),
    EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'],
    MultiRegion: true,
    MultiRegionConfiguration: {
      MultiRegionKeyType: 'PRIMARY',
      PrimaryKey: { Arn: `arn:aws:kms:${REGION}:${ACCOUNT}:key/${ref}`, Region: REGION },
      ReplicaKeys: [],
    },
    CurrentKeyMaterialId: expect.stringMatching(/^[0-9a-f]{64}$/),
    Policy: expect.objectContaining({ Version: '2012-10-17' }),
    Alias: [alias],
    Tags: [{ TagKey: 'cost', TagValue: '7' }, { TagKey: KEY_TAG, TagValue: book.id }, tags[0]],
    KeyRotationEnabled: false,
  })
})

test.each(['RSA_2048', 'HMAC_256'])('the cloud never rotates a key of the kind %s, and is not asked', async (spec) => {
  const usage = spec.startsWith('RSA') ? 'SIGN_VERIFY' : 'GENERATE_VERIFY_MAC'
  const { param } = await cloudA.create(place(), symmetric({ spec, usage }), new Book().open())
  expect(param.KeyRotationEnabled).toBe(false)
  expect(own.cloud.counts()).not.toHaveProperty('GetKeyRotationStatus')
})

test('the new key replaces the copied mark of the old one with its own', async () => {
  const book = new Book()
  const tags = [{ TagKey: KEY_TAG, TagValue: 'of the key it succeeds' }]
  const { param } = await cloudA.create(place(), symmetric({ tags }), book.open())
  expect(param.Tags).toEqual([{ TagKey: KEY_TAG, TagValue: book.id }])
})

test('a shell waits for material, which is imported until a day', async () => {
  const shell = await create({ empty: true })
  expect(shell.param).toMatchObject({ KeyState: 'PendingImport', Enabled: false, Origin: 'EXTERNAL' })
  const validTo = later(own.clock.now(), 300 * DAY_MS).toISOString()
  const material = await materialFor('SYMMETRIC_DEFAULT')
  await cloudA.importMaterial(place(), shell.ref, material, { spec: 'SYMMETRIC_DEFAULT', validTo })
  const { KeyState, ExpirationModel, ValidTo } = await now(shell.ref)
  expect({ KeyState, ExpirationModel, ValidTo }).toEqual({
    KeyState: 'Enabled',
    ExpirationModel: 'KEY_MATERIAL_EXPIRES',
    ValidTo: validTo,
  })
})

test.each([
  ['in the past', -1],
  ['now', 0],
  ['more than a year ahead', 365 * DAY_MS + 1],
])('an end of the material that is %s is refused before any call', async (_what, ahead) => {
  const at = own.clock.now()
  const validTo = later(at, ahead).toISOString()
  const material = await materialFor('SYMMETRIC_DEFAULT')
  const here = place({ now: at })
  const refused = await refusalOf(cloudA.upload(here, symmetric({ validTo }), material, new Book().open()))
  expect(refused.reason).toBe('RULE_BROKEN')
  expect(refused.errors).toEqual([
    { pointer: '#/cloud_a_param/ValidTo', detail: 'must be in the future, at most 365 days ahead' },
  ])
  expect(own.cloud.calls()).toEqual([])
})

test('new material waits for its rotation, is imported once under repetition, and becomes current', async () => {
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => materialFor('SYMMETRIC_DEFAULT')))
  if (!first || !second || !third) throw new Error('There is no material.')
  const { ref } = await cloudA.upload(place(), symmetric(), first, new Book().open())
  const how = { spec: 'SYMMETRIC_DEFAULT', importType: 'NEW_KEY_MATERIAL', description: 'second' } as const
  const ids = [
    await cloudA.importMaterial(place(), ref, second, how),
    await cloudA.importMaterial(place(), ref, second, how),
  ]
  const generations = await cloudA.rotations(place(), ref)
  expect(generations).toEqual([
    expect.objectContaining({ KeyMaterialState: 'CURRENT', ImportState: 'IMPORTED' }),
    expect.objectContaining({ KeyMaterialState: 'PENDING_ROTATION', KeyMaterialDescription: 'second' }),
  ])
  expect(ids).toEqual([generations[1]?.KeyMaterialId, generations[1]?.KeyMaterialId])
  expect((await refusalOf(cloudA.importMaterial(place(), ref, third, how))).reason).toBe('CLOUD_CONFLICT')
  expect((await refusalOf(cloudA.importMaterial(place(), ref, first, how))).reason).toBe('CLOUD_INVALID')
  await cloudA.rotateNow(place(), ref)
  while ((await cloudA.rotations(place(), ref))[1]?.KeyMaterialState !== 'CURRENT') continue
  expect(await own.cloud.materialOf(ACCOUNT, REGION, ref)).toEqual(second.bytes.use((bytes) => Buffer.from(bytes)))
  await cloudA.deleteMaterial(place(), ref, generations[0]?.KeyMaterialId)
  expect((await now(ref)).KeyState).toBe('PendingImport')
})

test('the aliases of a region are read once for all of its keys', async () => {
  const region = 'eu-west-3'
  const ids = own.cloud.seed({
    account: ACCOUNT,
    region,
    count: 3,
    describe: (n) => ({ aliases: [`alias/b-${n}`, `alias/a-${n}`] }),
  })
  const there = place({ region })
  const survey = await cloudA.survey(there)
  const read = await Promise.all(ids.map((id) => survey.read(id)))
  expect(read.map((key) => key?.param.Alias)).toEqual([0, 1, 2].map((n) => [`a-${n}`, `b-${n}`]))
  expect(own.cloud.counts()).toMatchObject({ ListAliases: 1, DescribeKey: 3, GetKeyRotationStatus: 3 })
  expect(read).toEqual(await Promise.all(ids.map((id) => cloudA.read(there, id))))
})

test('pages of keys may be empty, and all of them are read', async () => {
  const region = 'ap-south-1'
  const ids = own.cloud.seed({ account: ACCOUNT, region, count: 2_500 })
  own.cloud.inject({ operation: 'ListKeys', fault: 'empty-page', calls: [1] })
  const pages: number[] = []
  const seen: string[] = []
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const { refs, next } = await cloudA.refs(place({ region }), cursor)
    pages.push(refs.length)
    seen.push(...refs)
    cursor = next
  }
  expect(pages[0]).toBe(0)
  expect(seen.toSorted()).toEqual(ids.toSorted())
})

test.each(['GetKeyPolicy', 'ListResourceTags', 'GetKeyRotationStatus', 'ListAliases'])(
  'a key is read without what %s may not tell',
  async (operation) => {
    const alias = newAlias()
    const { ref, param } = await create({ alias, tags: [{ TagKey: 'team', TagValue: 'blue' }] })
    own.cloud.inject({ operation, fault: 'access-denied' })
    const { Policy, KeyRotationEnabled, ...rest } = param
    expect(await now(ref)).toEqual({
      ...rest,
      ...(operation !== 'GetKeyPolicy' && { Policy }),
      ...(operation !== 'GetKeyRotationStatus' && { KeyRotationEnabled }),
      ...(operation === 'ListResourceTags' && { Tags: [] }),
      ...(operation === 'ListAliases' && { Alias: [] }),
    })
  },
)

test("the cloud's own keys are read, in neutral words, and refuse to be changed", async () => {
  const region = 'us-west-2'
  const [id = ''] = own.cloud.seed({
    account: ACCOUNT,
    region,
    count: 1,
    describe: () => ({ manager: 'AWS', aliases: ['alias/aws/ebs'] }),
  })
  const param = await now(id, { region })
  expect(param).toMatchObject({
    KeyManager: 'CLOUD_A',
    Origin: 'CLOUD_A_KMS',
    Alias: ['aws/ebs'],
    KeyRotationEnabled: true, // rotated every year
  })
  const { reason } = await refusalOf(cloudA.setDescription(place({ region }), id, 'ours now'))
  expect(['CLOUD_DENIED', 'CLOUD_INVALID']).toContain(reason)
})

test.each(['aws/mine', 'with space', 'alias:1', ''])('the alias "%s" is refused before any call', async (alias) => {
  const { reason } = await refusalOf(create({ alias }))
  expect(reason).toBe('RULE_BROKEN')
  expect(own.cloud.calls()).toEqual([])
})

test('description and policy are replaced; an invalid policy, or one that locks out, is refused', async () => {
  const { ref, param } = await create()
  await cloudA.setDescription(place(), ref, 'renamed')
  expect((await now(ref)).Description).toBe('renamed')
  const [Statement] = param.Policy?.Statement as [object]
  const policy = { Version: '2012-10-17', Statement: [{ ...Statement, Sid: 'other' }] }
  await cloudA.setPolicy(place(), ref, JSON.stringify(policy), false)
  expect((await now(ref)).Policy).toEqual(policy)
  const locking = JSON.stringify({ ...policy, Statement: [{ ...Statement, Action: 'kms:Encrypt' }] })
  for (const text of ['{', locking])
    expect((await refusalOf(cloudA.setPolicy(place(), ref, text, false))).reason).toBe('CLOUD_INVALID')
  await cloudA.setPolicy(place(), ref, locking, true)
  expect((await refusalOf(cloudA.read(place(), ref))).reason).toBe('CLOUD_DENIED')
})

test('a key retired for all accounts creates no data keys either, also after it is retired for its own', async () => {
  const { ref } = await create()
  await cloudA.retire(place(), ref)
  await cloudA.retireForAllAccounts(place(), ref)
  const { Policy } = await now(ref)
  await cloudA.retire(place(), ref)
  await cloudA.retireForAllAccounts(place(), ref)
  expect((await now(ref)).Policy).toEqual(Policy)
  const commands = [
    new EncryptCommand({ KeyId: ref, Plaintext: Buffer.from('x') }),
    new GenerateDataKeyCommand({ KeyId: ref, KeySpec: 'AES_256' }),
  ]
  await expect(own.kms().send(commands[0] as EncryptCommand)).rejects.toThrow('explicit deny')
  await expect(own.kms().send(commands[1] as GenerateDataKeyCommand)).rejects.toThrow('explicit deny')
})

test("the cloud's own rotation is enabled, disabled, and done at once", async () => {
  const { ref } = await create()
  await cloudA.setOwnRotation(place(), ref, 180)
  expect(await now(ref)).toMatchObject({ KeyRotationEnabled: true, RotationPeriodInDays: 180 })
  await cloudA.setOwnRotation(place(), ref, 'off')
  expect((await now(ref)).KeyRotationEnabled).toBe(false)
  own.cloud.setDelays({ rotation: 12 })
  await cloudA.rotateNow(place(), ref)
  expect((await now(ref)).OnDemandRotationStartDate).toEqual(expect.any(String))
  expect((await refusalOf(cloudA.rotateNow(place(), ref))).reason).toBe('CLOUD_CONFLICT')
  while ((await cloudA.rotations(place(), ref)).length < 2) await now(ref)
  const [, newest] = await cloudA.rotations(place(), ref)
  expect(newest).toMatchObject({ KeyMaterialState: 'CURRENT', RotationType: 'ON_DEMAND' })
})

test('a public key is PEM; a symmetric key has none', async () => {
  const { ref } = await cloudA.create(
    place(),
    { spec: 'ECC_NIST_P256', usage: 'SIGN_VERIFY', tags: [] },
    new Book().open(),
  )
  const pem = await cloudA.publicKey(place(), ref)
  expect(createPublicKey(pem).export({ format: 'pem', type: 'spki' })).toBe(pem)
  const symmetricKey = await create()
  expect((await refusalOf(cloudA.publicKey(place(), symmetricKey.ref))).reason).toBe('CLOUD_INVALID')
})

test('a multi-region key is replicated once, and its primary moves, also under repetition', async () => {
  const { ref } = await create({ multiRegion: true })
  const alias = newAlias()
  const spec = { tags: [{ TagKey: 'copy', TagValue: '1' }], description: 'a copy', alias }
  await twice(() => cloudA.replicate(place(), ref, 'eu-west-1', spec))
  const there = { region: 'eu-west-1' }
  while ((await now(ref, there)).KeyState !== 'Enabled') continue
  expect(await now(ref, there)).toMatchObject({
    KeyID: ref,
    Description: 'a copy',
    Alias: [alias],
    Tags: spec.tags,
    MultiRegionConfiguration: { MultiRegionKeyType: 'REPLICA', PrimaryKey: { Region: REGION } },
  })
  await twice(() => cloudA.setPrimaryRegion(place(), ref, 'eu-west-1'))
  expect((await now(ref, there)).MultiRegionConfiguration?.PrimaryKey?.Region).toBe('eu-west-1')
  const { reason } = await refusalOf(cloudA.setPrimaryRegion(place(there), ref, 'eu-west-2'))
  expect(['CLOUD_NOT_FOUND', 'CLOUD_CONFLICT']).toContain(reason)
})
