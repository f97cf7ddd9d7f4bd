import { constants, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { DerError, TAG, der, dottedOf, memberAt, membersOf, oid, readDer } from '../asn1/der.ts'
import type { Der } from '../asn1/der.ts'
import { spkiOf } from '../public-half.ts'
import { requireRsaPublic } from '../rsa/rsa-numbers.ts'
import { bitString, bytesOfBits, sequence } from './encoding.ts'

/*
 * The structure common to requests, certificates, lists and answers: SEQUENCE { content, algorithm, signature }, with RSA
 * (PKCS #1) or ECDSA and SHA-2, or Ed25519, which hashes by itself.
 * @see RFC 5280 §4.1.1, RFC 4055 §5, RFC 5758 §3.2, RFC 8410 §3
 */

type Hash = 'sha256' | 'sha384' | 'sha512' | 'none'
interface Algorithm {
  readonly type: 'rsa' | 'ec' | 'ed25519'
  readonly hash: Hash
  readonly id: string
}

const ALGORITHMS: readonly Algorithm[] = [
  { type: 'rsa', hash: 'sha256', id: '1.2.840.113549.1.1.11' },
  { type: 'rsa', hash: 'sha384', id: '1.2.840.113549.1.1.12' },
  { type: 'rsa', hash: 'sha512', id: '1.2.840.113549.1.1.13' },
  { type: 'ec', hash: 'sha256', id: '1.2.840.10045.4.3.2' },
  { type: 'ec', hash: 'sha384', id: '1.2.840.10045.4.3.3' },
  { type: 'ec', hash: 'sha512', id: '1.2.840.10045.4.3.4' },
  { type: 'ed25519', hash: 'none', id: '1.3.101.112' },
]

const CURVES: ReadonlyMap<string, Hash> = new Map([
  ['prime256v1', 'sha256'],
  ['secp384r1', 'sha384'],
  ['secp521r1', 'sha512'],
])
const [RSA_LEAST, RSA_MOST] = [2048, 4096]

/** The hash for a key's size; undefined for a key that cannot be certified. */
function hashFor({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Hash | undefined {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {}
  if (asymmetricKeyType === 'ed25519') return 'none'
  if (asymmetricKeyType === 'ec') return CURVES.get(namedCurve)
  if (asymmetricKeyType !== 'rsa' || modulusLength < RSA_LEAST || modulusLength > RSA_MOST) return undefined
  if (modulusLength < 3072) return 'sha256'
  return modulusLength < 4096 ? 'sha384' : 'sha512'
}

/** Whether an EC key names its curve: explicit parameters may differ in one number. @see RFC 5480 §2.1.1 */
function namesCurve(publicKey: KeyObject): boolean {
  const [algorithm] = membersOf(readDer(spkiOf(publicKey), TAG.sequence))
  return algorithm !== undefined && membersOf(algorithm)[1]?.tag === TAG.oid
}

/** Whether a key is of a kind and size that can be certified. Its numbers are not checked. */
export const isOfCertifiedKind = (publicKey: KeyObject): boolean =>
  hashFor(publicKey) !== undefined && (publicKey.asymmetricKeyType !== 'ec' || namesCurve(publicKey))

/** RSA of 2048 to 4096 bits with sound numbers, P-256, P-384, P-521 or Ed25519. @throws Refusal RULE_BROKEN, TOO_MANY_REQUESTS */
export async function requireCertifiable(publicKey: KeyObject): Promise<void> {
  if (!isOfCertifiedKind(publicKey))
    throw new Refusal(
      'RULE_BROKEN',
      'the key must be RSA of 2048 to 4096 bits, EC on P-256, P-384 or P-521, or Ed25519',
    )
  if (publicKey.asymmetricKeyType === 'rsa') await requireRsaPublic(publicKey)
}

/** AlgorithmIdentifier: with a NULL for RSA, without parameters for the others. */
const identifierOf = ({ type, id }: Algorithm): Buffer => sequence(oid(id), ...(type === 'rsa' ? [der(TAG.null)] : []))

function algorithmFor(key: KeyObject): Algorithm {
  const hash = hashFor(key)
  const algorithm = ALGORITHMS.find(({ type, hash: other }) => type === key.asymmetricKeyType && hash === other)
  if (algorithm === undefined) throw new TypeError('a key that signs no certificates')
  return algorithm
}

/** AlgorithmIdentifier of the signatures of `key`; certificates and lists contain it a second time. */
export const signingAlgorithm = (key: KeyObject): Buffer => identifierOf(algorithmFor(key))

const digestOf = (hash: Hash): string | null => (hash === 'none' ? null : hash)

const signatureBy = (hash: Hash, content: Buffer, key: KeyObject): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const padding = key.asymmetricKeyType === 'rsa' ? { padding: constants.RSA_PKCS1_PADDING } : {}
    sign(digestOf(hash), content, { key, ...padding }, (error, signature) =>
      error ? reject(error) : resolve(signature),
    )
  })

/** Content, algorithm and signature, without their SEQUENCE. @param key private, of a kind that can be certified */
export async function signedParts(content: Buffer, key: KeyObject): Promise<Buffer[]> {
  const algorithm = algorithmFor(key)
  return [content, identifierOf(algorithm), bitString(await signatureBy(algorithm.hash, content, key))]
}

export const signed = async (content: Buffer, key: KeyObject): Promise<Buffer> =>
  sequence(...(await signedParts(content, key)))

export interface SignedContent {
  readonly content: Der
  /** as dotted object identifier */
  readonly algorithm: string
  readonly signature: Buffer
}

/** @throws DerError */
export function readSigned(bytes: Buffer): SignedContent {
  const members = membersOf(readDer(bytes, TAG.sequence))
  const algorithm = membersOf(memberAt(members, 1, TAG.sequence))
  const [, parameters, ...more] = algorithm
  const id = dottedOf(memberAt(algorithm, 0, TAG.oid))
  const isNull = parameters?.tag === TAG.null && parameters.body.length === 0
  const known = ALGORITHMS.find((one) => one.id === id)
  if (members.length !== 3 || more.length > 0) throw new DerError('not signed content')
  if (known !== undefined && parameters !== undefined && !(known.type === 'rsa' && isNull))
    throw new DerError('parameters of an algorithm that has none')
  return {
    content: memberAt(members, 0, TAG.sequence),
    algorithm: id,
    signature: bytesOfBits(memberAt(members, 2, TAG.bitString)),
  }
}

/**
 * Whether `publicKey`, of a kind that can be certified, created the signature. @throws Refusal RULE_BROKEN for an
 * algorithm other than those of this file
 */
export function isSignedWith({ content, algorithm, signature }: SignedContent, publicKey: KeyObject): boolean {
  const known = ALGORITHMS.find(({ id }) => id === algorithm)
  if (known === undefined)
    throw new Refusal(
      'RULE_BROKEN',
      'the signature must be RSA (PKCS #1) or ECDSA, with SHA-256, SHA-384 or SHA-512, or Ed25519',
    )
  if (known.type !== publicKey.asymmetricKeyType || hashFor(publicKey) === undefined) return false
  const padding = known.type === 'rsa' ? { padding: constants.RSA_PKCS1_PADDING } : {}
  return verify(digestOf(known.hash), content.whole, { key: publicKey, ...padding }, signature)
}
