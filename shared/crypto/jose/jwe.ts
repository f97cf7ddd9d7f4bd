import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { fieldsOf, isObject, jsonOf } from '../../base/json.ts'
import { ciphertextInvalid } from '../aead.ts'
import { algorithmNamed } from '../algorithms.ts'
import { fewAtATime } from '../few-at-a-time.ts'
import { materialFromBytes, type Expected } from '../material/import-material.ts'
import { asKeyObject, pkcs8Of, type KeyMaterial } from '../key-material.ts'
import { isUnstructured } from '../object-types.ts'
import { PASSWORD_ROUNDS, ROUNDS_TAKEN } from '../material/pbes2.ts'
import { SecretBytes } from '../secret-bytes.ts'

/**
 * Key material as a JWK (RFC 7517) inside a compact JWE (RFC 7516). Ours: it always has a key encryption algorithm;
 * `dir`, ECDH-ES, RSA1_5 and compression are not accepted.
 */

/** The recipient of a JWE: a password or a key, which also opens it. */
export type JweKey =
  { readonly password: string } | { readonly key: KeyMaterial | KeyObject; readonly padding?: string | undefined }

/** `alg` by the size of an AES key in bytes. @see RFC 7518 §4.4 */
const AES: Readonly<Record<number, string>> = { 16: 'A128KW', 24: 'A192KW', 32: 'A256KW' }
/** `alg` by `wrapPublicKeyPadding`, the default first. @see RFC 7518 §4.3; the last two are registered by the W3C */
const RSA: Readonly<Record<string, string>> = {
  oaep256: 'RSA-OAEP-256',
  oaep: 'RSA-OAEP',
  oaep384: 'RSA-OAEP-384',
  oaep512: 'RSA-OAEP-512',
}
const RSA_ALGORITHMS = ['RSA-OAEP-256', 'RSA-OAEP', 'RSA-OAEP-384', 'RSA-OAEP-512'] as const
/** RFC 7518 §4.8. */
const PASSWORD = ['PBES2-HS256+A128KW', 'PBES2-HS384+A192KW', 'PBES2-HS512+A256KW'] as const
/** RFC 7518 §5.1. An export uses the first. */
const CONTENT = ['A256GCM', 'A192GCM', 'A128GCM', 'A256CBC-HS512', 'A192CBC-HS384', 'A128CBC-HS256']
const LEAST_RSA_BITS = 2_048

const broken = (sentence: string, cause?: unknown) => new Refusal('RULE_BROKEN', sentence, { cause })

interface Opener {
  readonly key: KeyObject | Uint8Array
  /** Allowed values of `alg`; an export uses the first. */
  readonly algorithms: readonly [string, ...string[]]
}

/** @throws Refusal RULE_BROKEN for a key, or a padding, without an `alg` */
function openerOf(by: JweKey): Opener {
  if ('password' in by) return { key: Buffer.from(by.password, 'utf8'), algorithms: PASSWORD }
  const isMaterial = 'bytes' in by.key
  const key = isMaterial ? asKeyObject(by.key) : by.key
  const algorithm = isMaterial ? by.key.algorithm : key.asymmetricKeyType
  if (algorithm === 'aes' && by.padding !== undefined) throw broken('wrapPublicKeyPadding goes with an RSA key')
  if (algorithm === 'aes') {
    const alg = AES[key.symmetricKeySize ?? 0]
    if (alg !== undefined) return { key, algorithms: [alg] }
  }
  if (algorithm !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_RSA_BITS)
    throw broken(
      `format jwe needs an AES key of 128, 192 or 256 bits, or an RSA key of at least ${LEAST_RSA_BITS} bits, to wrap with`,
    )
  return { key, algorithms: rsaAlgorithms(by.padding) }
}

function rsaAlgorithms(padding: string | undefined): Opener['algorithms'] {
  if (padding === undefined) return RSA_ALGORITHMS
  const alg = RSA[padding]
  if (alg === undefined)
    throw broken(`wrapPublicKeyPadding of format jwe must be one of ${Object.keys(RSA).join(', ')}`)
  return [alg]
}

/**
 * A compact JWE with A256GCM. Its header contains `alg`, `enc` and `cty`, under a password also `p2s` and `p2c`.
 * @throws Refusal RULE_BROKEN for a key without a JWK form, or one that cannot wrap; TOO_MANY_REQUESTS under a password
 */
export async function encryptJwe(material: KeyMaterial, by: JweKey): Promise<string> {
  const { key, algorithms } = openerOf(by)
  const clear = Buffer.from(JSON.stringify(jwkOf(material)), 'utf8')
  try {
    const header = { alg: algorithms[0], enc: 'A256GCM', cty: 'jwk+json' }
    const made = new CompactEncrypt(clear).setProtectedHeader(header)
    if (!('password' in by)) return await made.encrypt(publicHalf(key))
    return await fewAtATime(() => made.setKeyManagementParameters({ p2c: PASSWORD_ROUNDS }).encrypt(key))
  } finally {
    clear.fill(0)
  }
}

const publicHalf = (key: KeyObject | Uint8Array): KeyObject | Uint8Array =>
  'type' in key && key.type === 'private' ? createPublicKey(key) : key

function jwkOf(material: KeyMaterial): JsonWebKey {
  const { objectType, bytes } = material
  if (objectType === 'Certificate') throw broken('a Certificate cannot be exported in format jwe')
  if (isUnstructured(objectType)) return { kty: 'oct', k: bytes.use((clear) => clear.toString('base64url')) }
  try {
    return asKeyObject(material).export({ format: 'jwk' })
  } catch (cause) {
    throw broken('the curve of this key has no JWK form', cause)
  }
}

/**
 * The material inside a compact JWE.
 * @throws Refusal RULE_BROKEN for a header that is not accepted or a JWK that is not the expected key;
 * CIPHERTEXT_INVALID, the same for every other cause; TOO_MANY_REQUESTS under a password
 */
export async function materialFromJwe(text: string, by: JweKey, expected: Expected): Promise<KeyMaterial> {
  const { key, algorithms } = openerOf(by)
  requireHeader(text, algorithms)
  const open = async () =>
    compactDecrypt(text, key, {
      keyManagementAlgorithms: [...algorithms],
      contentEncryptionAlgorithms: CONTENT,
      maxPBES2Count: ROUNDS_TAKEN.most,
      maxDecompressedLength: 0,
    }).catch(() => {
      throw ciphertextInvalid()
    })
  const { plaintext } = await ('password' in by ? fewAtATime(open) : open())
  try {
    return await materialFromJwk(jsonOf(Buffer.from(plaintext).toString('utf8')), expected)
  } finally {
    plaintext.fill(0)
  }
}

function requireHeader(text: string, algorithms: readonly string[]): void {
  let header
  try {
    header = fieldsOf(decodeProtectedHeader(text))
  } catch (cause) {
    throw broken('material must be a compact JWE', cause)
  }
  const { alg, enc, zip, p2c } = header
  if (typeof alg !== 'string' || !algorithms.includes(alg))
    throw broken(`the alg of this JWE must be ${algorithms.join(' or ')}`)
  if (typeof enc !== 'string' || !CONTENT.includes(enc))
    throw broken(`the enc of a JWE must be ${CONTENT.join(' or ')}`)
  if (zip !== undefined) throw broken('a compressed JWE is not taken')
  const { least, most } = ROUNDS_TAKEN
  if (alg.startsWith('PBES2') && !(typeof p2c === 'number' && p2c >= least && p2c <= most))
    throw broken(`the p2c of a JWE must be between ${least} and ${most}`)
}

const notAKey = (cause?: unknown) => broken('the JWE does not contain the JWK of such a key', cause)

function materialFromJwk(jwk: unknown, from: Expected): Promise<KeyMaterial> {
  if (!isObject(jwk) || from.objectType === 'Certificate') throw notAKey()
  if (isUnstructured(algorithmNamed(from.algorithm ?? '').objectType) !== (jwk.kty === 'oct')) throw notAKey()
  return materialFromBytes({ ...from, format: undefined, bytes: jwk.kty === 'oct' ? octOf(jwk.k) : derOf(jwk) })
}

/** Strict base64url (RFC 7515 §2). */
function octOf(k: unknown): SecretBytes {
  const bytes = Buffer.from(typeof k === 'string' ? k : '', 'base64url')
  if (bytes.length > 0 && bytes.toString('base64url') === k) return SecretBytes.take(bytes)
  throw notAKey()
}

/**
 * DER of a private or public JWK. OpenSSL checks the members that it reads; an RSA key with more than two primes is not
 * accepted.
 */
function derOf(jwk: JsonWebKey): SecretBytes {
  if ('oth' in jwk) throw notAKey()
  try {
    const from = { key: jwk, format: 'jwk' } as const
    if ('d' in jwk || 'priv' in jwk) return pkcs8Of(createPrivateKey(from))
    return SecretBytes.take(createPublicKey(from).export({ format: 'der', type: 'spki' }))
  } catch (cause) {
    throw notAKey(cause)
  }
}
