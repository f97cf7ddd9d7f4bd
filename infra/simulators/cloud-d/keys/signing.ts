import { hash } from 'node:crypto'
import { DIGEST_BYTES, isSignatureOver, signatureOver } from '../../toolkit/digest-signatures.ts'
import type { DigestHash, DigestScheme } from '../../toolkit/digest-signatures.ts'
import { privateKeyOf } from '../../toolkit/key-pairs.ts'
import { requiredBytes, requiredText, wordAt } from '../wire/body.ts'
import type { Call } from '../wire/call.ts'
import type { Reply } from '../wire/reply.ts'
import { invalid } from '../wire/errors.ts'
import { usable } from './usable.ts'

const MESSAGE_BYTES = 4_096
const ALGORITHM = /^(?:SHA_(256|384|512)_RSA_PKCS(1_V1_5|_PSS)|ECDSA_SHA_(256|384|512))$/

interface Scheme {
  readonly name: string
  readonly family: 'RSA' | 'ECDSA'
  readonly scheme: DigestScheme
  readonly hash: DigestHash
}

/** @throws ApiError MissingParameter, InvalidParameter. Ours: signatures with SHA-224 are not supported. */
function schemeIn({ body }: Call): Scheme {
  const name = requiredText(body, 'signingAlgorithm')
  const [isKnown, rsaBits, padding, ecBits] = ALGORITHM.exec(name) ?? []
  const digest = (['sha256', 'sha384', 'sha512'] as const).find((each) => each === `sha${String(rsaBits ?? ecBits)}`)
  if (isKnown === undefined || digest === undefined) throw invalid('signingAlgorithm is not served.')
  if (padding === undefined) return { name, family: 'ECDSA', scheme: 'ecdsa', hash: digest }
  return { name, family: 'RSA', scheme: padding === '_PSS' ? 'rsa-pss' : 'rsa-pkcs1', hash: digest }
}

/** Key, algorithm and digest of a request. @throws ApiError */
async function asked(call: Call) {
  const scheme = schemeIn(call)
  const message = requiredBytes(call.body, 'message')
  if (message.length > MESSAGE_BYTES) throw invalid(`message must have at most ${MESSAGE_BYTES} bytes.`)
  const isDigest = wordAt(call.body, 'messageType', ['RAW', 'DIGEST']) === 'DIGEST'
  const digest = isDigest ? message : hash(scheme.hash, message, 'buffer')
  if (digest.length !== DIGEST_BYTES[scheme.hash]) throw invalid('message is no digest of this algorithm.')
  const { key, version } = usable(call)
  if (key.shape.algorithm !== scheme.family) throw invalid(`${scheme.name} does not fit the key.`)
  return { key, version, scheme, digest, pair: privateKeyOf(await call.state.bytesOf(key, version)) }
}

export async function sign(call: Call): Promise<Reply> {
  const { key, version, scheme, digest, pair } = await asked(call)
  const signature = signatureOver(scheme.scheme, pair, digest, scheme.hash).toString('base64')
  return { body: { keyId: key.id, keyVersionId: version.id, signature, signingAlgorithm: scheme.name } }
}

export async function verify(call: Call): Promise<Reply> {
  const signature = requiredBytes(call.body, 'signature')
  const { scheme, digest, pair } = await asked(call)
  return { body: { isSignatureValid: isSignatureOver(scheme.scheme, pair, digest, scheme.hash, signature) } }
}
