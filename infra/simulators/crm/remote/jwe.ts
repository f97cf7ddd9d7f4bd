import { constants, createDecipheriv, privateDecrypt, type KeyObject } from 'node:crypto'
import { isObject, type Body } from '../wire/body.ts'
import { FetchFault, type FetchProblem } from './fetch-fault.ts'

/** The required content of the answer to a callout. */
export interface Expected {
  readonly keyId: string
  /** Nonce of the callout; absent without replay detection. */
  readonly requestId: string | undefined
  readonly wrappingKey: KeyObject
}

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const PART = /^[A-Za-z0-9_-]+$/

function must(holds: boolean, problem: FetchProblem): asserts holds {
  if (!holds) throw new FetchFault(problem)
}

function orFault<T>(work: () => T, problem: FetchProblem): T {
  try {
    return work()
  } catch (error) {
    throw new FetchFault(problem, { cause: error })
  }
}

/** The key in an answer, which the platform reads strictly. @throws FetchFault */
export function openAnswer(text: string, expected: Expected): Buffer {
  must(text !== '', 'EMPTY_RESPONSE')
  const { kid, jwe } = objectIn(text, 'MALFORMED_JSON_RESPONSE', ['jwe', 'kid'])
  must(kid === expected.keyId, 'INCORRECT_KEYID_IN_JSON')
  must(typeof jwe === 'string', 'MALFORMED_JSON_RESPONSE')
  const parts = jwe.split('.')
  must(parts.length === 5 && parts.every((part) => PART.test(part)), 'MALFORMED_JWE_RESPONSE')
  const [header = '', ...rest] = parts
  checkHeader(objectIn(Buffer.from(header, 'base64url').toString('utf8'), 'MALFORMED_JWE_RESPONSE'), expected)
  return decrypt(
    header,
    rest.map((part) => Buffer.from(part, 'base64url')),
    expected.wrappingKey,
  )
}

/** @param names the exact members; default: any */
function objectIn(text: string, problem: FetchProblem, names?: readonly string[]): Body {
  const value = orFault((): unknown => JSON.parse(text), problem)
  must(isObject(value), problem)
  must(names === undefined || Object.keys(value).sort().join() === names.join(), problem)
  return value
}

function checkHeader(header: Body, { keyId, requestId }: Expected): void {
  must(header.alg === 'RSA-OAEP', 'INCORRECT_ALGORITHM_IN_JWE_HEADER')
  must(header.enc === 'A256GCM', 'INCORRECT_ENCRYPTION_ALGORITHM_IN_JWE_HEADER')
  must(header.kid === keyId, 'INCORRECT_KEYID_IN_JWE_HEADER')
  must(requestId === undefined || header.jti === requestId, 'POTENTIAL_REPLAY_ATTACK_DETECTED')
  const names = ['alg', 'enc', ...(requestId === undefined ? [] : ['jti']), 'kid']
  must(Object.keys(header).sort().join() === names.join(), 'ILLEGAL_PARAMETERS_IN_JWE_HEADER')
}

function decrypt(header: string, parts: readonly Buffer[], wrappingKey: KeyObject): Buffer {
  const [wrapped, iv, ciphertext, tag] = parts
  must(wrapped !== undefined && iv !== undefined && ciphertext !== undefined, 'MALFORMED_JWE_RESPONSE')
  must(iv.length === IV_BYTES && tag?.length === TAG_BYTES, 'MALFORMED_JWE_RESPONSE')
  const padding = { key: wrappingKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }
  const contentKey = orFault(() => privateDecrypt(padding, wrapped), 'MALFORMED_CONTENT_ENCRYPTION_KEY')
  must(contentKey.length === KEY_BYTES, 'MALFORMED_CONTENT_ENCRYPTION_KEY')
  const key = orFault(() => {
    const decipher = createDecipheriv('aes-256-gcm', contentKey, iv)
    decipher.setAAD(Buffer.from(header, 'ascii')).setAuthTag(tag)
    return Buffer.concat([decipher.update(ciphertext), decipher.final()])
  }, 'MALFORMED_DATA_ENCRYPTION_KEY')
  must(key.length === KEY_BYTES, 'INCORRECT_DATA_ENCRYPTION_KEY_SIZE')
  return key
}
