import { randomBytes } from 'node:crypto'
import {
  CreateAliasCommand,
  CreateKeyCommand,
  DecryptCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  EnableKeyCommand,
  EnableKeyRotationCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  GenerateDataKeyWithoutPlaintextCommand,
  GetParametersForImportCommand,
  ReEncryptCommand,
  RotateKeyOnDemandCommand,
  type CreateKeyCommandInput,
} from '@aws-sdk/client-kms'
import { AssumeRoleCommand } from '@aws-sdk/client-sts'
import { expect, test } from 'vitest'
import { kmsOf, outcome, stsOf } from '../clients.ts'
import { pathIn, type Behaviour } from './xks-proxy.ts'
import {
  connected,
  proxy,
  account,
  keyIn,
  NO_KEY,
  BAD_KEY,
  WRONG_STATE,
  shared,
  changing,
  simulator,
  ANSWERS,
  refusing,
  disconnect,
  connect,
  useStores,
} from './stores.ts'

useStores()

test('a key in an external store is described as such, and each external key is behind one key', async () => {
  const { region, kms, id } = await connected()
  proxy.seen.length = 0
  const { KeyMetadata } = await kms.send(
    new CreateKeyCommand({ CustomKeyStoreId: id, XksKeyId: 'Key_1.a-b', Origin: 'EXTERNAL_KEY_STORE' }),
  )
  expect(KeyMetadata).toMatchObject({
    Origin: 'EXTERNAL_KEY_STORE',
    KeySpec: 'SYMMETRIC_DEFAULT',
    KeyState: 'Enabled',
    Enabled: true,
    CustomKeyStoreId: id,
    XksKeyConfiguration: { Id: 'Key_1.a-b' },
  })
  expect(KeyMetadata).not.toHaveProperty('CurrentKeyMaterialId')
  expect(KeyMetadata).not.toHaveProperty('CloudHsmClusterId')
  expect(proxy.seen.map(({ path: asked, body }) => [asked, body])).toEqual([
    [
      `${pathIn(region)}/keys/Key_1.a-b/metadata`,
      {
        requestMetadata: {
          awsPrincipalArn: `arn:aws:iam::${account}:user/keymgr-admin`,
          kmsRequestId: expect.any(String),
          kmsOperation: 'CreateKey',
          kmsKeyArn: KeyMetadata?.Arn,
        },
      },
    ],
  ])
  expect(await outcome(keyIn(kms, id, 'Key_1.a-b'))).toBe('XksKeyAlreadyInUseException')
  expect(await outcome(keyIn(kms, id, 'no-such-key'))).toBe(NO_KEY)
  const both = await Promise.all([outcome(keyIn(kms, id, 'raced')), outcome(keyIn(kms, id, 'raced'))])
  expect(both.sort()).toEqual(['XksKeyAlreadyInUseException', 'done'])
  const KeyId = KeyMetadata?.KeyId ?? ''
  const unsupported = 'UnsupportedOperationException'
  expect(await outcome(kms.send(new EnableKeyRotationCommand({ KeyId })))).toBe(unsupported)
  expect(await outcome(kms.send(new RotateKeyOnDemandCommand({ KeyId })))).toBe(unsupported)
  const wrapping = { WrappingAlgorithm: 'RSAES_OAEP_SHA_256', WrappingKeySpec: 'RSA_2048' } as const
  expect(await outcome(kms.send(new GetParametersForImportCommand({ KeyId, ...wrapping })))).toBe(unsupported)
})

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['is disabled', { keyStatus: 'DISABLED' }, BAD_KEY],
  ['is too short', { keySpec: 'AES_128' }, BAD_KEY],
  ['only encrypts', { keyUsage: ['ENCRYPT'] }, BAD_KEY],
  ['only decrypts', { keyUsage: ['DECRYPT'] }, BAD_KEY],
  ['has a status of its own', { keyStatus: 'SLEEPING' }, WRONG_STATE],
  ['has no usage', { keyUsage: undefined }, WRONG_STATE],
  ['has too many usages', { keyUsage: Array.from({ length: 11 }, () => 'ENCRYPT') }, WRONG_STATE],
  ['has more usages', { keyUsage: ['SIGN', 'ENCRYPT', 'DECRYPT', 'WRAP'] }, 'done'],
])('the creation of a key over an external key that %s succeeds or fails', async (_what, change, expected) => {
  const { kms, id } = await shared()
  proxy.behave = changing(change)
  expect(await outcome(keyIn(kms, id, `key-${randomBytes(6).toString('hex')}`))).toBe(expected)
})

test.each<[string, Partial<CreateKeyCommandInput>, string]>([
  ['of the cloud’s own origin', { Origin: 'AWS_KMS' }, 'ValidationException'],
  ['of another store’s origin', { Origin: 'AWS_CLOUDHSM' }, 'ValidationException'],
  ['without external key', { XksKeyId: undefined }, 'ValidationException'],
  ['with a malformed external key', { XksKeyId: 'a/b' }, 'ValidationException'],
  ['without store', { CustomKeyStoreId: undefined }, 'ValidationException'],
  ['of a store that is not there', { CustomKeyStoreId: 'cks-0' }, 'CustomKeyStoreNotFoundException'],
  ['that is a pair', { KeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY' }, 'UnsupportedOperationException'],
  ['for MACs', { KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' }, 'UnsupportedOperationException'],
  ['of several regions', { MultiRegion: true }, 'UnsupportedOperationException'],
])('a key %s is refused before the proxy is asked', async (_what, change, expected) => {
  const { kms, id } = await shared()
  proxy.seen.length = 0
  const input = { CustomKeyStoreId: id, XksKeyId: 'x', Origin: 'EXTERNAL_KEY_STORE' as const, ...change }
  expect(await outcome(kms.send(new CreateKeyCommand(input)))).toBe(expected)
  expect(proxy.seen).toEqual([])
})

test('a ciphertext has two layers, and both sides must agree to decrypt it', async () => {
  const { region, kms, id } = await connected()
  const KeyId = await keyIn(kms, id, 'two-layers')
  const Plaintext = randomBytes(4096)
  const EncryptionContext = { tenant: '7', use: 'test' }
  proxy.seen.length = 0
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext, EncryptionContext }))
  const opened = await kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }))
  expect(Buffer.from(opened.Plaintext ?? [])).toEqual(Plaintext)
  expect(opened).not.toHaveProperty('KeyMaterialId')
  const KeyArn = `arn:aws:kms:${region}:${account}:key/${KeyId}`
  expect(proxy.seen.map(({ path: asked }) => asked.split('/').at(-1))).toEqual(['encrypt', 'decrypt'])
  const [encrypted, decrypted] = proxy.seen.map(({ body }) => body)
  const metadata = (kmsOperation: string) => ({
    ...{ awsPrincipalArn: `arn:aws:iam::${account}:user/keymgr-admin`, kmsRequestId: expect.any(String) },
    ...{ kmsOperation, kmsKeyArn: KeyArn },
  })
  expect(encrypted).toEqual({
    requestMetadata: metadata('Encrypt'),
    plaintext: expect.any(String),
    encryptionAlgorithm: 'AES_GCM',
    additionalAuthenticatedData: expect.any(String),
    ciphertextDataIntegrityValueAlgorithm: 'SHA_256',
  })
  expect(decrypted).toEqual({
    requestMetadata: metadata('Decrypt'),
    ciphertext: expect.any(String),
    initializationVector: expect.any(String),
    authenticationTag: expect.any(String),
    ciphertextMetadata: Buffer.from('layout 1').toString('base64'),
    encryptionAlgorithm: 'AES_GCM',
    additionalAuthenticatedData: encrypted?.additionalAuthenticatedData,
  })
  expect(JSON.stringify(encrypted)).not.toContain(Plaintext.subarray(0, 30).toString('base64'))
  const decrypt = (blob: Uint8Array, context = EncryptionContext) =>
    outcome(kms.send(new DecryptCommand({ CiphertextBlob: blob, EncryptionContext: context })))
  expect(await decrypt(CiphertextBlob ?? new Uint8Array(), { tenant: '8', use: 'test' })).toBe(
    'KMSInvalidStateException',
  )
  const altered = Buffer.from(CiphertextBlob ?? [])
  altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1
  expect(await decrypt(altered)).toBe('KMSInvalidStateException')
  expect(await decrypt(Buffer.from(CiphertextBlob ?? []).subarray(0, 30))).toBe('InvalidCiphertextException')
})

test('data keys and re-encryption call the proxy, with the name of the operation', async () => {
  const { kms, id } = await connected()
  const KeyId = await keyIn(kms, id, 'data-keys')
  const inside = (await kms.send(new CreateKeyCommand({}))).KeyMetadata?.KeyId ?? ''
  proxy.seen.length = 0
  const made = await kms.send(new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256' }))
  expect(made).not.toHaveProperty('KeyMaterialId')
  const { CiphertextBlob } = await kms.send(new GenerateDataKeyWithoutPlaintextCommand({ KeyId, KeySpec: 'AES_256' }))
  const out = await kms.send(new ReEncryptCommand({ CiphertextBlob: made.CiphertextBlob, DestinationKeyId: inside }))
  const back = await kms.send(new ReEncryptCommand({ CiphertextBlob: out.CiphertextBlob, DestinationKeyId: KeyId }))
  const opened = await kms.send(new DecryptCommand({ CiphertextBlob: back.CiphertextBlob, KeyId }))
  expect(opened.Plaintext).toEqual(made.Plaintext)
  expect(await outcome(kms.send(new DecryptCommand({ CiphertextBlob, KeyId: inside })))).toBe('IncorrectKeyException')
  const called = proxy.seen.map(({ path: asked, body }) => [asked.split('/').at(-1), body.requestMetadata.kmsOperation])
  expect(called).toEqual([
    ['encrypt', 'GenerateDataKey'],
    ['encrypt', 'GenerateDataKeyWithoutPlaintext'],
    ['decrypt', 'ReEncrypt'],
    ['encrypt', 'ReEncrypt'],
    ['decrypt', 'Decrypt'],
  ])
  expect(proxy.seen[0]?.body).not.toHaveProperty('additionalAuthenticatedData')
})

test('a caller in a role is identified to the proxy by the session', async () => {
  const { region, kms, id } = await shared()
  const KeyId = await keyIn(kms, id, 'by-role')
  const RoleArn = `arn:aws:iam::${account}:role/keymgr-operator`
  const { Credentials } = await stsOf(simulator, { region }).send(
    new AssumeRoleCommand({ RoleArn, RoleSessionName: 'night' }),
  )
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {}
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  proxy.seen.length = 0
  const answer = await kmsOf(simulator, { region, credentials }).send(
    new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256' }),
  )
  expect(proxy.seen[0]?.body.requestMetadata).toMatchObject({
    awsPrincipalArn: `arn:aws:sts::${account}:assumed-role/keymgr-operator/night`,
    kmsRequestId: answer.$metadata.requestId,
  })
})

const base64 = (length: number) => randomBytes(length).toString('base64')

test('every fault of a proxy is reported to the caller as an invalid state of the key', async () => {
  const { kms, id } = await shared()
  const KeyId = await keyIn(kms, id, 'goes-wrong')
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('x') }))
  const encrypting = () => outcome(kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('x') })))
  const decrypting = () => outcome(kms.send(new DecryptCommand({ CiphertextBlob })))
  const wrongs: Readonly<Record<string, Behaviour>> = {
    ...Object.fromEntries(ANSWERS.map(([what, behave]) => [what, behave])),
    InvalidCiphertext: refusing(400, 'InvalidCiphertextException'),
  }
  for (const [what, behave] of Object.entries(wrongs)) {
    proxy.behave = behave
    expect([what, await encrypting(), await decrypting()]).toEqual([what, ...INVALID_STATE])
  }
  const changes = [
    { ciphertextDataIntegrityValue: undefined },
    { ciphertextDataIntegrityValue: base64(32) },
    { initializationVector: base64(13) },
    { authenticationTag: base64(12) },
    { ciphertextMetadata: base64(21) },
    { ciphertext: base64(8) },
    { ciphertext: 'no base64!' },
  ]
  for (const change of changes) {
    proxy.behave = changing(change)
    expect([change, await encrypting()]).toEqual([change, 'KMSInvalidStateException'])
  }
  proxy.behave = changing({ plaintext: base64(3) })
  expect(await decrypting()).toBe('KMSInvalidStateException')
  proxy.behave = undefined
  expect([await encrypting(), await decrypting()]).toEqual(['done', 'done'])
})
const INVALID_STATE = ['KMSInvalidStateException', 'KMSInvalidStateException']

test('keys of a disconnected store are unavailable: they can be managed and not used', async () => {
  const { kms, id } = await connected()
  const KeyId = await keyIn(kms, id, 'unavailable')
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('x') }))
  await disconnect(kms, id)
  proxy.seen.length = 0
  const shown = async () => (await kms.send(new DescribeKeyCommand({ KeyId }))).KeyMetadata
  expect(await shown()).toMatchObject({ KeyState: 'Unavailable', Enabled: false })
  const encrypting = () => outcome(kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('x') })))
  expect(await encrypting()).toBe('KMSInvalidStateException')
  expect(await outcome(kms.send(new DecryptCommand({ CiphertextBlob })))).toBe('KMSInvalidStateException')
  expect(await outcome(keyIn(kms, id, 'another'))).toBe(WRONG_STATE)
  expect(proxy.seen).toEqual([])
  const managing = [
    new CreateAliasCommand({ AliasName: 'alias/far', TargetKeyId: KeyId }),
    new DisableKeyCommand({ KeyId }),
  ]
  expect(await Promise.all(managing.map((command) => outcome(kms.send(command as DisableKeyCommand))))).toEqual([
    'done',
    'done',
  ])
  await connect(kms, id)
  expect(await shown()).toMatchObject({ KeyState: 'Disabled' })
  expect(await encrypting()).toBe('DisabledException')
  await kms.send(new EnableKeyCommand({ KeyId }))
  expect(await outcome(kms.send(new DecryptCommand({ CiphertextBlob })))).toBe('done')
})
