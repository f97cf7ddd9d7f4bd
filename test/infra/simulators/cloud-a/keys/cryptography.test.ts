import { constants, createHash, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto'
import { generateKeyPairSync, verify } from 'node:crypto'
import {
  CreateKeyCommand,
  DecryptCommand,
  DeriveSharedSecretCommand,
  DisableKeyCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  GenerateDataKeyPairCommand,
  GenerateDataKeyPairWithoutPlaintextCommand,
  GenerateDataKeyWithoutPlaintextCommand,
  GenerateMacCommand,
  GenerateRandomCommand,
  GetPublicKeyCommand,
  PutKeyPolicyCommand,
  ReEncryptCommand,
  ScheduleKeyDeletionCommand,
  SignCommand,
  VerifyCommand,
  VerifyMacCommand,
} from '@aws-sdk/client-kms'
import type { CreateKeyCommandInput, KMSClient, SigningAlgorithmSpec } from '@aws-sdk/client-kms'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import { startCloudA, type CloudASimulator } from '../../../../../infra/simulators/cloud-a/simulator.ts'
import { ACCOUNTS, kmsOf, outcome } from '../clients.ts'

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }

let simulator: CloudASimulator
let kms: KMSClient
const keys = { symmetric: '', other: '', rsa: '', signing: '', curve: '', agreeing: '', mac: '' }

beforeAll(async () => {
  simulator = await startCloudA({ clock: createClock() })
  kms = kmsOf(simulator)
  const specs: Record<keyof typeof keys, CreateKeyCommandInput> = {
    symmetric: {},
    other: {},
    rsa: { KeySpec: 'RSA_2048', KeyUsage: 'ENCRYPT_DECRYPT' },
    signing: { KeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY' },
    curve: { KeySpec: 'ECC_NIST_P384', KeyUsage: 'SIGN_VERIFY' },
    agreeing: { KeySpec: 'ECC_NIST_P256', KeyUsage: 'KEY_AGREEMENT' },
    mac: { KeySpec: 'HMAC_384', KeyUsage: 'GENERATE_VERIFY_MAC' },
  }
  for (const name of Object.keys(specs) as (keyof typeof keys)[]) keys[name] = await create(specs[name])
})
afterAll(() => simulator.stop())

async function create(input: CreateKeyCommandInput = {}): Promise<string> {
  return (await kms.send(new CreateKeyCommand(input))).KeyMetadata?.KeyId ?? ''
}

const message = Buffer.from('sixteen tons')
const bytes = (given: Uint8Array | undefined) => Buffer.from(given ?? [])
const context = { tenant: 'a', purpose: 'test' }

async function encrypt(KeyId: string, EncryptionContext?: Record<string, string>) {
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: message, EncryptionContext }))
  return bytes(CiphertextBlob)
}

test('a symmetric ciphertext names its own key and opens only under its context', async () => {
  const CiphertextBlob = await encrypt(keys.symmetric, context)
  const opened = await kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext: context }))
  expect(bytes(opened.Plaintext)).toEqual(message)
  expect(opened.KeyId).toMatch(new RegExp(`:key/${keys.symmetric}$`))
  expect(opened.KeyMaterialId).toMatch(/^[0-9a-f]{64}$/)
  const tampered = Buffer.from(CiphertextBlob)
  tampered[40] = (tampered[40] ?? 0) ^ 1
  const wrong: [DecryptCommand, string][] = [
    [new DecryptCommand({ CiphertextBlob }), 'InvalidCiphertextException'],
    [new DecryptCommand({ CiphertextBlob: tampered, EncryptionContext: context }), 'InvalidCiphertextException'],
    [new DecryptCommand({ CiphertextBlob: Buffer.from('nothing') }), 'InvalidCiphertextException'],
    [new DecryptCommand({ CiphertextBlob, KeyId: keys.other, EncryptionContext: context }), 'IncorrectKeyException'],
  ]
  for (const [command, expected] of wrong) expect(await outcome(kms.send(command))).toBe(expected)
  const elsewhere = kmsOf(simulator, { region: 'eu-west-1' })
  expect(await outcome(elsewhere.send(new DecryptCommand({ CiphertextBlob })))).toBe('AccessDeniedException')
})

test('a data key is returned in clear and encrypted, or encrypted only', async () => {
  const made = await kms.send(new GenerateDataKeyCommand({ KeyId: keys.symmetric, KeySpec: 'AES_256' }))
  const opened = await kms.send(new DecryptCommand({ CiphertextBlob: made.CiphertextBlob }))
  expect(bytes(made.Plaintext)).toHaveLength(32)
  expect(opened.Plaintext).toEqual(made.Plaintext)
  const sealed = await kms.send(
    new GenerateDataKeyWithoutPlaintextCommand({ KeyId: keys.symmetric, NumberOfBytes: 48 }),
  )
  expect(sealed).not.toHaveProperty('Plaintext')
  const second = await kms.send(new DecryptCommand({ CiphertextBlob: sealed.CiphertextBlob }))
  expect(bytes(second.Plaintext)).toHaveLength(48)
  const both = new GenerateDataKeyCommand({ KeyId: keys.symmetric, KeySpec: 'AES_128', NumberOfBytes: 16 })
  expect(await outcome(kms.send(both))).toBe('ValidationException')
  expect(await outcome(kms.send(new GenerateDataKeyCommand({ KeyId: keys.rsa, KeySpec: 'AES_128' })))).toBe(
    'InvalidKeyUsageException',
  )
  expect(bytes((await kms.send(new GenerateRandomCommand({ NumberOfBytes: 24 }))).Plaintext)).toHaveLength(24)
})

test('a ciphertext of one key is re-encrypted under another', async () => {
  const CiphertextBlob = await encrypt(keys.symmetric, context)
  const again = await kms.send(
    new ReEncryptCommand({ CiphertextBlob, SourceEncryptionContext: context, DestinationKeyId: keys.other }),
  )
  expect(again.SourceKeyId).toMatch(new RegExp(`:key/${keys.symmetric}$`))
  expect(again.KeyId).toMatch(new RegExp(`:key/${keys.other}$`))
  const opened = await kms.send(new DecryptCommand({ CiphertextBlob: again.CiphertextBlob, KeyId: keys.other }))
  expect(bytes(opened.Plaintext)).toEqual(message)
})

test.each(['RSAES_OAEP_SHA_1', 'RSAES_OAEP_SHA_256'] as const)('an RSA key encrypts with %s', async (algorithm) => {
  const sealed = await kms.send(
    new EncryptCommand({ KeyId: keys.rsa, Plaintext: message, EncryptionAlgorithm: algorithm }),
  )
  const { CiphertextBlob } = sealed
  const open = { CiphertextBlob, KeyId: keys.rsa, EncryptionAlgorithm: algorithm }
  expect(bytes((await kms.send(new DecryptCommand(open))).Plaintext)).toEqual(message)
  expect(await outcome(kms.send(new DecryptCommand({ ...open, KeyId: undefined })))).toBe('ValidationException')
  const other = algorithm === 'RSAES_OAEP_SHA_1' ? 'RSAES_OAEP_SHA_256' : 'RSAES_OAEP_SHA_1'
  expect(await outcome(kms.send(new DecryptCommand({ ...open, EncryptionAlgorithm: other })))).toBe(
    'InvalidCiphertextException',
  )
})

test('a plaintext must fit, and an RSA key knows no context', async () => {
  const rsa = { KeyId: keys.rsa, EncryptionAlgorithm: 'RSAES_OAEP_SHA_256' } as const
  const send = (command: EncryptCommand) => outcome(kms.send(command))
  expect(await send(new EncryptCommand({ ...rsa, Plaintext: Buffer.alloc(190) }))).toBe('done')
  expect(await send(new EncryptCommand({ ...rsa, Plaintext: Buffer.alloc(191) }))).toBe('ValidationException')
  expect(await send(new EncryptCommand({ KeyId: keys.symmetric, Plaintext: Buffer.alloc(4097) }))).toBe(
    'ValidationException',
  )
  expect(await send(new EncryptCommand({ ...rsa, Plaintext: message, EncryptionContext: context }))).toBe(
    'ValidationException',
  )
  expect(await send(new EncryptCommand({ KeyId: keys.rsa, Plaintext: message }))).toBe('InvalidKeyUsageException')
})

test.each<[keyof typeof keys, SigningAlgorithmSpec, string, object]>([
  ['signing', 'RSASSA_PKCS1_V1_5_SHA_256', 'sha256', {}],
  ['signing', 'RSASSA_PSS_SHA_512', 'sha512', PSS],
  ['curve', 'ECDSA_SHA_384', 'sha384', {}],
])('the %s key signs with %s, and only its own signature is valid', async (name, SigningAlgorithm, hash, options) => {
  const input = { KeyId: keys[name], Message: message, SigningAlgorithm }
  const { Signature } = await kms.send(new SignCommand(input))
  const check = (changed: object) => outcome(kms.send(new VerifyCommand({ ...input, Signature, ...changed })))
  expect(await check({})).toBe('done')
  expect(await check({ Message: Buffer.from('another') })).toBe('KMSInvalidSignatureException')
  expect(await check({ Signature: Buffer.from('no signature') })).toBe('KMSInvalidSignatureException')
  const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId: keys[name] }))
  const key = createPublicKey({ key: bytes(PublicKey), format: 'der', type: 'spki' })
  expect(verify(hash, message, { key, ...options }, bytes(Signature))).toBe(true)
})

test.each<[string, CreateKeyCommandInput, SigningAlgorithmSpec, string, object]>([
  ['RSA with PSS', { KeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY' }, 'RSASSA_PSS_SHA_384', 'sha384', PSS],
  ['RSA', { KeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY' }, 'RSASSA_PKCS1_V1_5_SHA_256', 'sha256', {}],
  ['P-256', { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' }, 'ECDSA_SHA_256', 'sha256', {}],
  ['P-521', { KeySpec: 'ECC_NIST_P521', KeyUsage: 'SIGN_VERIFY' }, 'ECDSA_SHA_512', 'sha512', {}],
  ['secp256k1', { KeySpec: 'ECC_SECG_P256K1', KeyUsage: 'SIGN_VERIFY' }, 'ECDSA_SHA_256', 'sha256', {}],
])('a digest is signed with %s as its message is', async (_what, spec, SigningAlgorithm, hash, options) => {
  const KeyId = await create(spec)
  const digest = createHash(hash).update(message).digest()
  const input = { KeyId, SigningAlgorithm }
  const ofDigest = { ...input, Message: digest, MessageType: 'DIGEST' } as const
  const { Signature } = await kms.send(new SignCommand(ofDigest))
  const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId }))
  const key = createPublicKey({ key: bytes(PublicKey), format: 'der', type: 'spki' })
  expect(verify(hash, message, { key, ...options }, bytes(Signature))).toBe(true)
  const { Signature: ofMessage } = await kms.send(new SignCommand({ ...input, Message: message }))
  const check = (Given: Uint8Array | undefined, of: object) =>
    outcome(kms.send(new VerifyCommand({ ...ofDigest, Signature: Given, ...of })))
  for (const made of [Signature, ofMessage]) expect(await check(made, {})).toBe('done')
  expect(await check(Signature, { Message: message, MessageType: 'RAW' })).toBe('done')
  const other = createHash(hash).update('another').digest()
  expect(await check(Signature, { Message: other })).toBe('KMSInvalidSignatureException')
  expect(await check(Buffer.from('no signature'), {})).toBe('KMSInvalidSignatureException')
})

test.each(['RSA_2048', 'ECC_NIST_P256'] as const)(
  'a data key pair of %s opens with the key it is under',
  async (KeyPairSpec) => {
    const input = { KeyId: keys.symmetric, KeyPairSpec, EncryptionContext: context }
    const pair = await kms.send(new GenerateDataKeyPairCommand(input))
    const privateKey = createPrivateKey({ key: bytes(pair.PrivateKeyPlaintext), format: 'der', type: 'pkcs8' })
    const half = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
    expect(bytes(pair.PublicKey)).toEqual(half)
    const opened = await kms.send(
      new DecryptCommand({ CiphertextBlob: pair.PrivateKeyCiphertextBlob, EncryptionContext: context }),
    )
    expect(bytes(opened.Plaintext)).toEqual(bytes(pair.PrivateKeyPlaintext))
    const sealed = await kms.send(new GenerateDataKeyPairWithoutPlaintextCommand(input))
    expect(sealed).not.toHaveProperty('PrivateKeyPlaintext')
    expect(sealed.KeyPairSpec).toBe(KeyPairSpec)
    const wrong = new GenerateDataKeyPairCommand({ ...input, KeyId: keys.signing })
    expect(await outcome(kms.send(wrong))).toBe('InvalidKeyUsageException')
  },
)

test('an authentication code is valid for its message', async () => {
  const input = { KeyId: keys.mac, Message: message, MacAlgorithm: 'HMAC_SHA_384' } as const
  const { Mac } = await kms.send(new GenerateMacCommand(input))
  expect(bytes(Mac)).toHaveLength(48)
  expect(await outcome(kms.send(new VerifyMacCommand({ ...input, Mac })))).toBe('done')
  const other = new VerifyMacCommand({ ...input, Mac, Message: Buffer.from('another') })
  expect(await outcome(kms.send(other))).toBe('KMSInvalidMacException')
  const wrong = new GenerateMacCommand({ ...input, MacAlgorithm: 'HMAC_SHA_256' })
  expect(await outcome(kms.send(wrong))).toBe('InvalidKeyUsageException')
})

test('two keys agree on one secret', async () => {
  const own = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const KeyAgreementAlgorithm = 'ECDH' as const
  const PublicKey = own.publicKey.export({ format: 'der', type: 'spki' })
  const theirs = await kms.send(new GetPublicKeyCommand({ KeyId: keys.agreeing }))
  const answer = await kms.send(
    new DeriveSharedSecretCommand({ KeyId: keys.agreeing, KeyAgreementAlgorithm, PublicKey }),
  )
  const publicKey = createPublicKey({ key: bytes(theirs.PublicKey), format: 'der', type: 'spki' })
  expect(bytes(answer.SharedSecret)).toEqual(diffieHellman({ privateKey: own.privateKey, publicKey }))
})

test.each<[string, keyof typeof keys, (KeyId: string) => Promise<unknown>, string]>([
  ['a symmetric key has no public one', 'symmetric', publicKey, 'UnsupportedOperationException'],
  ['an HMAC key has no public one', 'mac', publicKey, 'UnsupportedOperationException'],
  ['a signing key does not encrypt', 'signing', (KeyId) => encrypt(KeyId), 'InvalidKeyUsageException'],
  ['a symmetric key does not sign', 'symmetric', (KeyId) => sign(KeyId), 'InvalidKeyUsageException'],
  ['a curve signs with its own hash only', 'curve', (KeyId) => sign(KeyId), 'InvalidKeyUsageException'],
  [
    'a digest of another length is not signed',
    'signing',
    (KeyId) => sign(KeyId, { MessageType: 'DIGEST' }),
    'ValidationException',
  ],
])('%s', async (_what, name, send, expected) => {
  expect(await outcome(send(keys[name]))).toBe(expected)
})

function publicKey(KeyId: string) {
  return kms.send(new GetPublicKeyCommand({ KeyId }))
}

function sign(KeyId: string, more: object = {}) {
  const SigningAlgorithm = keys.curve === KeyId ? 'ECDSA_SHA_256' : 'RSASSA_PSS_SHA_256'
  return kms.send(new SignCommand({ KeyId, Message: message, SigningAlgorithm, ...more }))
}

test('a dry run checks everything and changes nothing', async () => {
  const DryRun = true
  const dry = new EncryptCommand({ KeyId: keys.symmetric, Plaintext: message, DryRun })
  expect(await outcome(kms.send(dry))).toBe('DryRunOperationException')
  const wrong = new EncryptCommand({ KeyId: keys.mac, Plaintext: message, DryRun })
  expect(await outcome(kms.send(wrong))).toBe('InvalidKeyUsageException')
})

test('a key works only while it is enabled', async () => {
  const KeyId = await create()
  const CiphertextBlob = await encrypt(KeyId)
  const decrypt = () => outcome(kms.send(new DecryptCommand({ CiphertextBlob })))
  await kms.send(new DisableKeyCommand({ KeyId }))
  expect(await outcome(encrypt(KeyId))).toBe('DisabledException')
  expect(await decrypt()).toBe('DisabledException')
  await kms.send(new ScheduleKeyDeletionCommand({ KeyId }))
  expect(await outcome(encrypt(KeyId))).toBe('KMSInvalidStateException')
  expect(await decrypt()).toBe('KMSInvalidStateException')
})

test('a policy that denies encryption permits decryption', async () => {
  const KeyId = await create()
  const CiphertextBlob = await encrypt(KeyId)
  const deny = {
    Effect: 'Deny',
    Principal: '*',
    Action: ['kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncryptTo'],
    Resource: '*',
  }
  const all = { Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${ACCOUNTS.first}:root` }, Action: 'kms:*' }
  await kms.send(new PutKeyPolicyCommand({ KeyId, Policy: JSON.stringify({ Statement: [all, deny] }) }))
  expect(await outcome(encrypt(KeyId))).toBe('AccessDeniedException')
  expect(await outcome(kms.send(new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256' })))).toBe(
    'AccessDeniedException',
  )
  const sealed = new GenerateDataKeyWithoutPlaintextCommand({ KeyId, KeySpec: 'AES_256' })
  expect(await outcome(kms.send(sealed))).toBe('AccessDeniedException')
  const into = new ReEncryptCommand({ CiphertextBlob: await encrypt(keys.other), DestinationKeyId: KeyId })
  expect(await outcome(kms.send(into))).toBe('AccessDeniedException')
  expect(await outcome(kms.send(new DecryptCommand({ CiphertextBlob })))).toBe('done')
  const out = new ReEncryptCommand({ CiphertextBlob, DestinationKeyId: keys.other })
  expect(await outcome(kms.send(out))).toBe('done')
})
