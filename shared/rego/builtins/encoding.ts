import { text as regoText } from '../text.ts'
import { RegoObject, typeName } from '../value.ts'
import { BuiltinError, OperandError } from './builtin.ts'
import type { FunctionBuiltin } from './builtin.ts'
import { STANDARD, URL_SAFE, URL_SAFE_UNPADDED, decodeBase64, decodeBase64Url, encodeBase64 } from './base64.ts'
import type { Base64 } from './base64.ts'
import { allowText, allowValues, chargeCharacters } from './charging.ts'
import { quoted } from './go-quote.ts'
import { readJson } from './json-read.ts'
import { writeJson } from './json-write.ts'
import type { Indentation } from './json-write.ts'
import { elementsOf, mustBe, objectOperand, stringOperand } from './operands.ts'
import { decodeQuery, encodeQuery, parseQuery } from './url-query.ts'
import { readable, unmarshal, validity } from './reading.ts'

type Evaluate = FunctionBuiltin['evaluate']

/** Maps a text to a text in one pass; the result is at most nine times as long. */
const mapText =
  (map: (text: string) => string): Evaluate =>
  (operands, context) => {
    const text = stringOperand(operands, 1)
    chargeCharacters(context, text.length)
    if (text.length > context.limits.stringUnits) allowText(context, text.length)
    const mapped = readable(() => map(text))
    allowText(context, mapped.length)
    return mapped
  }

/** Ours: bytes that are not UTF-8 become U+FFFD, since strings here are text. */
const decoded = (text: string, alphabet: Base64): string => decodeBase64(text, alphabet).toString('utf8')

const encoded =
  (alphabet: Base64): ((text: string) => string) =>
  (text) =>
    encodeBase64(Buffer.from(text, 'utf8'), alphabet)

function decodeHex(text: string): string {
  const wrong = /[^0-9a-fA-F]/u.exec(text)?.[0]
  if (wrong !== undefined) {
    const [byte = 0] = Buffer.from(wrong)
    const code = byte.toString(16).toUpperCase().padStart(4, '0')
    throw new BuiltinError(`encoding/hex: invalid byte: U+${code} '${String.fromCharCode(byte)}'`)
  }
  if (text.length % 2 === 1) throw new BuiltinError('encoding/hex: odd length hex string')
  return Buffer.from(text, 'hex').toString('utf8')
}

const QUERY_VALUES = 'values must be string, array[string], or set[string]'

const encodeQueryObject: Evaluate = (operands, context) => {
  const object = objectOperand(operands, 1)
  const pairs = Array.from(object.entries()).flatMap(([key, value]) => {
    const name = encodeQuery(typeof key === 'string' ? key : writeJson(key, context))
    const values = typeof value === 'string' ? [value] : elementsOf(value)
    if (values === undefined) throw new OperandError(1, QUERY_VALUES)
    return values.map((one): [string, string] => {
      if (typeof one !== 'string') throw new OperandError(1, QUERY_VALUES)
      chargeCharacters(context, name.length + one.length)
      return [name, encodeQuery(one)]
    })
  })
  const text = pairs.map(([name, value]) => `${name}=${value}`).join('&')
  allowText(context, text.length)
  return text
}

const decodeQueryObject: Evaluate = (operands, context) => {
  const text = stringOperand(operands, 1)
  chargeCharacters(context, text.length)
  const found = readable(() => parseQuery(text))
  allowValues(
    context,
    Array.from(found.values()).reduce((total, values) => total + values.length + 1, 0),
    text.length,
  )
  return RegoObject.from(found)
}

/** `pretty` decides; if it is absent, an indent or a prefix means that the text is indented. */
const marshalWithOptions: Evaluate = (operands, context) => {
  const options = objectOperand(operands, 2)
  let prefix = ''
  let indent = '\t'
  let pretty: boolean | undefined
  Array.from(options.entries()).forEach(([key, value], index) => {
    const optionText = (): string => {
      if (typeof value === 'string') return value
      throw new OperandError(
        2,
        `key ${regoText(key)} failed cast to string: operand ${index} ${mustBe('string', value)}`,
      )
    }
    if (key === 'prefix') prefix = optionText()
    else if (key === 'indent') indent = optionText()
    else if (key === 'pretty') {
      if (typeof value !== 'boolean') throw new OperandError(2, `key ${regoText(key)} failed cast to bool`)
      pretty = value
    } else if (typeof key === 'string') throw new OperandError(2, `object contained unknown key ${quoted(key)}`)
    else
      throw new OperandError(
        2,
        `failed to stringify key ${regoText(key)} at index ${index}: operand ${index} must be string but got ${typeName(key)}`,
      )
  })
  const isPretty = pretty ?? (options.has('prefix') || options.has('indent'))
  const indentation: Indentation | undefined = isPretty ? { prefix, indent } : undefined
  const text = writeJson(operands[0] ?? null, context, indentation)
  return isPretty ? prefix + text : text
}

export const ENCODING: readonly FunctionBuiltin[] = [
  { name: 'base64.encode', arity: 1, evaluate: mapText(encoded(STANDARD)) },
  { name: 'base64.decode', arity: 1, evaluate: mapText((text) => decoded(text, STANDARD)) },
  { name: 'base64.is_valid', arity: 1, evaluate: validity((text) => decodeBase64(text, STANDARD)) },
  { name: 'base64url.encode', arity: 1, evaluate: mapText(encoded(URL_SAFE)) },
  { name: 'base64url.encode_no_pad', arity: 1, evaluate: mapText(encoded(URL_SAFE_UNPADDED)) },
  { name: 'base64url.decode', arity: 1, evaluate: mapText((text) => decodeBase64Url(text).toString('utf8')) },
  { name: 'hex.encode', arity: 1, evaluate: mapText((text) => Buffer.from(text, 'utf8').toString('hex')) },
  { name: 'hex.decode', arity: 1, evaluate: mapText(decodeHex) },
  { name: 'urlquery.encode', arity: 1, evaluate: mapText(encodeQuery) },
  { name: 'urlquery.decode', arity: 1, evaluate: mapText(decodeQuery) },
  { name: 'urlquery.encode_object', arity: 1, evaluate: encodeQueryObject },
  { name: 'urlquery.decode_object', arity: 1, evaluate: decodeQueryObject },
  { name: 'json.marshal', arity: 1, evaluate: ([value = null], context) => writeJson(value, context) },
  { name: 'json.marshal_with_options', arity: 2, evaluate: marshalWithOptions },
  { name: 'json.unmarshal', arity: 1, evaluate: unmarshal(readJson) },
  { name: 'json.is_valid', arity: 1, evaluate: validity(readJson) },
]
