import { createPublicKey } from 'node:crypto'
import { ServiceError } from '../../toolkit/service-error.ts'
import type { Call, Operations } from '../wire/call.ts'
import { keyNamed, NOT_LEAVING, requireState } from './found-key.ts'
import { issueToken, openToken, type ImportToken } from './import-token.ts'
import { blob, choice, optionalChoice, optionalText, optionalTime, type Input } from '../../toolkit/aws/input.ts'
import { acceptMaterial, specRow, type WrappingAlgorithm } from './key-specs.ts'
import { currentMaterial, isSymmetric, isThere, keyArn, materialId, newMaterial, stateOf } from './keys.ts'
import type { HeldKey, Material } from './keys.ts'
import { DAY_MS, forgetBytes, isLasting } from '../state/passing-time.ts'
import { incorrectMaterial, invalidState, notFound, unsupported, validation } from '../wire/refusals.ts'
import { partitionOf } from '../accounts/regions.ts'
import { unwrap } from './unwrap.ts'

const ALGORITHMS = [
  'RSAES_OAEP_SHA_1',
  'RSAES_OAEP_SHA_256',
  'RSAES_PKCS1_V1_5',
  'RSA_AES_KEY_WRAP_SHA_1',
  'RSA_AES_KEY_WRAP_SHA_256',
  'SM2PKE',
] as const
const WRAPPING_SPECS = ['RSA_2048', 'RSA_3072', 'RSA_4096', 'SM2'] as const
const MODELS = ['KEY_MATERIAL_EXPIRES', 'KEY_MATERIAL_DOES_NOT_EXPIRE'] as const
const TYPES = ['NEW_KEY_MATERIAL', 'EXISTING_KEY_MATERIAL'] as const
const PARAMETERS_VALID_MS = DAY_MS
const MAX_VALIDITY_MS = 365 * DAY_MS
const MAX_BLOB = { max: 6144 }
const ID_LENGTH = { min: 64, max: 64 }

export const importOperations: Operations = {
  GetParametersForImport: async (call, input) => {
    const wanted = choice(input, 'WrappingAlgorithm', ALGORITHMS)
    const wrappingSpec = choice(input, 'WrappingKeySpec', WRAPPING_SPECS)
    const key = importable(call, input)
    const algorithm = wrappingFor(key, wanted, wrappingSpec)
    const wrappingKey = await call.state.wrappingKey(wrappingSpec)
    const validTo = call.state.now() + PARAMETERS_VALID_MS
    const { account, region, id: keyId } = key
    const token: ImportToken = { account, region, keyId, wrappingSpec, algorithm, validTo }
    return {
      KeyId: keyArn(key),
      ImportToken: issueToken(call.state.secret, token).toString('base64'),
      PublicKey: createPublicKey(wrappingKey).export({ format: 'der', type: 'spki' }).toString('base64'),
      ParametersValidTo: validTo / 1000,
    }
  },
  ImportKeyMaterial: async (call, input) => {
    const wrapped = blob(input, 'EncryptedKeyMaterial', MAX_BLOB)
    const token = openToken(call.state.secret, blob(input, 'ImportToken', MAX_BLOB))
    const terms = termsOf(call, input)
    const wrappingKey = await call.state.wrappingKey(token?.wrappingSpec ?? 'RSA_2048')
    const key = importable(call, input)
    requireSymmetricFor(key, terms)
    const { wrappingAlgorithm } = requireToken(call, key, token)
    const symmetricBytes = partitionOf(call.caller.account.cloud_name).symmetricBytes
    const bytes = acceptMaterial(specRow(key.spec), symmetricBytes, unwrap(wrappingKey, wrappingAlgorithm, wrapped))
    const id = materialId(key.id, bytes)
    const material = takeMaterial(key, id, terms, call.state.relatives(key))
    const wasPending = stateOf(key) === 'PendingImport'
    Object.assign(material, { bytes, lazy: false, expiresAt: terms.expiresAt } satisfies Partial<Material>)
    if (terms.description !== undefined) material.description = terms.description
    if (wasPending) key.enabled = true
    call.state.save([key])
    return { KeyId: keyArn(key), KeyMaterialId: id }
  },
  DeleteImportedKeyMaterial: (call, input) => {
    const id = optionalText(input, 'KeyMaterialId', ID_LENGTH)
    const key = keyNamed(call, input)
    requireExternal(key)
    const material = id === undefined ? currentMaterial(key) : key.materials.find((each) => each.id === id)
    if (material === undefined) {
      if (id !== undefined) throw notFound(`Key ${keyArn(key)} has no material ${id}.`)
      return { KeyId: keyArn(key) }
    }
    if (isLasting(material)) forgetBytes(material)
    else dropWaiting(call, key, material)
    call.state.save([key])
    return { KeyId: keyArn(key), KeyMaterialId: material.id }
  },
}

/** Parameters of an import, without the material. */
interface Terms {
  readonly expiresAt: number | undefined
  readonly importType: (typeof TYPES)[number] | undefined
  readonly description: string | undefined
  readonly materialId: string | undefined
}

function termsOf(call: Call, input: Input): Terms {
  const importType = optionalChoice(input, 'ImportType', TYPES)
  const given = optionalText(input, 'KeyMaterialId', ID_LENGTH)
  if (importType === 'NEW_KEY_MATERIAL' && given !== undefined) {
    throw validation('KeyMaterialId cannot be specified with ImportType NEW_KEY_MATERIAL.')
  }
  const description = optionalText(input, 'KeyMaterialDescription', { min: 0, max: 256 })
  return { expiresAt: expiryOf(call, input), importType, description, materialId: given }
}

function expiryOf({ state }: Call, input: Input): number | undefined {
  const model = optionalChoice(input, 'ExpirationModel', MODELS) ?? 'KEY_MATERIAL_EXPIRES'
  const validTo = optionalTime(input, 'ValidTo')
  if (model === 'KEY_MATERIAL_DOES_NOT_EXPIRE') {
    if (validTo === undefined) return undefined
    throw validation('A validTo date must not be set if the expiration model is KEY_MATERIAL_DOES_NOT_EXPIRE.')
  }
  if (validTo === undefined) {
    throw validation('A validTo date must be set if the expiration model is KEY_MATERIAL_EXPIRES.')
  }
  const ahead = validTo - state.now()
  if (ahead <= 0) throw validation('The validTo date must be in the future.')
  if (ahead > MAX_VALIDITY_MS) throw validation('The validTo date must be at most 365 days from now.')
  return validTo
}

function importable(call: Call, input: Input): HeldKey {
  const key = keyNamed(call, input)
  requireExternal(key)
  requireState(key, NOT_LEAVING)
  return key
}

function requireExternal(key: HeldKey): void {
  if (key.origin === 'EXTERNAL') return
  throw unsupported(`${keyArn(key)} origin is ${key.origin} which is not valid for this operation.`)
}

function wrappingFor(key: HeldKey, wanted: string, wrappingSpec: string): WrappingAlgorithm {
  const row = specRow(key.spec)
  const algorithm = row.wrappings.find((each) => each === wanted)
  const direct = wanted.startsWith('RSAES_')
  if (algorithm === undefined || wrappingSpec === 'SM2' || (direct && row.directlyNotUnder?.includes(wrappingSpec))) {
    throw unsupported(`${wanted} with ${wrappingSpec} is not supported for key material of ${key.spec}.`)
  }
  return algorithm
}

function requireToken({ state }: Call, key: HeldKey, token: ImportToken | undefined) {
  const { account, region, id } = key
  if (token === undefined || token.account !== account || token.region !== region || token.keyId !== id) {
    throw new ServiceError('InvalidImportTokenException', 'The import token is not valid for this key.')
  }
  if (token.validTo <= state.now()) {
    throw new ServiceError('ExpiredImportTokenException', 'The import token has expired.')
  }
  return { wrappingAlgorithm: token.algorithm }
}

function requireSymmetricFor(key: HeldKey, { importType, description, materialId: given }: Terms): void {
  if (isSymmetric(key) || (importType === undefined && description === undefined && given === undefined)) return
  throw validation('ImportType, KeyMaterialDescription and KeyMaterialId are for symmetric encryption keys only.')
}

/**
 * The key's material for these bytes: an existing one, or a new one. The default type is NEW for the first material of
 * a key and EXISTING after that.
 * @throws ServiceError IncorrectKeyMaterialException, KMSInvalidStateException, UnsupportedOperationException
 */
function takeMaterial(key: HeldKey, id: string, terms: Terms, relatives: readonly HeldKey[]): Material {
  const known = key.materials.find((each) => each.id === id)
  const type = terms.importType ?? (key.materials.length === 0 ? 'NEW_KEY_MATERIAL' : 'EXISTING_KEY_MATERIAL')
  if (terms.materialId !== undefined && terms.materialId !== id) {
    throw incorrectMaterial('The key material is not the one that KeyMaterialId names.')
  }
  if (type === 'EXISTING_KEY_MATERIAL') return known ?? waitingAtPrimary(key, id, relatives)
  if (known !== undefined && isThere(known)) throw incorrectMaterial('This key material is in the key already.')
  if (known !== undefined) throw incorrectMaterial('This key material has been in the key before.')
  if (key.multiRegion !== undefined && key.multiRegion.primary !== key.region) {
    throw unsupported('New key material of a multi-Region key is imported into its primary key first.')
  }
  if (key.materials.some((each) => !isLasting(each))) {
    throw invalidState(`${keyArn(key)} has key material that waits for a rotation already.`)
  }
  const material = newMaterial({ id, state: key.materials.length === 0 ? 'CURRENT' : 'PENDING_ROTATION' })
  key.materials.push(material)
  return material
}

/** Deletes material that waits for a rotation, here and in the replicas, without a trace. */
function dropWaiting({ state }: Call, key: HeldKey, { id }: Material): void {
  const family = [key, ...(key.multiRegion?.primary === key.region ? state.relatives(key) : [])]
  for (const each of family) each.materials = each.materials.filter((material) => material.id !== id)
  state.save(family)
}

/** Material of the primary that the replica lacks. */
function waitingAtPrimary(key: HeldKey, id: string, relatives: readonly HeldKey[]): Material {
  const primary = relatives.find(({ region }) => region === key.multiRegion?.primary)
  const there = primary?.materials.find((each) => each.id === id)
  if (there === undefined)
    throw incorrectMaterial('The key material is not one that was imported into this key before.')
  const material = newMaterial({ id, state: there.state })
  key.materials.push(material)
  return material
}
