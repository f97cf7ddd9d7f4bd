import { constants, createHash, privateDecrypt, type KeyObject } from 'node:crypto'
import { privateKeyIn } from '../certificates/keys.ts'
import { usableCertificate } from '../certificates/usable.ts'
import type { SecretType, WrapHash } from '../state/held.ts'
import { bytesIn } from '../wire/body.ts'
import type { Call } from '../wire/call.ts'
import { ApiError, broken } from '../wire/errors.ts'
import { choiceIn, forbid, required, type Given } from './fields.ts'
import { MODES, RULES, type Origin } from './rules.ts'

const KEY_BYTES = 32

/** Uploaded material, unwrapped with the certificate's private key. @throws ApiError */
export async function uploaded(call: Call, type: SecretType, given: Given): Promise<Origin> {
  forbid(given, 'RemoteKeyIdentifier', 'RemoteKeyServiceId', 'RemoteKeyCertificate')
  if (!RULES[type].allowsUpload) throw broken(`Material of the type ${type} needs another wrapping.`, 'Type')
  const mode = modeIn(call, type, given)
  const wrapped = bytesIn(required(given, 'SecretValue'))
  const hash = required(given, 'SecretValueHash')
  const certificate = usableCertificate(call, required(given, 'SecretValueCertificate'), 'SecretValueCertificate')
  const privateKey = await privateKeyIn(call.state, certificate)
  const material = call.organization.settings.wrapHashes
    .map((oaepHash) => unwrapped(privateKey, oaepHash, wrapped))
    .find((each) => each !== undefined)
  if (material?.length !== KEY_BYTES) throw broken('The key material cannot be decrypted to 256 bits.', 'SecretValue')
  if (createHash('sha256').update(material).digest('base64') !== hash)
    throw broken('The hash does not match the key material.', 'SecretValueHash')
  const isKnown = call.state.secrets(call.organization.id).some((each) => each.hash === hash)
  if (isKnown) throw new ApiError('DUPLICATE_VALUE', 'The key material was uploaded before.', ['SecretValue'])
  return { mode, material, hash }
}

function unwrapped(key: KeyObject, oaepHash: WrapHash, bytes: Buffer | undefined) {
  if (bytes === undefined) return undefined
  try {
    return privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, bytes)
  } catch {
    return undefined
  }
}

/** @throws ApiError when material of the type, or of this organization, must be derived */
function modeIn({ organization }: Call, type: SecretType, given: Given): Origin['mode'] {
  const mode = choiceIn(given, 'KeyDerivationMode', MODES) ?? 'PBKDF2'
  if (mode === 'PBKDF2') return mode
  if (!organization.settings.canOptOutOfDerivationWithBYOK)
    throw broken('Opt-out of key derivation (canOptOutOfDerivationWithBYOK) is not enabled.', 'KeyDerivationMode')
  if (!RULES[type].allowsNoDerivation)
    throw broken(`Secrets of the type ${type} are always derived.`, 'KeyDerivationMode')
  return mode
}
