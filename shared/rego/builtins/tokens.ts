import { RegoObject } from '../value.ts'
import type { Value } from '../value.ts'
import { BuiltinError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin } from './builtin.ts'
import { URL_SAFE_UNPADDED, encodeBase64 } from './base64.ts'
import { allowText } from './charging.ts'
import type { Evaluations } from './deferred.ts'
import { JsonSyntaxError, readJson } from './json-read.ts'
import { writeJson } from './json-write.ts'
import { objectOperand, stringOperand } from './operands.ts'
import { TOKEN_ALGORITHMS, fits, signs } from './token-algorithms.ts'
import { checkToken, verifyToken } from './token-check.ts'
import { signingKey } from './token-keys.ts'
import { decodeHeader, decodePayload, decodeSection, objectIn, splitToken } from './token-parts.ts'
import { trimEnd, trimStart } from './trimming.ts'

const isQuote = (character: string): boolean => character === '"' || character === "'"

type Evaluate = FunctionBuiltin['evaluate']

/**
 * Header, payload and the signature in hexadecimal; nothing is verified. For a token in a token, those of the inner
 * one.
 */
function decode(value: Value, context: BuiltinContext): Value {
  const token = splitToken(value, context)
  const header = decodeHeader(token, context)
  const payload = decodePayload(token)
  if (header.get('cty') === 'JWT') return decode(trimEnd(trimStart(payload, isQuote), isQuote), context)
  const claims = objectIn(payload, context)
  const signature = decodeSection(token.signature, 'signature').toString('hex')
  context.allocate(4, signature.length)
  return [header, claims, signature]
}

const decodeVerify: Evaluate = (operands, context) => {
  const checked = checkToken(operands[0] ?? null, objectOperand(operands, 2), context)
  return checked === undefined ? [false, RegoObject.EMPTY, RegoObject.EMPTY] : [true, ...checked]
}

const verifying =
  (name: string): Evaluate =>
  (operands, context) => {
    const algorithm = TOKEN_ALGORITHMS.get(name)
    if (algorithm === undefined) throw new Error(`no row for ${name}`)
    stringOperand(operands, 1)
    return verifyToken(operands[0] ?? null, stringOperand(operands, 2), algorithm, context)
  }

/** Header and payload are put into the token byte for byte as given. */
function encodeSign(headers: string, payload: string, keyText: string, context: BuiltinContext): string {
  const key = signingKey(keyText, context)
  const header = headersOf(headers, context)
  const name = header.get('alg')
  if (typeof name !== 'string') throw new BuiltinError(`missing or invalid 'alg' header: jwsbb: header "alg" not found`)
  const algorithm = TOKEN_ALGORITHMS.get(name)
  if (algorithm === undefined) throw new BuiltinError(`unknown JWS algorithm: ${name}`)
  const type = header.get('typ')
  if ((typeof type !== 'string' || type === 'JWT') && !isJson(payload, context))
    throw new BuiltinError('type is JWT but payload is not JSON')
  if (!fits(key, algorithm)) throw new BuiltinError(`the key does not fit ${name}`)
  context.charge(1_000)
  allowText(context, 2 * (headers.length + payload.length))
  const encode = (text: string): string => encodeBase64(Buffer.from(text, 'utf8'), URL_SAFE_UNPADDED)
  const signed = `${encode(headers)}.${encode(payload)}`
  return `${signed}.${encodeBase64(signs(key, algorithm, signed), URL_SAFE_UNPADDED)}`
}

function headersOf(text: string, context: BuiltinContext): RegoObject {
  const fail = (why: string): never => {
    throw new BuiltinError(`missing or invalid 'alg' header: cannot parse JSON: ${why}`)
  }
  if (text === '') return fail('cannot parse empty string')
  try {
    const headers = readJson(text, context)
    return headers instanceof RegoObject ? headers : fail('not an object')
  } catch (error) {
    if (error instanceof JsonSyntaxError) return fail(error.message)
    throw error
  }
}

function isJson(text: string, context: BuiltinContext): boolean {
  try {
    readJson(text, context)
    return true
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false
    throw error
  }
}

const encodeSignValues: Evaluate = ([headers = null, payload = null, key = null], context) =>
  encodeSign(writeJson(headers, context), writeJson(payload, context), writeJson(key, context), context)

const encodeSignRaw: Evaluate = (operands, context) => {
  const key = stringOperand(operands, 3)
  return encodeSign(stringOperand(operands, 1), stringOperand(operands, 2), key, context)
}

export const TOKENS = {
  'io.jwt.decode': ([token = null], context) => decode(token, context),
  'io.jwt.decode_verify': decodeVerify,
  'io.jwt.verify_hs256': verifying('HS256'),
  'io.jwt.verify_hs384': verifying('HS384'),
  'io.jwt.verify_hs512': verifying('HS512'),
  'io.jwt.verify_rs256': verifying('RS256'),
  'io.jwt.verify_rs384': verifying('RS384'),
  'io.jwt.verify_rs512': verifying('RS512'),
  'io.jwt.verify_ps256': verifying('PS256'),
  'io.jwt.verify_ps384': verifying('PS384'),
  'io.jwt.verify_ps512': verifying('PS512'),
  'io.jwt.verify_es256': verifying('ES256'),
  'io.jwt.verify_es384': verifying('ES384'),
  'io.jwt.verify_es512': verifying('ES512'),
  'io.jwt.verify_eddsa': verifying('EdDSA'),
  'io.jwt.encode_sign': encodeSignValues,
  'io.jwt.encode_sign_raw': encodeSignRaw,
} satisfies Evaluations
