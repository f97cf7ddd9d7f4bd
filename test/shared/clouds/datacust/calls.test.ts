import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Refusal } from '../../../../shared/base/errors.ts'
import type { DatacustKeySpec } from '../../../../shared/clouds/datacust/adapter/types.ts'
import { datacust } from '../../../../shared/clouds/datacust/adapter/verbs.ts'
import type { KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../../shared/crypto/secret-bytes.ts'
import { Book } from '../memory-journal.ts'
import { newName, useSimulatedDatacust } from './simulated.ts'

const own = useSimulatedDatacust()

const groupId = () => own.place().group.group_id
const spec = (): DatacustKeySpec => ({ name: newName(), type: 'AES', size: 256, operations: ['ENCRYPT', 'DECRYPT'] })

const aes = (): { bytes: Buffer; material: KeyMaterial } => {
  const bytes = randomBytes(32)
  const material = {
    objectType: 'Symmetric Key',
    algorithm: 'aes',
    sizeBits: 256,
    bytes: SecretBytes.from(bytes),
  } as const
  return { bytes, material }
}
const rsa = (): { bytes: Buffer; material: KeyMaterial } => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const bytes = privateKey.export({ format: 'der', type: 'pkcs8' })
  const material = {
    objectType: 'Private Key',
    algorithm: 'rsa',
    sizeBits: 2048,
    bytes: SecretBytes.from(bytes),
  } as const
  return { bytes, material }
}
const halfOf = (key: Buffer): string =>
  createPublicKey({ key, format: 'der', type: 'pkcs8' } as never) // Node takes private keys here, its types do not
    .export({ format: 'pem', type: 'spki' })
    .toString()

/** Calls since then, by operation. */
function watched(): () => Readonly<Record<string, number>> {
  const before = own.cloud.calls().length
  return () => {
    const counts: Record<string, number> = {}
    for (const { operation } of own.cloud.calls().slice(before)) counts[operation] = (counts[operation] ?? 0) + 1
    return counts
  }
}
const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => 'no refusal',
    (reason: unknown) => reason,
  )
  return error instanceof Refusal ? error.reason : String(error)
}

test('a token that ended causes one log-in and one repeat of the call', async () => {
  await datacust.refs(own.place(), undefined)
  const counts = watched()
  own.cloud.inject({ fault: 'expired-credentials', operation: 'ListKeys', times: 1 })
  await datacust.refs(own.place(), undefined)
  expect(counts()).toEqual({ ListKeys: 2, LogIn: 1 })
})

test('a second refusal of the token is final', async () => {
  await datacust.refs(own.place(), undefined)
  const counts = watched()
  const removeFault = own.cloud.inject({ fault: 'expired-credentials', operation: 'ListKeys' })
  expect(await reasonOf(datacust.refs(own.place(), undefined))).toBe('CLOUD_DENIED')
  removeFault()
  expect(counts()).toEqual({ ListKeys: 2, LogIn: 1 })
})

test('a quote or a space in the id of a group cannot change the filter', async () => {
  const { group: _, ...entry } = own.place()
  for (const id of [`${groupId()}' or id ne '`, `${groupId()} or id ne x`, "'", 'a b']) {
    expect(await datacust.group(entry, id), id).toBeUndefined()
    const call = own.cloud.calls().findLast(({ operation }) => operation === 'ListGroups')
    expect(call?.query).toMatchObject({ $filter: `id eq '${id.replaceAll("'", "''")}'`, $expand: 'keystore' })
  }
  expect(await datacust.group(entry, groupId())).toMatchObject({ group_id: groupId() })
  expect(own.cloud.calls().at(-1)?.query).toMatchObject({ $filter: `id eq ${groupId()}` })
})

test('reads are repeated while the cloud is unavailable; creations never are', async () => {
  const counts = watched()
  own.cloud.inject({ fault: 'unavailable', operation: 'ListKeys', times: 1 })
  await datacust.refs(own.place(), undefined)
  expect(counts()).toEqual({ ListKeys: 2 })
  own.cloud.inject({ fault: 'unavailable', operation: 'CreateKey', times: 1 })
  expect(await reasonOf(datacust.create(own.place(), spec(), new Book().open()))).toBe('CLOUD_UNAVAILABLE')
  expect(counts()).toMatchObject({ CreateKey: 1 })
})

test('an activation is sent once, also when its answer is lost', async () => {
  const { apiKey: api_key, secret } = own.cloud.credentials()[0]
  const connection = { api_endpoint: own.cloud.apiEndpoint, technical: { api_key, secret } }
  const counts = watched()
  own.cloud.inject({ fault: 'cut-after', operation: 'ActivateCredential', times: 1 })
  expect(await reasonOf(datacust.activate(connection, AbortSignal.timeout(20_000)))).toMatch(/^CLOUD_/)
  expect(counts()).toEqual({ ActivateCredential: 1 })
})

test.each([2048, 3072, 4096])('material arrives under a wrapping key of %i bits', async (size) => {
  const groupKeks = () => own.cloud.keysIn(groupId()).filter(({ name }) => name === 'keymgr-import-key')
  for (const { id } of groupKeks()) own.cloud.forget(id)
  own.cloud.seed(groupId(), 1, () => ({ name: 'keymgr-import-key', type: 'RSA', size, operations: ['WRAP', 'UNWRAP'] }))
  const key = aes()
  const made = await datacust.upload(own.place(), spec(), key.material, new Book().open())
  expect(await own.cloud.materialOf(made.ref)).toEqual(key.bytes)
  const pair = rsa()
  const rsaSpec = { ...spec(), type: 'RSA', size: 2048, operations: ['SIGN', 'VERIFY'] } as const
  const signing = await datacust.upload(own.place(), rsaSpec, pair.material, new Book().open())
  expect(halfOf((await own.cloud.materialOf(signing.ref)) ?? Buffer.alloc(0))).toBe(halfOf(pair.bytes))
  expect(groupKeks()).toHaveLength(1)
  const wrapping = groupKeks()[0]
  expect(own.cloud.calls().findLast(({ operation }) => operation === 'UnwrapKey')?.body).toMatchObject({
    algorithm: 'RSA_AES_WRAP_SHA256',
    keyId: wrapping?.id,
    version: 0,
  })
})

test('a wrapping key that is too short, or is none, gets no material', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const short = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
  const other = curve.export({ format: 'der', type: 'spki' }).toString('base64')
  for (const answered of [short, other, 'no key', '']) {
    const counts = watched()
    const answer = () => ({ publicKey: answered })
    own.cloud.inject({ fault: 'wrong-answer', operation: 'GetPublicKey', answer, times: 1 })
    const uploading = datacust.upload(own.place(), spec(), aes().material, new Book().open())
    expect(await reasonOf(uploading), answered).toBe('CLOUD_UNREADABLE')
    expect(counts()).not.toHaveProperty('UnwrapKey')
  }
})

test('an empty key of AWS is made disabled, for imported material, and filled by two fields', async () => {
  const counts = watched()
  await datacust.upload(own.place('outpost'), spec(), aes().material, new Book().open())
  const [target] = own.cloud.calls().filter(({ operation, body, refused }) => {
    return operation === 'CreateKey' && refused === undefined && body.imported === true
  })
  expect(target?.body).toMatchObject({ enabled: false, imported: true })
  expect(target?.body).not.toHaveProperty('exportable')
  expect(counts()).toMatchObject({ UnwrapKey: 1 })
})

test('a page at another host is not followed', async () => {
  const answer = (body: unknown) => ({
    ...(body as object),
    '@odata.nextLink': 'https://else.example.test/kms/v2/keys',
  })
  own.cloud.inject({ fault: 'wrong-answer', operation: 'ListKeys', answer, times: 1 })
  expect(await reasonOf(datacust.refs(own.place(), undefined))).toBe('CLOUD_UNREADABLE')
  own.cloud.inject({ fault: 'short-page', operation: 'ListKeys' })
  const { refs } = await datacust.refs(own.place(), undefined)
  expect(refs).toHaveLength(own.cloud.keysIn(groupId()).length)
})
