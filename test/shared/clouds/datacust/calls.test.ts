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

test('a wrapping key that is too short, or invalid, receives no material', async () => {
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

test('an empty key of AWS is created disabled, for imported material, and imported with two fields', async () => {
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

/** The list of keys with one of them changed. */
const changing = (ref: string | undefined, change: (key: any) => object) => (body: any) => ({
  ...body,
  value: body.value.map((key: any) => (key.id === ref ? { ...key, ...change(key) } : key)),
})

test('a key with an unexpected form is listed, cannot be read, and does not affect the others', async () => {
  const [first, odd, last] = own.cloud.seed(groupId(), 3)
  const description = 'x'.repeat(40_000)
  own.cloud.alter(odd ?? '', { description })
  const { refs } = await datacust.refs(own.place(), undefined)
  const survey = await datacust.survey(own.place())
  expect(refs).toEqual(expect.arrayContaining([first, odd, last]))
  expect(await survey.read(first ?? '')).toMatchObject({ ref: first })
  expect(await survey.read(last ?? '')).toMatchObject({ ref: last })
  expect(await reasonOf(survey.read(odd ?? ''))).toBe('CLOUD_UNREADABLE')
  own.cloud.alter(odd ?? '', { description: '' })
})

test.each([
  ['no operations', { operations: undefined }],
  ['a fractional size', { size: 128.5 }],
  ['a count in words', { meta: { totalVersions: 'two' } }],
])('a key with %s in the list does not hide the others', async (_what, change) => {
  const [first, odd] = own.cloud.seed(groupId(), 2)
  const answer = changing(odd, () => change)
  const removeFault = own.cloud.inject({ fault: 'wrong-answer', operation: 'ListKeys', answer })
  const survey = await datacust.survey(own.place())
  const { refs } = await datacust.refs(own.place(), undefined)
  removeFault()
  expect(await survey.read(first ?? '')).toMatchObject({ ref: first })
  expect(await survey.read(odd ?? ''), 'read alone, it is as usual').toMatchObject({ ref: odd })
  expect(refs).toEqual(expect.arrayContaining([first, odd]))
})

test('known members of a key that are null are absent; unknown ones stay', async () => {
  const [ref] = own.cloud.seed(groupId(), 1)
  const answer = changing(ref, ({ meta }) => ({
    ...{ curve: null, role: null },
    meta: { ...meta, primaryVersion: null, imported: null, lastUsed: null },
    keystoreContext: { customerHeld: null },
  }))
  const removeFault = own.cloud.inject({ fault: 'wrong-answer', operation: 'ListKeys', answer })
  const read = await (await datacust.survey(own.place())).read(ref ?? '')
  removeFault()
  expect(read?.param).toMatchObject({ curve: null, keystoreContext: {} })
  expect(read?.param).not.toHaveProperty('role')
  expect(read?.param.meta).toMatchObject({ lastUsed: null })
  expect(read?.param.meta).not.toHaveProperty('primaryVersion')
})

test('a group with an unexpected form does not hide the others, and its texts do not hide the group', async () => {
  const { group: _, ...entry } = own.place()
  const odd = [{ id: 7 }, { id: 'odd', name: 7, description: {} }, { id: 'other', keystore: 'AWS' }]
  const answer = (body: any) => ({ ...body, value: [...odd, ...body.value] })
  const removeFault = own.cloud.inject({ fault: 'wrong-answer', operation: 'ListGroups', answer })
  const groups = await datacust.groups(entry)
  removeFault()
  expect(groups.map(({ group_id }) => group_id)).toContain(groupId())
  expect(groups).toContainEqual({ group_id: 'odd', name: 'odd', keystore_provider: '' })
  expect(groups.map(({ group_id }) => group_id)).not.toContain('other')
})

test('times are converted to UTC from any zone; an invalid time is absent', async () => {
  const [ref = ''] = own.cloud.seed(groupId(), 1)
  const createdAt = (created: string) => ({
    ...({ fault: 'wrong-answer', operation: 'ListVersions', times: 1 } as const),
    answer: (body: any) => ({ ...body, value: body.value.map((version: any) => ({ ...version, created })) }),
  })
  for (const [written, read] of [
    ['2026-01-01T01:00:00+02:00', '2025-12-31T23:00:00.000Z'],
    ['2026-01-01T01:00:00.5', '2026-01-01T01:00:00.500Z'],
    ['12026-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'],
    ['yesterday', undefined],
  ] as const) {
    own.cloud.inject(createdAt(written))
    const [version] = await datacust.versions(own.place(), ref)
    expect(version?.param.created, written).toBe(read)
  }
  const { param } = (await datacust.read(own.place(), ref)) ?? {}
  expect(param?.meta?.created).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
})

test('reads are tried three times, and refused credentials are named with their connection', async () => {
  const counts = watched()
  const unavailable = own.cloud.inject({ fault: 'unavailable', operation: 'ListKeys' })
  expect(await reasonOf(datacust.refs(own.place(), undefined))).toBe('CLOUD_UNAVAILABLE')
  unavailable()
  expect(counts()).toEqual({ ListKeys: 3 })
  const denied = own.cloud.inject({ fault: 'access-denied', operation: 'ListKeys' })
  const { connection, ...place } = own.place()
  const refusing = datacust.refs({ ...place, connection: { ...connection, name: 'main' } }, undefined)
  await expect(refusing).rejects.toThrow(/HTTP 403.*\(connection main\)$/)
  denied()
})

test('the link to the next page may be relative to the address of the key service', async () => {
  const answer = ({ '@odata.nextLink': next, ...body }: any) => ({
    ...body,
    ...(next && { '@odata.nextLink': next.slice(next.indexOf('keys?')) }),
  })
  const pages = own.cloud.inject({ fault: 'short-page', operation: 'ListKeys' })
  const relative = own.cloud.inject({ fault: 'wrong-answer', operation: 'ListKeys', answer })
  const { refs } = await datacust.refs(own.place(), undefined)
  pages()
  relative()
  expect(refs).toHaveLength(own.cloud.keysIn(groupId()).length)
})

test('the deadline of one caller does not end the log-in for other callers', async () => {
  const [shop] = own.cloud.tenants
  own.cloud.endTokens(shop?.id ?? '')
  own.cloud.inject({ fault: 'delay', delayMs: 300, operation: 'LogIn', times: 1 })
  const short = reasonOf(datacust.refs(own.place('finance', AbortSignal.timeout(100)), undefined))
  const other = datacust.create(own.place(), spec(), new Book().open())
  expect(await short).toBe('CLOUD_TIMEOUT')
  expect(await other).toMatchObject({ ref: expect.any(String) })
})
