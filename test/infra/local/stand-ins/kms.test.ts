import {
  CreateKeyCommand,
  DecryptCommand,
  DescribeKeyCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  GenerateDataKeyWithoutPlaintextCommand,
  GenerateRandomCommand,
  KMSClient,
  ReEncryptCommand,
} from '@aws-sdk/client-kms'
import type { EncryptCommandInput, GenerateDataKeyCommandInput } from '@aws-sdk/client-kms'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../../infra/local/stand-ins/account.ts'
import { startKms, type Kms } from '../../../../infra/local/stand-ins/kms.ts'
import { createRootKey } from '../../../../infra/local/stand-ins/root-key.ts'

const first = createRootKey()
const second = createRootKey()
const alias = 'alias/first'
const domain = { domain: 'root', purpose: 'data key' }
const plaintext = Buffer.from('thirty-two bytes are a good many')
let kms: Kms
let client: KMSClient

beforeAll(async () => {
  kms = await startKms({ keys: [first, second], aliases: { [alias]: first.id } })
  client = new KMSClient({
    endpoint: kms.endpoint,
    region: LOCAL_ACCOUNT.region,
    credentials: LOCAL_ACCOUNT.credentials,
  })
})
afterAll(() => kms.stop())

const encrypt = async (KeyId = first.id, EncryptionContext: Record<string, string> = domain) => {
  const { CiphertextBlob } = await client.send(new EncryptCommand({ KeyId, Plaintext: plaintext, EncryptionContext }))
  return Buffer.from(CiphertextBlob ?? [])
}

test('a data key is returned in clear and sealed, and the sealed one opens to the same bytes', async () => {
  const made = await client.send(
    new GenerateDataKeyCommand({ KeyId: first.id, KeySpec: 'AES_256', EncryptionContext: domain }),
  )
  expect(made.Plaintext).toHaveLength(32)
  expect(made.KeyId).toBe(kms.keyArn(first.id))
  const opened = await client.send(
    new DecryptCommand({ CiphertextBlob: made.CiphertextBlob, EncryptionContext: domain }),
  )
  expect(opened.Plaintext).toEqual(made.Plaintext)
  expect(opened.KeyId).toBe(kms.keyArn(first.id))
})

test('a data key without plaintext is only sealed', async () => {
  const made = await client.send(new GenerateDataKeyWithoutPlaintextCommand({ KeyId: first.id, NumberOfBytes: 48 }))
  expect(made).not.toHaveProperty('Plaintext')
  const opened = await client.send(new DecryptCommand({ CiphertextBlob: made.CiphertextBlob }))
  expect(opened.Plaintext).toHaveLength(48)
})

test.each([
  ['its id', () => first.id],
  ['its ARN', () => kms.keyArn(first.id)],
  ['an alias', () => alias],
  ['the ARN of an alias', () => kms.keyArn(first.id).replace(/key\/.*/, alias)],
])('a key is found by %s', async (_what, name) => {
  const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId: name() }))
  expect(KeyMetadata).toMatchObject({ KeyId: first.id, Arn: kms.keyArn(first.id), KeyState: 'Enabled', Enabled: true })
})

test('the order of an encryption context does not matter', async () => {
  const CiphertextBlob = await encrypt()
  const EncryptionContext = { purpose: domain.purpose, domain: domain.domain }
  expect((await client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }))).Plaintext).toEqual(
    new Uint8Array(plaintext),
  )
})

test.each([
  [
    'another encryption context',
    async () => ({ CiphertextBlob: await encrypt(), EncryptionContext: { ...domain, domain: 'other' } }),
  ],
  [
    'a context whose texts only join to the same',
    async () => ({ CiphertextBlob: await encrypt(first.id, { ab: 'c' }), EncryptionContext: { a: 'bc' } }),
  ],
  ['no encryption context', async () => ({ CiphertextBlob: await encrypt() })],
  ['an altered tag', async () => ({ CiphertextBlob: flip(await encrypt(), -1), EncryptionContext: domain })],
  ['an altered salt', async () => ({ CiphertextBlob: flip(await encrypt(), 30), EncryptionContext: domain })],
  ['a version that never was', async () => ({ CiphertextBlob: flip(await encrypt(), 20), EncryptionContext: domain })],
  [
    'a ciphertext cut short',
    async () => ({ CiphertextBlob: (await encrypt()).subarray(0, -1), EncryptionContext: domain }),
  ],
  ['bytes that are no ciphertext', () => Promise.resolve({ CiphertextBlob: Buffer.from('hello') })],
])('decrypt refuses %s without a reason', async (_what, input) => {
  const refused = client.send(new DecryptCommand(await input()))
  await expect(refused).rejects.toMatchObject({ name: 'InvalidCiphertextException' })
})

test('decrypt refuses a ciphertext of another key than the given one', async () => {
  const input = { CiphertextBlob: await encrypt(), KeyId: second.id, EncryptionContext: domain }
  await expect(client.send(new DecryptCommand(input))).rejects.toMatchObject({ name: 'IncorrectKeyException' })
})

test('a ciphertext can be re-encrypted under another key and context', async () => {
  const moved = await client.send(
    new ReEncryptCommand({
      CiphertextBlob: await encrypt(),
      SourceEncryptionContext: domain,
      DestinationKeyId: second.id,
      DestinationEncryptionContext: { domain: 'new' },
    }),
  )
  expect(moved).toMatchObject({ KeyId: kms.keyArn(second.id), SourceKeyId: kms.keyArn(first.id) })
  const input = { CiphertextBlob: moved.CiphertextBlob, EncryptionContext: { domain: 'new' } }
  expect((await client.send(new DecryptCommand(input))).Plaintext).toEqual(new Uint8Array(plaintext))
})

const describeKey = (KeyId: string) => () => client.send(new DescribeKeyCommand({ KeyId }))
const dataKey = (size: Omit<GenerateDataKeyCommandInput, 'KeyId'>) => () =>
  client.send(new GenerateDataKeyCommand({ KeyId: first.id, ...size }))
const encryptWith = (more: Partial<EncryptCommandInput>) => () =>
  client.send(new EncryptCommand({ KeyId: first.id, Plaintext: plaintext, ...more }))

test.each<[string, string, () => Promise<unknown>]>([
  ['a key that is not there', 'NotFoundException', describeKey('00000000-0000-4000-8000-000000000000')],
  ['an alias that is not there', 'NotFoundException', describeKey('alias/nobody')],
  ['an ARN of another region', 'NotFoundException', describeKey(`arn:aws:kms:eu-west-1:1:key/${first.id}`)],
  ['a data key of no size', 'ValidationException', dataKey({})],
  ['a data key of two sizes', 'ValidationException', dataKey({ KeySpec: 'AES_128', NumberOfBytes: 16 })],
  ['a data key above 1024 bytes', 'ValidationException', dataKey({ NumberOfBytes: 1025 })],
  ['no plaintext', 'ValidationException', encryptWith({ Plaintext: new Uint8Array() })],
  ['a plaintext above 4096 bytes', 'ValidationException', encryptWith({ Plaintext: new Uint8Array(4097) })],
  ['another algorithm', 'InvalidKeyUsageException', encryptWith({ EncryptionAlgorithm: 'RSAES_OAEP_SHA_256' })],
  ['a dry run', 'DryRunOperationException', encryptWith({ DryRun: true })],
])('it refuses %s with %s', async (_what, name, call) => {
  await expect(call()).rejects.toMatchObject({ name })
})

test('a disabled key refuses to seal and to open, and does both again when enabled', async () => {
  const CiphertextBlob = await encrypt(second.id)
  const open = () => client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext: domain }))
  kms.setState(second.id, 'Disabled')
  await expect(encrypt(second.id)).rejects.toMatchObject({ name: 'DisabledException' })
  await expect(open()).rejects.toMatchObject({ name: 'DisabledException' })
  kms.setState(second.id, 'PendingDeletion')
  await expect(open()).rejects.toMatchObject({ name: 'KMSInvalidStateException' })
  kms.setState(second.id, 'Enabled')
  expect((await open()).Plaintext).toEqual(new Uint8Array(plaintext))
})

test('ciphertexts of an older version still open after a rotation', async () => {
  const CiphertextBlob = await encrypt()
  const rotated = await startKms({ keys: [{ ...first, versions: [...first.versions, ...createRootKey().versions] }] })
  const { region, credentials } = LOCAL_ACCOUNT
  const other = new KMSClient({ endpoint: rotated.endpoint, region, credentials })
  expect((await other.send(new DecryptCommand({ CiphertextBlob, EncryptionContext: domain }))).Plaintext).toEqual(
    new Uint8Array(plaintext),
  )
  const fresh = await other.send(
    new EncryptCommand({ KeyId: first.id, Plaintext: plaintext, EncryptionContext: domain }),
  )
  const elsewhere = { CiphertextBlob: fresh.CiphertextBlob, EncryptionContext: domain }
  await expect(client.send(new DecryptCommand(elsewhere))).rejects.toMatchObject({ name: 'InvalidCiphertextException' })
  await rotated.stop()
})

test('random bytes have the requested number', async () => {
  expect((await client.send(new GenerateRandomCommand({ NumberOfBytes: 24 }))).Plaintext).toHaveLength(24)
})

test('an operation that is not served is refused by name', async () => {
  await expect(client.send(new CreateKeyCommand())).rejects.toMatchObject({ name: 'UnknownOperationException' })
})

test.each([
  ['another secret', { ...LOCAL_ACCOUNT.credentials, secretAccessKey: 'guessed' }, 'InvalidSignatureException'],
  ['another access key', { ...LOCAL_ACCOUNT.credentials, accessKeyId: 'OTHER' }, 'UnrecognizedClientException'],
])('%s opens nothing', async (_what, credentials, name) => {
  const CiphertextBlob = await encrypt()
  const other = new KMSClient({ endpoint: kms.endpoint, region: LOCAL_ACCOUNT.region, credentials })
  const decrypt = new DecryptCommand({ CiphertextBlob, EncryptionContext: domain })
  await expect(other.send(decrypt)).rejects.toMatchObject({ name })
  const unsigned = await fetch(kms.endpoint, { method: 'POST', headers: { 'x-amz-target': 'TrentService.Decrypt' } })
  expect(await unsigned.json()).toMatchObject({ __type: 'MissingAuthenticationTokenException' })
})

function flip(bytes: Buffer, at: number): Buffer {
  const altered = Buffer.from(bytes)
  const index = at < 0 ? altered.length + at : at
  altered.writeUInt8(altered.readUInt8(index) ^ 1, index)
  return altered
}
