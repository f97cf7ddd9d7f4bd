import { randomBytes } from 'node:crypto'
import { ServiceError } from '../../toolkit/service-error.ts'
import { openBlob, readBlob, sealBlob } from '../../toolkit/aws/kms-blob.ts'
import type { Call, Operations } from '../wire/call.ts'
import { aadOf, packExternal, unpackExternal } from '../key-stores/external-blob.ts'
import { keyNamed, look, requireRights, requireState } from './found-key.ts'
import { blob, choice, flag, optionalChoice, optionalInteger, texts, type Input } from '../../toolkit/aws/input.ts'
import { ALGORITHM_MEMBERS, generateMaterial, KEY_SPECS, specRow, type KeyUsage } from './key-specs.ts'
import { currentMaterial, keyArn, showsMaterial, type HeldKey } from './keys.ts'
import { decryptRsa, encryptRsa, publicBytesOf } from './pair-algorithms.ts'
import { countRead, currentOf } from '../state/passing-time.ts'
import { decryptOutside, encryptOutside, type ExternalCiphertext, type ExternalKey } from '../key-stores/proxy.ts'
import { whileUsingKey } from '../key-stores/proxy-faults.ts'
import { denied, dryRun, invalidCiphertext, invalidUsage, unsupported, validation } from '../wire/refusals.ts'

const PLAINTEXT = { max: 4096 }
const CIPHERTEXT = { max: 6144 }
const DATA_KEY_BYTES = { AES_128: 16, AES_256: 32 } as const
const COUNT = { min: 1, max: 1024 }
const SYMMETRIC = 'SYMMETRIC_DEFAULT'
const ENCRYPTIONS = [SYMMETRIC, 'RSAES_OAEP_SHA_1', 'RSAES_OAEP_SHA_256', 'SM2PKE'] as const

export const cryptographyOperations: Operations = {
  Encrypt: async (call, input) => {
    const plaintext = blob(input, 'Plaintext', PLAINTEXT)
    const algorithm = optionalChoice(input, 'EncryptionAlgorithm', ENCRYPTIONS) ?? SYMMETRIC
    const key = usable(call, input, { usage: 'ENCRYPT_DECRYPT', algorithm })
    const CiphertextBlob = await encrypt(call, key, algorithm, plaintext, texts(input, 'EncryptionContext'))
    stopDryRun(input)
    return { CiphertextBlob, KeyId: keyArn(key), EncryptionAlgorithm: algorithm }
  },
  Decrypt: async (call, input) => {
    const { key, algorithm, plaintext, materialId } = await decrypt(call, input, DECRYPT)
    stopDryRun(input)
    return {
      KeyId: keyArn(key),
      Plaintext: plaintext.toString('base64'),
      EncryptionAlgorithm: algorithm,
      KeyMaterialId: materialId,
    }
  },
  ReEncrypt: async (call, input) => {
    const algorithm = optionalChoice(input, 'DestinationEncryptionAlgorithm', ENCRYPTIONS) ?? SYMMETRIC
    const use = { usage: 'ENCRYPT_DECRYPT', algorithm, field: 'DestinationKeyId', action: 'ReEncryptTo' } as const
    const destination = usable(call, input, use)
    const source = await decrypt(call, input, RE_ENCRYPT)
    const context = texts(input, 'DestinationEncryptionContext')
    const CiphertextBlob = await encrypt(call, destination, algorithm, source.plaintext, context)
    stopDryRun(input)
    return {
      CiphertextBlob,
      SourceKeyId: keyArn(source.key),
      KeyId: keyArn(destination),
      SourceEncryptionAlgorithm: source.algorithm,
      DestinationEncryptionAlgorithm: algorithm,
      SourceKeyMaterialId: source.materialId,
      ...currentId(destination, 'DestinationKeyMaterialId'),
    }
  },
  GenerateDataKey: dataKey,
  GenerateDataKeyWithoutPlaintext: async (call, input) => {
    const { Plaintext: _, ...sealed } = await dataKey(call, input)
    return sealed
  },
  GenerateDataKeyPair: dataKeyPair,
  GenerateDataKeyPairWithoutPlaintext: async (call, input) => {
    const { PrivateKeyPlaintext: _, ...sealed } = await dataKeyPair(call, input)
    return sealed
  },
  GenerateRandom: (_call, input) => {
    const count = optionalInteger(input, 'NumberOfBytes', COUNT)
    if (count === undefined) throw validation('NumberOfBytes must be given.')
    return { Plaintext: randomBytes(count).toString('base64') }
  },
  GetPublicKey: async (call, input) => {
    const key = keyNamed(call, input, { aliases: true })
    const { family, usages } = specRow(key.spec)
    if (family !== 'rsa' && family !== 'ec') throw unsupported(`${keyArn(key)} is not an asymmetric key.`)
    requireState(key, ['Enabled'])
    return {
      KeyId: keyArn(key),
      PublicKey: publicBytesOf(await call.state.bytesOf(key, currentOf(key))).toString('base64'),
      CustomerMasterKeySpec: key.spec,
      KeySpec: key.spec,
      KeyUsage: key.usage,
      [ALGORITHM_MEMBERS[key.usage]]: usages[key.usage],
    }
  },
}

/** Members of the two operations that decrypt a ciphertext. */
const DECRYPT = {
  keyId: 'KeyId',
  context: 'EncryptionContext',
  algorithm: 'EncryptionAlgorithm',
  action: 'Decrypt',
} as const
const RE_ENCRYPT = {
  keyId: 'SourceKeyId',
  context: 'SourceEncryptionContext',
  algorithm: 'SourceEncryptionAlgorithm',
  action: 'ReEncryptFrom',
} as const

/**
 * The key that a request names, if it is enabled and has this usage.
 * @throws ServiceError InvalidKeyUsageException, and those of `keyNamed` and `requireState`
 */
export function usable(
  call: Call,
  input: Input,
  { usage, algorithm, ...named }: { usage: KeyUsage; algorithm: string; field?: string; action?: string },
): HeldKey {
  const key = keyNamed(call, input, { aliases: true, ...named })
  requireState(key, ['Enabled'])
  requireUse(key, usage, algorithm)
  return key
}

function requireUse(key: HeldKey, usage: KeyUsage, algorithm: string): void {
  if (key.usage !== usage) throw invalidUsage(`${keyArn(key)} key usage is ${key.usage} which is not valid here.`)
  if (specRow(key.spec).usages[usage]?.includes(algorithm)) return
  throw invalidUsage(`Algorithm ${algorithm} is incompatible with key spec ${key.spec}.`)
}

export function stopDryRun(input: Input): void {
  if (flag(input, 'DryRun')) throw dryRun()
}

async function dataKey(call: Call, input: Input) {
  const named = optionalChoice(input, 'KeySpec', ['AES_128', 'AES_256'])
  const count = optionalInteger(input, 'NumberOfBytes', COUNT)
  if ((named === undefined) === (count === undefined)) {
    throw validation('Please specify either number of bytes or key spec.')
  }
  const key = usable(call, input, { usage: 'ENCRYPT_DECRYPT', algorithm: SYMMETRIC })
  const plaintext = randomBytes(named === undefined ? (count ?? 0) : DATA_KEY_BYTES[named])
  const CiphertextBlob = await encrypt(call, key, SYMMETRIC, plaintext, texts(input, 'EncryptionContext'))
  stopDryRun(input)
  const Plaintext = plaintext.toString('base64')
  return { CiphertextBlob, Plaintext, KeyId: keyArn(key), ...currentId(key, 'KeyMaterialId') }
}

/** Key specs that data key pairs may have: those of asymmetric keys. */
const PAIR_SPECS = [...KEY_SPECS.values()]
  .filter(({ family }) => family === 'rsa' || family === 'ec')
  .map(({ name }) => name)

async function dataKeyPair(call: Call, input: Input) {
  const KeyPairSpec = choice(input, 'KeyPairSpec', PAIR_SPECS)
  const key = usable(call, input, { usage: 'ENCRYPT_DECRYPT', algorithm: SYMMETRIC })
  if (key.keyStore !== undefined) throw unsupported(`${keyArn(key)} is in a custom key store.`)
  const plaintext = await generateMaterial(specRow(KeyPairSpec), 0)
  const sealed = await encrypt(call, key, SYMMETRIC, plaintext, texts(input, 'EncryptionContext'))
  stopDryRun(input)
  return {
    PrivateKeyCiphertextBlob: sealed,
    PrivateKeyPlaintext: plaintext.toString('base64'),
    PublicKey: publicBytesOf(plaintext).toString('base64'),
    KeyId: keyArn(key),
    KeyPairSpec,
    ...currentId(key, 'KeyMaterialId'),
  }
}

const currentId = (key: HeldKey, member: string): object =>
  showsMaterial(key) ? { [member]: currentMaterial(key)?.id } : {}

/** @returns base64 */
async function encrypt(
  call: Call,
  key: HeldKey,
  algorithm: string,
  plaintext: Buffer,
  context: Readonly<Record<string, string>>,
): Promise<string> {
  const current = currentOf(key)
  const material = await call.state.bytesOf(key, current)
  if (algorithm === SYMMETRIC) {
    const version = key.materials.indexOf(current)
    const sealed = sealBlob({ id: key.id.replace('mrk-', ''), version, material }, plaintext, context)
    return (await outerLayer(call, key, sealed, context)).toString('base64')
  }
  requireNoContext(context)
  return encryptRsa(material, algorithm, plaintext).toString('base64')
}

/** Adds the proxy's encryption around the cloud's, if the key is in an external key store. */
async function outerLayer(
  call: Call,
  key: HeldKey,
  sealed: Buffer,
  context: Readonly<Record<string, string>>,
): Promise<Buffer> {
  const external = externalKey(call, key)
  if (external === undefined) return sealed
  return packExternal(key.id, await whileUsingKey(() => encryptOutside(call, external, sealed, aadOf(context))))
}

/** @returns `undefined` for a key that is not in an external key store */
function externalKey({ state }: Call, key: HeldKey): ExternalKey | undefined {
  const { id = '', xksKeyId } = key.keyStore ?? {}
  const backing = state.keyStore(key.account, key.region, id)?.backing
  if (xksKeyId === undefined || backing?.type !== 'EXTERNAL_KEY_STORE') return undefined
  return { proxy: backing, xksKeyId, arn: keyArn(key) }
}

function requireNoContext(context: Readonly<Record<string, string>>): void {
  if (Object.keys(context).length === 0) return
  throw validation('EncryptionContext is not supported with asymmetric keys.')
}

/**
 * Decrypts with the key that the request names or, for a symmetric key, that the ciphertext names. `materialId`
 * identifies the material of a symmetric key.
 */
async function decrypt(call: Call, input: Input, members: typeof DECRYPT | typeof RE_ENCRYPT) {
  const ciphertext = blob(input, 'CiphertextBlob', CIPHERTEXT)
  const context = texts(input, members.context)
  const algorithm = optionalChoice(input, members.algorithm, ENCRYPTIONS) ?? SYMMETRIC
  const use = { usage: 'ENCRYPT_DECRYPT', algorithm, field: members.keyId, action: members.action } as const
  const named = input[members.keyId] === undefined ? undefined : usable(call, input, use)
  if (algorithm === SYMMETRIC)
    return { algorithm, ...(await openSymmetric(call, input, { named, ciphertext, context, action: members.action })) }
  if (named === undefined) throw validation(`${members.keyId} must be given with ${algorithm}.`)
  requireNoContext(context)
  const plaintext = decryptRsa(await call.state.bytesOf(named, currentOf(named)), algorithm, ciphertext)
  return { algorithm, key: named, plaintext, materialId: undefined }
}

interface Opened {
  readonly named: HeldKey | undefined
  readonly ciphertext: Buffer
  readonly context: Readonly<Record<string, string>>
  readonly action: string
}

async function openSymmetric(call: Call, input: Input, { named, ciphertext, context, action }: Opened) {
  const outer = unpackExternal(ciphertext)
  const sealedBy = outer ?? readBlob(ciphertext)
  if (sealedBy === undefined) throw invalidCiphertext()
  const key = ownerOf(call, sealedBy.id, named)
  if (named !== undefined && named !== key) {
    throw new ServiceError(
      'IncorrectKeyException',
      'The key ID in the request does not identify the key of this ciphertext.',
    )
  }
  if (key === undefined) {
    const because = 'because the ciphertext refers to a key that does not exist here or is not yours to use'
    throw denied(call.caller.arn, `kms:${action}`, '*', because)
  }
  if (named === undefined) {
    requireRights(call, key, action, input)
    countRead(key)
    requireState(key, ['Enabled'])
  }
  const inner = outer === undefined ? ciphertext : await innerLayer(call, key, outer.sealed, context)
  const material = key.materials[readBlob(inner)?.version ?? 0]
  const plaintext = material && openBlob(await call.state.bytesOf(key, material), inner, context)
  if (plaintext === undefined) throw invalidCiphertext()
  return { key, plaintext, materialId: showsMaterial(key) ? material?.id : undefined }
}

async function innerLayer(
  call: Call,
  key: HeldKey,
  sealed: ExternalCiphertext,
  context: Readonly<Record<string, string>>,
): Promise<Buffer> {
  const external = externalKey(call, key)
  if (external === undefined) throw invalidCiphertext()
  return whileUsingKey(() => decryptOutside(call, external, sealed, aadOf(context)))
}

/**
 * The account of a ciphertext's key. A blob contains 16 bytes of id, and a multi-region key's id is written without
 * dashes and with a prefix. Ours: a ciphertext of another account's key requires that the request names that key.
 */
function ownerOf(call: Call, id: string, named: HeldKey | undefined): HeldKey | undefined {
  const { state, caller } = call
  const account = named?.account ?? caller.account.id
  const found = [id, `mrk-${id.replaceAll('-', '')}`].find((each) => state.key(account, caller.region, each))
  return found === undefined ? undefined : look(call, found, account)
}
