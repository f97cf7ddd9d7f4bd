import { acceptPair, privateKeyOf } from '../../toolkit/key-pairs.ts'
import { unwrap } from '../../toolkit/unwrap.ts'
import { bytesAt, isObject, requiredBytes, textAt, type Body } from '../wire/body.ts'
import { hostOf } from '../directory/directory.ts'
import { badParameter, forbidden } from '../wire/errors.ts'
import { live, versionIn } from '../vaults/found.ts'
import type { KeyVersion } from '../vaults/held.ts'
import type { VaultCall } from '../vaults/vault-call.ts'
import type { Material } from './jwk.ts'
import { CURVES, KINDS, RSA_BITS, type Kty } from './key-specs.ts'

/**
 * The material in a transfer blob: wrapped in two layers with a key of the vault that has no other use.
 * @param jwk whose `key_hsm` is the blob
 * @throws ApiError BadParameter, KeyNotFound, Forbidden for a disabled or expired wrapping key
 */
export async function materialInBlob(call: VaultCall, jwk: Body, kty: Kty): Promise<Material> {
  const { kid, ciphertext } = parseBlob(bytesAt(jwk, 'key_hsm') ?? Buffer.alloc(0))
  const { version, bytes } = await wrappingKey(call, kid)
  const modulusBytes = (version.bits ?? 0) / 8
  if (ciphertext.length <= modulusBytes) throw badParameter('The ciphertext of the transfer blob is too short.')
  let clear: Buffer
  try {
    clear = unwrap(privateKeyOf(bytes), { oaepHash: 'sha1', twoLayers: true }, ciphertext)
  } catch {
    throw badParameter('The key of the transfer blob cannot be unwrapped.')
  }
  return materialOf(kty, clear, textAt(jwk, 'crv'))
}

/** @throws ApiError BadParameter */
function parseBlob(blob: Buffer): { readonly kid: string; readonly ciphertext: Buffer } {
  let parsed: unknown
  try {
    parsed = JSON.parse(blob.toString('utf8'))
  } catch {
    throw badParameter('The transfer blob is not valid JSON.')
  }
  if (!isObject(parsed) || !isObject(parsed.header)) throw badParameter('The transfer blob has no header.')
  if (parsed.schema_version !== '1.0.0') throw badParameter('The schema_version of the transfer blob must be 1.0.0.')
  if (parsed.header.alg !== 'dir') throw badParameter("The alg of the transfer blob must be 'dir'.")
  if (parsed.header.enc !== 'CKM_RSA_AES_KEY_WRAP')
    throw badParameter("The enc of the transfer blob must be 'CKM_RSA_AES_KEY_WRAP'.")
  return { kid: textAt(parsed.header, 'kid') ?? '', ciphertext: requiredBytes(parsed, 'ciphertext') }
}

/** The key exchange key with full identifier `kid`. */
async function wrappingKey(call: VaultCall, kid: string): Promise<{ version: KeyVersion; bytes: Buffer }> {
  const { state, vault } = call
  const prefix = `https://${hostOf(vault)}/keys/`
  const [name = '', id = '', ...rest] = kid.startsWith(prefix) ? kid.slice(prefix.length).split('/') : []
  if (id === '' || rest.length > 0)
    throw badParameter('The kid of the transfer blob must name a version of a key in the same vault.')
  const key = live(call, 'keys', name)
  const version = versionIn('keys', key, id)
  if (version.kty !== 'RSA-HSM' || version.ops.join() !== 'import')
    throw badParameter("The key exchange key must be of type RSA-HSM and have 'import' as its only operation.")
  requireUsable(version, 'import', state.now())
  return { version, bytes: await state.bytesOf(key, version) }
}

/** @throws ApiError Forbidden unless the key is enabled and within its validity period */
export function requireUsable({ enabled, nbf, exp }: KeyVersion, operation: string, now: number): void {
  if (!enabled) throw forbidden(`Operation ${operation} is not allowed on a disabled key.`, 'KeyDisabled')
  if (nbf !== undefined && now < nbf * 1000)
    throw forbidden(`Operation ${operation} is not allowed on a key that is not yet valid.`, 'KeyNotYetValid')
  if (exp !== undefined && now >= exp * 1000)
    throw forbidden(`Operation ${operation} is not allowed on an expired key.`, 'KeyExpired')
}

/** @param crv curve of the key, if the request names one @throws ApiError BadParameter */
export function materialOf(kty: Kty, clear: Buffer, crv: string | undefined): Material {
  const { family } = KINDS[kty]
  if (family === 'oct') return { bytes: clear, bits: clear.length * 8 }
  const found =
    family === 'RSA'
      ? RSA_BITS.map((bits) => ({ bits, bytes: acceptPair({ family: 'rsa', modulusBits: bits }, clear) }))
      : Object.entries(CURVES).map(([name, { node }]) => ({
          crv: name,
          bytes: acceptPair({ family: 'ec', curve: node }, clear),
        }))
  const fit = found.find(({ bytes }) => bytes !== undefined)
  if (fit?.bytes === undefined) throw badParameter(`The wrapped key is not a private key of type ${kty} in PKCS #8.`)
  if (crv !== undefined && !('crv' in fit && fit.crv === crv))
    throw badParameter(`The wrapped key is not on the curve ${crv}.`)
  return { ...fit, bytes: fit.bytes }
}
