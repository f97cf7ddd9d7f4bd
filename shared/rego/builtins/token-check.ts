import { fromDouble } from '../json.ts'
import { toDouble } from '../number.ts'
import { text as regoText } from '../text.ts'
import { compare, isArray, isNumber } from '../value.ts'
import type { RegoObject, Value } from '../value.ts'
import { BuiltinError } from './builtin.ts'
import type { BuiltinContext } from './builtin.ts'
import { TOKEN_ALGORITHMS, verifies } from './token-algorithms.ts'
import type { TokenAlgorithm } from './token-algorithms.ts'
import { publicKeys } from './token-keys.ts'
import type { NamedKey } from './token-keys.ts'
import { checkHeader, decodeHeader, decodePayload, decodeSection, objectIn, splitToken } from './token-parts.ts'
import type { EncodedToken, TokenHeader } from './token-parts.ts'

/** A signature check costs about this many steps, and counts as one check. */
const CHECK_STEPS = 1_000

/** Counts a check of a signature. @throws LimitError past `signatureChecks` in one evaluation */
function countCheck(context: BuiltinContext): void {
  const checks = context.remember('signature checks', () => ({ done: 0 }))
  checks.done += 1
  if (checks.done > context.limits.signatureChecks) context.exceed('too many signature checks')
  context.charge(CHECK_STEPS)
}

/**
 * Whether one of the keys verifies the token: the key named in the header if it exists, otherwise any key that is not
 * for another algorithm.
 */
export function verifiedBy(
  keys: readonly NamedKey[],
  algorithm: TokenAlgorithm,
  header: TokenHeader,
  token: EncodedToken,
  signature: Buffer,
  context: BuiltinContext,
): boolean {
  const named = header.kid === '' ? undefined : keys.find(({ kid }) => kid === header.kid)
  const tried = named === undefined ? keys.filter(({ alg }) => alg === '' || alg === header.alg) : [named]
  return tried.some(({ key }) => {
    countCheck(context)
    return verifies(key, algorithm, token.signed, signature)
  })
}

/** Constraints on a token; an empty string is no constraint. */
interface Constraints {
  readonly keys: readonly NamedKey[]
  readonly alg: string
  readonly iss: string
  readonly aud: string
  /** nanoseconds since 1970 */
  readonly time: number
}

const CONSTRAINTS = ['cert', 'secret', 'alg', 'iss', 'aud', 'time']

function constraintsOf(object: RegoObject, context: BuiltinContext): Constraints {
  for (const name of object.keys)
    if (typeof name !== 'string' || !CONSTRAINTS.includes(name))
      throw new BuiltinError(`unknown token validation constraint: ${typeof name === 'string' ? name : regoText(name)}`)
  const text = (name: string): string => {
    const value = object.get(name) ?? ''
    if (typeof value !== 'string') throw new BuiltinError(`${name} constraint: must be a string`)
    return value
  }
  const [alg, aud, iss, secret] = [text('alg'), text('aud'), text('iss'), text('secret')]
  const keys = object.has('cert') ? publicKeys(text('cert'), context) : undefined
  const time = object.get('time') ?? fromDouble(Number(context.now))
  if (!isNumber(time)) throw new BuiltinError('token time constraint: must be a number')
  if (toDouble(time) < 0) throw new BuiltinError('token time constraint: must not be negative')
  if (keys !== undefined && secret !== '') throw new BuiltinError('duplicate key constraints')
  if (keys === undefined && secret === '') throw new BuiltinError('no key constraint')
  return {
    keys: keys ?? [{ key: { bytes: Buffer.from(secret, 'utf8') }, alg: '', kid: '' }],
    alg,
    aud,
    iss,
    time: toDouble(time),
  }
}

/**
 * Decodes a token, through nested ones to the innermost, and checks signatures, header and claims.
 * @returns header and payload; undefined if a check failed
 * @throws BuiltinError for a malformed token
 */
export function checkToken(
  value: Value,
  constraintObject: RegoObject,
  context: BuiltinContext,
): readonly [header: RegoObject, payload: RegoObject] | undefined {
  const constraints = constraintsOf(constraintObject, context)
  for (let encoded = value; ;) {
    const token = splitToken(encoded, context)
    const header = decodeHeader(token, context)
    const checked = checkHeader(header)
    if (!checked.valid || (constraints.alg !== '' && constraints.alg !== checked.alg)) return undefined
    const signature = decodeSection(token.signature)
    const algorithm = TOKEN_ALGORITHMS.get(checked.alg)
    if (algorithm === undefined) return undefined
    if (!verifiedBy(constraints.keys, algorithm, checked, token, signature, context)) return undefined
    const payload = decodePayload(token)
    if (checked.cty.toUpperCase() === 'JWT') {
      encoded = payload
      continue
    }
    const claims = objectIn(payload, context)
    return meets(claims, constraints) ? [header, claims] : undefined
  }
}

/** The registered claims of RFC 7519, section 4.1. A token for an audience needs a constraint that names it, and vice versa. */
function meets(claims: RegoObject, { iss, aud, time }: Constraints): boolean {
  if (iss !== '' && claims.get('iss') !== iss) return false
  const audience = claims.get('aud')
  const audiences = audience === undefined ? [''] : isArray(audience) ? audience : [audience]
  if (!audiences.includes(aud)) return false
  const now = fromDouble(time / 1e9)
  const [expires, notBefore] = [claimedTime(claims, 'exp'), claimedTime(claims, 'nbf')]
  return (
    (expires === undefined || compare(now, expires) < 0) && (notBefore === undefined || compare(now, notBefore) >= 0)
  )
}

function claimedTime(claims: RegoObject, name: string): Value | undefined {
  const time = claims.get(name)
  if (time !== undefined && !isNumber(time)) throw new BuiltinError(`${name} value must be a number`)
  return time
}

/**
 * Whether a token's signature is valid with `algorithm`, whatever its claims; the header's own algorithm only selects
 * keys.
 */
export function verifyToken(
  value: Value,
  keyText: string,
  algorithm: TokenAlgorithm,
  context: BuiltinContext,
): boolean {
  const token = splitToken(value, context)
  if (algorithm.family === 'hmac') {
    countCheck(context)
    return verifies({ bytes: Buffer.from(keyText, 'utf8') }, algorithm, token.signed, decodeSection(token.signature))
  }
  const keys = publicKeys(keyText, context)
  const signature = decodeSection(token.signature)
  return verifiedBy(keys, algorithm, checkHeader(decodeHeader(token, context)), token, signature, context)
}
