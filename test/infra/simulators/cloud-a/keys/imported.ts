import { constants, createCipheriv, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'
import { CreateKeyCommand, GetParametersForImportCommand, ImportKeyMaterialCommand } from '@aws-sdk/client-kms'
import type {
  AlgorithmSpec,
  CreateKeyCommandInput,
  ImportKeyMaterialCommandInput,
  KMSClient,
  WrappingKeySpec,
} from '@aws-sdk/client-kms'

/** The wrapping algorithm of material, and the size of the wrapping key. */
export interface Wrapping {
  readonly algorithm: AlgorithmSpec
  readonly spec: WrappingKeySpec
}

export const DIRECT: Wrapping = { algorithm: 'RSAES_OAEP_SHA_256', spec: 'RSA_2048' }
export const TWO_LAYERS: Wrapping = { algorithm: 'RSA_AES_KEY_WRAP_SHA_256', spec: 'RSA_2048' }

/** Wraps with node:crypto only, so that the simulator is not tested against itself. */
export function wrap(publicKey: Uint8Array, algorithm: AlgorithmSpec, material: Uint8Array): Buffer {
  const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' })
  const oaepHash = algorithm.endsWith('SHA_1') ? 'sha1' : 'sha256'
  const oaep = (bytes: Uint8Array) => publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, bytes)
  if (algorithm.startsWith('RSAES')) return oaep(material)
  const aesKey = randomBytes(32)
  const cipher = createCipheriv('id-aes256-wrap-pad', aesKey, Buffer.from('a65959a6', 'hex'))
  return Buffer.concat([oaep(aesKey), cipher.update(material), cipher.final()])
}

/** Creates a key that waits for its material. @returns its id */
export async function createExternal(kms: KMSClient, input: CreateKeyCommandInput = {}): Promise<string> {
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({ ...input, Origin: 'EXTERNAL' }))
  return KeyMetadata?.KeyId ?? ''
}

/** Parameters and wrapped material: the input of ImportKeyMaterial without its terms. */
export async function parcel(kms: KMSClient, KeyId: string, material: Uint8Array, { algorithm, spec }: Wrapping) {
  const parameters = new GetParametersForImportCommand({ KeyId, WrappingAlgorithm: algorithm, WrappingKeySpec: spec })
  const { ImportToken, PublicKey = new Uint8Array() } = await kms.send(parameters)
  return { KeyId, ImportToken, EncryptedKeyMaterial: wrap(PublicKey, algorithm, material) }
}

/** All steps of an import, without expiry unless `terms` has one. */
export async function importMaterial(
  kms: KMSClient,
  KeyId: string,
  material: Uint8Array,
  { wrapping = DIRECT, ...terms }: { wrapping?: Wrapping } & Partial<ImportKeyMaterialCommandInput> = {},
) {
  const ExpirationModel = terms.ValidTo === undefined ? 'KEY_MATERIAL_DOES_NOT_EXPIRE' : 'KEY_MATERIAL_EXPIRES'
  const wrapped = await parcel(kms, KeyId, material, wrapping)
  return kms.send(new ImportKeyMaterialCommand({ ...wrapped, ExpirationModel, ...terms }))
}
