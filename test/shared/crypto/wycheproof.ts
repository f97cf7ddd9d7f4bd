import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto'
import * as fs from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { decryptGcm, encryptGcm } from '../../../shared/crypto/aead.ts'
import type { KeyMaterial } from '../../../shared/crypto/key-material.ts'
import { decryptOaep } from '../../../shared/crypto/rsa/oaep.ts'
import { SecretBytes } from '../../../shared/crypto/secret-bytes.ts'
import { SIGNATURES, sign, verify, type SignatureName } from '../../../shared/crypto/signing/sign.ts'
import type { DigestName } from '../../../shared/crypto/signing/sign-digest.ts'
import { WRAPPINGS, unwrap, wrap, type WrappingRow } from '../../../shared/crypto/wrap.ts'
import { GROUPS, type Group } from '../../../shared/tls/groups.ts'

/** A vector and the members of its group, all of them texts or numbers. */
export interface Vector {
  readonly tcId: number
  readonly comment: string
  readonly result: 'valid' | 'invalid' | 'acceptable'
  readonly flags: readonly string[]
  readonly [member: string]: any
}

export type Outcome = 'accepted' | 'refused' | 'not offered'

/** A set of vectors, and how the service is asked about one. */
export interface VectorSet {
  readonly name: string
  readonly ask: (vector: Vector) => Outcome
}

const FOLDER = new URL('../../vectors/wycheproof/', import.meta.url)

/** The vectors of a set with the members of their groups. */
export function vectorsOf(name: string): readonly Vector[] {
  const { testGroups } = JSON.parse(gunzipSync(fs.readFileSync(new URL(`${name}.json.gz`, FOLDER))).toString()) as {
    testGroups: { tests: Vector[] }[]
  }
  return testGroups.flatMap(({ tests, ...group }) => tests.map((vector) => ({ ...group, ...vector })))
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex')

/** `accepted` if the work succeeds and returns true. */
function outcomeOf(work: () => boolean): Outcome {
  try {
    return work() ? 'accepted' : 'refused'
  } catch {
    return 'refused'
  }
}

/** AES-256-GCM with an iv of 12 bytes and a tag of 16. Both ways: decryption, and the same bytes from encryption. */
function gcm({ keySize, ivSize, tagSize, key, iv, aad, msg, ct, tag, result }: Vector): Outcome {
  if (keySize !== 256 || ivSize !== 96 || tagSize !== 128) return 'not offered'
  const outcome = outcomeOf(() =>
    decryptGcm(hex(key), { ciphertext: hex(ct), tag: hex(tag) }, hex(iv), hex(aad)).equals(hex(msg)),
  )
  if (result !== 'valid') return outcome
  const made = encryptGcm(hex(key), hex(msg), hex(iv), hex(aad))
  return made.ciphertext.equals(hex(ct)) && made.tag.equals(hex(tag)) ? outcome : 'refused'
}

const aes = (key: string): KeyMaterial => ({
  objectType: 'Symmetric Key',
  algorithm: 'aes',
  sizeBits: key.length * 4,
  bytes: SecretBytes.take(hex(key)),
})

/** Unwrapping, and the same bytes from wrapping. An empty text is no key, so it is not offered. */
const keyWrap =
  (row: WrappingRow) =>
  ({ key, msg, ct, result }: Vector): Outcome => {
    if (msg === '' && result !== 'invalid') return 'not offered'
    return outcomeOf(() => {
      const clear = unwrap(row, aes(key), hex(ct)).use((bytes) => bytes.toString('hex'))
      return clear === msg && wrap(row, aes(key), SecretBytes.take(hex(msg))).toString('hex') === ct
    })
  }

const privateKeyOf = ({ privateKeyPkcs8 }: Vector): KeyObject =>
  createPrivateKey({ key: hex(privateKeyPkcs8), format: 'der', type: 'pkcs8' })

/** RSA-OAEP without a label. */
const oaep =
  (hash: DigestName) =>
  (vector: Vector): Outcome =>
    vector.label === ''
      ? outcomeOf(() => decryptOaep(privateKeyOf(vector), hash, hex(vector.ct)).toString('hex') === vector.msg)
      : 'not offered'

/** RSAES-PKCS1-v1_5: a wrong padding results in other bytes. An empty text is no key, so it is not offered. */
function pkcs1(vector: Vector): Outcome {
  if (vector.msg === '' && vector.result !== 'invalid') return 'not offered'
  const unwrapped = (): string =>
    unwrap(WRAPPINGS.pkcs1, privateKeyOf(vector), hex(vector.ct)).use((bytes) => bytes.toString('hex'))
  return outcomeOf(() => unwrapped() === vector.msg)
}

/** Signatures under the public key of the group. @param offered whether the algorithm accepts its parameters */
const signature =
  (name: SignatureName, offered: (vector: Vector) => boolean = () => true) =>
  (vector: Vector): Outcome => {
    if (!offered(vector)) return 'not offered'
    const key = createPublicKey({ key: hex(vector.keyDer), format: 'der', type: 'spki' })
    return outcomeOf(() => verify(SIGNATURES[name], key, hex(vector.msg), hex(vector.sig)))
  }

/** Only Ed25519 of the two curves of the set. */
const isEd25519 = ({ key }: Vector): boolean => key.curve === 'edwards25519'

/** MACs in full length. Node cannot create an empty key. */
const mac =
  (name: SignatureName, bits: number) =>
  ({ key, msg, tag, tagSize, result }: Vector): Outcome => {
    if (tagSize !== bits) return 'not offered'
    const secret = createSecretKey(hex(key))
    if (result === 'valid' && sign(SIGNATURES[name], secret, hex(msg)).toString('hex') !== tag) return 'refused'
    return outcomeOf(() => verify(SIGNATURES[name], secret, hex(msg), hex(tag)))
  }

const groupOf = (id: number): Group => {
  const group = GROUPS.find((each) => each.id === id)
  if (group === undefined) throw new Error(`No group ${id}`)
  return group
}

/** The key exchange of TLS, with the private key of the vector. */
function x25519({ public: share, private: scalar, shared }: Vector): Outcome {
  const pkcs8 = Buffer.concat([hex('302e020100300506032b656e04220420'), hex(scalar)])
  const own = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  return outcomeOf(() => groupOf(0x001d).agree(hex(share), own).secret.toString('hex') === shared)
}

/** The key exchange of TLS with a new private key: whether it accepts the other's point. */
const p256Point = ({ public: point }: Vector): Outcome =>
  outcomeOf(() => groupOf(0x0017).agree(hex(point)).secret.length === 32)

const oaepSets = [
  ['2048_sha1_mgf1sha1', 'sha1'],
  ['2048_sha256_mgf1sha256', 'sha256'],
  ['2048_sha384_mgf1sha384', 'sha384'],
  ['2048_sha512_mgf1sha512', 'sha512'],
  ['3072_sha256_mgf1sha256', 'sha256'],
  ['3072_sha512_mgf1sha512', 'sha512'],
  ['4096_sha256_mgf1sha256', 'sha256'],
  ['4096_sha512_mgf1sha512', 'sha512'],
] as const
const pssSets = [
  ['2048_sha256_mgf1_32', 'sha256'],
  ['3072_sha256_mgf1_32', 'sha256'],
  ['4096_sha256_mgf1_32', 'sha256'],
] as const
const rsaSets = [
  ['2048_sha256', 'sha256'],
  ['2048_sha384', 'sha384'],
  ['2048_sha512', 'sha512'],
  ['3072_sha384', 'sha384'],
  ['3072_sha512', 'sha512'],
  ['4096_sha384', 'sha384'],
  ['4096_sha512', 'sha512'],
] as const
const ecdsaSets = [
  ['secp256r1_sha256', 'sha256'],
  ['secp384r1_sha384', 'sha384'],
  ['secp521r1_sha512', 'sha512'],
  ['secp256k1_sha256', 'sha256'],
] as const

export const SETS: readonly VectorSet[] = [
  { name: 'aes_gcm', ask: gcm },
  { name: 'kw', ask: keyWrap(WRAPPINGS['AES/AESKEYWRAP']) },
  { name: 'kwp', ask: keyWrap(WRAPPINGS['AES/AESKEYWRAPPADDING']) },
  ...oaepSets.map(([name, hash]): VectorSet => ({ name: `rsa_oaep_${name}`, ask: oaep(hash) })),
  { name: 'rsa_pkcs1_2048', ask: pkcs1 },
  { name: 'rsa_pkcs1_3072', ask: pkcs1 },
  ...pssSets.map(([name, hash]): VectorSet => ({ name: `rsa_pss_${name}`, ask: signature(`rsa-pss-${hash}`) })),
  ...rsaSets.map(([name, hash]): VectorSet => ({ name: `rsa_signature_${name}`, ask: signature(`rsa-pkcs1-${hash}`) })),
  ...ecdsaSets.flatMap(([name, hash]): VectorSet[] => [
    { name: `ecdsa_${name}`, ask: signature(`ecdsa-${hash}`) },
    { name: `ecdsa_${name}_p1363`, ask: signature(`ecdsa-${hash}-p1363`) },
  ]),
  { name: 'eddsa', ask: signature('ed25519', isEd25519) },
  { name: 'hmac_sha1', ask: mac('hmac-sha1', 160) },
  { name: 'hmac_sha256', ask: mac('hmac-sha256', 256) },
  { name: 'hmac_sha384', ask: mac('hmac-sha384', 384) },
  { name: 'hmac_sha512', ask: mac('hmac-sha512', 512) },
  { name: 'x25519', ask: x25519 },
  { name: 'ecdh_secp256r1_ecpoint', ask: p256Point },
]
