import { X509Certificate, createPrivateKey, createPublicKey } from 'node:crypto'
import type { JsonWebKey, KeyObject } from 'node:crypto'
import { RegoObject, isArray } from '../value.ts'
import type { Value } from '../value.ts'
import { BuiltinError } from './builtin.ts'
import type { BuiltinContext } from './builtin.ts'
import { JsonSyntaxError, readJson } from './json-read.ts'
import { TOKEN_ALGORITHMS } from './token-algorithms.ts'
import type { TokenKey } from './token-algorithms.ts'

/** A key with the members of its key set; absent ones are empty. */
export interface NamedKey {
  readonly key: TokenKey
  readonly alg: string
  readonly kid: string
}

/** Parsing a key costs about this many steps. */
const KEY_STEPS = 500

/** Longest key or set of keys. */
const MAX_KEY_UNITS = 65_536

interface PemBlock {
  readonly type: string
  /** whether anything but a line end follows */
  readonly trailing: boolean
}

/**
 * The first PEM block of a text. Its markers are searched for separately: an expression with both would take quadratic
 * time in crafted texts.
 */
function pemBlock(text: string): PemBlock | undefined {
  const begin = text.indexOf('-----BEGIN ')
  const type = /^-----BEGIN ([A-Z0-9 ]{1,64})-----\r?\n/.exec(text.slice(begin, begin + 128))?.[1]
  if (begin < 0 || type === undefined) return undefined
  const mark = `-----END ${type}-----`
  const end = text.indexOf(mark, begin)
  return end < 0 ? undefined : { type, trailing: !/^[ \t]{0,64}\r?\n?$/.test(text.slice(end + mark.length)) }
}

/**
 * The public keys (or secrets) in a PEM certificate, a PEM public key, a JWK or a JWK set. Keys of a set for unknown
 * algorithms are skipped.
 * @throws BuiltinError for anything else
 */
export function publicKeys(text: string, context: BuiltinContext): readonly NamedKey[] {
  context.charge(KEY_STEPS)
  if (text.length > MAX_KEY_UNITS) return context.exceed('a key is too long')
  const block = pemBlock(text)
  if (block === undefined)
    return keySet(text, context)
      .map((jwk) => ({ ...namesOf(jwk), key: publicKeyOf(jwk) }))
      .filter(isKnown)
  if (block.trailing) throw new BuiltinError('extra data after a PEM certificate block')
  return [{ alg: '', kid: '', key: pemKey(text, block.type) }]
}

function pemKey(pem: string, type: string): KeyObject {
  try {
    if (type === 'CERTIFICATE') return new X509Certificate(pem).publicKey
    if (type === 'PUBLIC KEY') return createPublicKey(pem)
  } catch {
    // The library's message about the encoding would not help a policy's author.
    throw new BuiltinError(`failed to parse a PEM ${type === 'CERTIFICATE' ? 'certificate' : 'public key'}`)
  }
  throw new BuiltinError('failed to extract a Key from the PEM certificate')
}

const isKnown = ({ alg }: NamedKey): boolean => alg === '' || TOKEN_ALGORITHMS.has(alg)

/** The JWKs in a text: one, or the keys of a set. @throws BuiltinError */
function keySet(text: string, context: BuiltinContext): readonly RegoObject[] {
  const document = jsonOf(text, context)
  const keys = document.get('keys')
  if (keys === undefined) return [document]
  if (!isArray(keys)) throw unreadable()
  context.charge(KEY_STEPS * keys.length)
  return keys.map((key) => {
    if (key instanceof RegoObject) return key
    throw unreadable()
  })
}

const unreadable = (): BuiltinError => new BuiltinError('failed to parse a JWK key (set): not a key')

function jsonOf(text: string, context: BuiltinContext): RegoObject {
  try {
    const document = readJson(text, context)
    if (document instanceof RegoObject) return document
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
  }
  throw unreadable()
}

const textOf = (value: Value | undefined): string => (typeof value === 'string' ? value : '')

const namesOf = (jwk: RegoObject): Omit<NamedKey, 'key'> => ({
  alg: textOf(jwk.get('alg')),
  kid: textOf(jwk.get('kid')),
})

const PUBLIC_MEMBERS = ['kty', 'n', 'e', 'crv', 'x', 'y'] as const
const PRIVATE_MEMBERS = [...PUBLIC_MEMBERS, 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const

function members(jwk: RegoObject, names: readonly string[]): JsonWebKey {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = jwk.get(name)
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

function publicKeyOf(jwk: RegoObject): TokenKey {
  if (jwk.get('kty') === 'oct') return secretOf(jwk)
  try {
    return createPublicKey({ key: members(jwk, PUBLIC_MEMBERS), format: 'jwk' })
  } catch {
    throw unreadable()
  }
}

function secretOf(jwk: RegoObject): TokenKey {
  const secret = jwk.get('k')
  if (typeof secret !== 'string' || !/^[A-Za-z0-9_-]+$/.test(secret)) throw unreadable()
  return { bytes: Buffer.from(secret, 'base64url') }
}

/** The first key of a JWK or set, for signing. @throws BuiltinError */
export function signingKey(text: string, context: BuiltinContext): TokenKey {
  context.charge(KEY_STEPS)
  const [jwk] = keySet(text, context)
  if (jwk === undefined) throw new BuiltinError('no keys found in JWK set')
  if (jwk.get('kty') === 'oct') return secretOf(jwk)
  try {
    return createPrivateKey({ key: members(jwk, PRIVATE_MEMBERS), format: 'jwk' })
  } catch {
    throw unreadable()
  }
}
