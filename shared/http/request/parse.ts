import * as z from 'zod'
import { isObject, REPLACEMENT, type Fields, fieldsOf } from '../../base/json.ts'
import { Refusal, type BrokenField } from '../../base/errors.ts'
import { faultWords, knownBeside, unknownWords } from '../answer/fault-words.ts'
import { flag } from '../lists/list-query.ts'
import { rulesOf, type Rule } from '../rules.ts'
import type { HttpEvent } from './call.ts'

const BODY_BYTES = 1_048_576
/** Ours: maximum size of a body without a token, so that anonymous callers cannot slow down the others. */
const ANONYMOUS_BODY_BYTES = 65_536
/** Ours: maximum depth of a body: declared bodies have a few levels, free JSON may have this many. */
const BODY_DEPTH = 32

/** One error of a request, and whether its status is 400 (shape) or 422 (rule). */
interface Fault {
  readonly field: BrokenField
  readonly shape: boolean
}

/** JSON pointer as a URI fragment. @see RFC 6901 §6 */
const pointerTo = (path: readonly PropertyKey[]): string =>
  `#${path.map((part) => `/${escaped(String(part))}`).join('')}`

/**
 * Ours: a caller's own field names are repeated up to this length, so that callers cannot inflate answers and records.
 */
const NAME_CHARACTERS = 64

const escaped = (name: string): string =>
  encodeURIComponent(Array.from(name).slice(0, NAME_CHARACTERS).join('').replaceAll('~', '~0').replaceAll('/', '~1'))

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, part) => (typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined), value)

/** Whether an issue is a shape error: a wrong type or an unknown field. A missing field or a broken rule is not. */
function isShape(issue: z.core.$ZodIssue, input: unknown): boolean {
  if (issue.code === 'unrecognized_keys') return true
  if (issue.code === 'invalid_type') return valueAt(input, issue.path) !== undefined
  if (issue.code === 'invalid_value') {
    const value = valueAt(input, issue.path)
    return value !== undefined && typeof value !== typeof issue.values[0]
  }
  return (
    issue.code === 'invalid_union' &&
    issue.errors.every((errors) => errors.some((inner) => isShape(inner, valueAt(input, issue.path))))
  )
}

function bodyFaults(error: z.ZodError, input: unknown): Fault[] {
  return error.issues.flatMap((issue, at) => {
    const shape = isShape(issue, input)
    if (at >= NAMED_MOST) return [{ field: { pointer: '#', detail: '' }, shape }] // counted alone
    if (issue.code !== 'unrecognized_keys')
      return [{ field: { pointer: pointerTo(issue.path), detail: issue.message }, shape }]
    const keys = issue.keys.slice(0, NAMED_MOST)
    const words = unknownWords(keys, 'field of this body', knownBeside(issue.keys))
    return keys.map((key, at) => ({
      field: { pointer: pointerTo([...issue.path, key]), detail: words[at] ?? '' },
      shape,
    }))
  })
}

/** States how to find the id of a record; `undefined` for other parameters. */
export type IdHint = (parameter: string) => string | undefined

function parameterFaults(error: z.ZodError, hint: IdHint = () => undefined): Fault[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const keys = issue.keys.slice(0, NAMED_MOST)
      const words = unknownWords(keys, 'parameter of this call', knownBeside(issue.keys))
      return keys.map((parameter, at) => ({ field: { parameter, detail: words[at] ?? '' }, shape: true }))
    }
    const parameter = String(issue.path[0] ?? '')
    const found = issue.code === 'invalid_format' ? hint(parameter) : undefined
    const detail = found === undefined ? issue.message : `${issue.message}; ${found}`
    return [{ field: { parameter, detail }, shape: true }]
  })
}

/** The query as lists of values by name. Invalid UTF-8 becomes U+FFFD, as in URLSearchParams. */
export function queryOf(rawQueryString: string): Record<string, string[]> {
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(rawQueryString))
    values.set(name, [...(values.get(name) ?? []), value])
  return Object.fromEntries(values)
}

/**
 * Refuses JSON that schemas need not handle: excessive depth, `__proto__`, numbers that overflow, and lone surrogates
 * (RFC 7493 §2.1), which neither the table nor a pointer can represent.
 */
function assertSane(value: unknown, depth = 0): void {
  if (typeof value === 'string' && !value.isWellFormed())
    throw new Refusal('BODY_INVALID', 'The body has a text that is not valid Unicode.')
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Refusal('BODY_INVALID', 'The body has a number that is too large.')
  if (typeof value !== 'object' || value === null) return
  if (depth > BODY_DEPTH) throw new Refusal('BODY_INVALID', `The body nests deeper than ${BODY_DEPTH} levels.`)
  if (Object.hasOwn(value, '__proto__')) throw new Refusal('BODY_INVALID', 'The body has a field named __proto__.')
  if (!Object.keys(value).every((name) => name.isWellFormed()))
    throw new Refusal('BODY_INVALID', 'The body has a field whose name is not valid Unicode.')
  for (const member of Object.values(value)) assertSane(member, depth + 1)
}

/** Ours: the values in a body of a caller without a token; each of them may be a fault that takes its time. */
const ANONYMOUS_VALUES = 1_000

/** The values in a body, counted no further than `most`. */
function valuesIn(value: unknown, most: number): number {
  let count = 1
  if (typeof value !== 'object' || value === null) return count
  for (const member of Object.values(value)) {
    if (count > most) return count
    count += valuesIn(member, most - count)
  }
  return count
}

/** Texts that may contain a number which JavaScript changes: one of 16 digits, or with an exponent. */
const MAY_CHANGE = /\d{16}|\d[eE][+-]?\d|\d\.\d{15}/

const DECIMAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** A number without the freedom of its notation: its digits and the place of the last one, such as `12 -1` for 1.20. */
function canonical(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1 // a pattern would take the square of the time
  const significant = digits.slice(0, end)
  if (significant === '') return '0'
  return `${significant} ${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/** Ours: refuses a number that parsing would change silently. In `meta` and other free JSON, send it as a text. */
function exact(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const { source = '' } = context ?? {}
  const isChanged =
    typeof value === 'number' && Number.isFinite(value) && canonical(source) !== canonical(String(value))
  if (isChanged)
    throw new Refusal(
      'BODY_INVALID',
      `The body has the number ${source.slice(0, 40)}, which JSON readers change: send it as a text.`,
    )
  return value
}

function parseJson(text: string): unknown {
  try {
    return MAY_CHANGE.test(text) ? JSON.parse(text, exact) : JSON.parse(text)
  } catch (cause) {
    if (cause instanceof Refusal) throw cause
    throw new Refusal('BODY_INVALID', 'The body is not valid JSON.', {
      cause: new Error(cause instanceof RangeError ? 'too deep' : 'syntax'),
    })
  }
}

const notUtf8 = (): Refusal =>
  new Refusal('BODY_INVALID', 'The body is not valid UTF-8, or has U+FFFD, which JSON can escape as \\ufffd.')

/** The media type of a form, in place of JSON: the standards of such calls allow no other. */
export const FORM = 'application/x-www-form-urlencoded'

/** Media types of bodies: text and bytes beside JSON, and forms only. */
export type Taken = 'text/plain' | 'application/ocsp-request' | typeof FORM

/** Their names in refusals. */
const ALSO = { 'text/plain': 'a text', 'application/ocsp-request': 'bytes' } as const

/** The fields of a form. @throws Refusal BODY_INVALID for a field that is given twice. @see RFC 6749 §3.2 */
function formOf(text: string): Record<string, string> {
  const fields = [...new URLSearchParams(text)]
  const names = new Set(fields.map(([name]) => name))
  if (names.size < fields.length) throw new Refusal('BODY_INVALID', 'The form has a field twice.')
  if (names.has('__proto__')) throw new Refusal('BODY_INVALID', 'The body has a field named __proto__.')
  return Object.fromEntries(fields)
}

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i
const unescaped = (text: string): string => new URLSearchParams(`v=${text}`).get('v') ?? ''

/**
 * A form with the client that the request names in HTTP Basic, as fields. Both parts are encoded as in a form.
 * @throws Refusal BODY_INVALID for a form that names a client as well
 * @see RFC 6749 §2.3.1
 */
function withClient(form: Record<string, string>, authorization: string | undefined): Record<string, string> {
  const given = BASIC.exec(authorization ?? '')?.[1]
  const [id, ...secret] = Buffer.from(given ?? '', 'base64')
    .toString()
    .split(':')
  if (given === undefined || id === undefined || secret.length === 0) return form
  const client = { client_id: unescaped(id), client_secret: unescaped(secret.join(':')) }
  if (form.client_secret !== undefined || (form.client_id ?? client.client_id) !== client.client_id)
    throw new Refusal(
      'BODY_INVALID',
      'The client is named in the header Authorization and in the form: one of them is enough.',
    )
  return { ...form, ...client }
}

/** Refuses a body by the length of its text, which is at most that of its bytes, before it is decoded. */
function assertSize({ body = '', isBase64Encoded }: HttpEvent, most: number): void {
  const least = isBase64Encoded ? Math.floor((body.length * 3) / 4) - 2 : body.length
  if (least > most) throw tooLarge(most)
}

const tooLarge = (most: number): Refusal => new Refusal('TOO_LARGE', `A body may have ${most} bytes at most.`)

/**
 * The body: JSON, an unchanged text, a form, or bytes in base64.
 * @throws Refusal MEDIA_TYPE_UNSUPPORTED, TOO_LARGE, BODY_INVALID
 */
function bodyOf(event: HttpEvent, { takes, isAnonymous, body: schema }: Shapes): unknown {
  const most = isAnonymous === true ? ANONYMOUS_BODY_BYTES : BODY_BYTES
  assertSize(event, most)
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > most) throw tooLarge(most)
  if (bytes.length === 0) return undefined
  const type = (event.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const isText = type === takes
  if (!isText && (takes === FORM || type !== 'application/json')) {
    if (takes === FORM) throw new Refusal('MEDIA_TYPE_UNSUPPORTED', `The body must be a form: ${FORM}.`)
    const also = takes === undefined ? '' : `, or ${ALSO[takes]}: ${takes}`
    throw new Refusal('MEDIA_TYPE_UNSUPPORTED', `The body must be JSON: Content-Type application/json${also}.`)
  }
  if (isText && takes === 'application/ocsp-request') return bytes.toString('base64')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw notUtf8()
  }
  if (text.includes(REPLACEMENT)) throw notUtf8()
  if (isText) return takes === FORM ? withClient(formOf(text), event.headers.authorization) : text
  const body = parseJson(text)
  assertFewUnknown(body, schema)
  assertSane(body)
  if (isAnonymous === true && valuesIn(body, ANONYMOUS_VALUES) > ANONYMOUS_VALUES)
    throw new Refusal('BODY_INVALID', `Without a token, a body may have ${ANONYMOUS_VALUES} values at most.`)
  return body
}

/** Ours: a body with too many unknown fields is refused before the rest of it is checked. */
function assertFewUnknown(body: unknown, schema: z.ZodType | undefined): void {
  if (!isObject(body) || !(schema instanceof z.ZodObject) || !(schema.def.catchall instanceof z.ZodNever)) return
  const unknown: string[] = []
  let count = 0
  for (const name in body) if (!Object.hasOwn(schema.shape, name) && ++count <= NAMED_MOST) unknown.push(name)
  if (count < NAMED_MOST) return
  const words = unknownWords(unknown, 'field of this body', Object.keys(schema.shape))
  const faults = unknown.map((key, at) => ({
    field: { pointer: pointerTo([key]), detail: words[at] ?? '' },
    shape: true,
  }))
  throw refusalOf(faults, count)
}

const DryRunQuery = z.object({ dry_run: flag() })

export interface Shapes {
  readonly path: z.ZodType
  readonly query: z.ZodType
  readonly body: z.ZodType | undefined
  /** whether `dry_run` is a parameter as well */
  readonly offersDryRun?: boolean
  /** @see Declaration.takes */
  readonly takes?: Taken | undefined
  /** whether callers need no token */
  readonly isAnonymous?: boolean
}

const WORDS = { error: faultWords }

/**
 * Checks the whole request against its declaration and stores the parsed parts in the call.
 * @param hint how the ids in its path can be found
 * @throws Refusal that names every invalid field: 400 if any has the wrong shape or is in path or query, else 422
 */
export function parse(event: HttpEvent, shapes: Shapes, hint?: IdHint): void {
  const { call } = event
  // `concat` joins lists of any length: as arguments of `push`, 100,000 errors would overflow the stack
  let faults: Fault[] = []
  const path = shapes.path.safeParse(event.pathParameters ?? {}, WORDS)
  if (path.success) call.path = path.data
  else faults = faults.concat(parameterFaults(path.error, hint))
  const { dry_run: dryRun, ...asked } = queryOf(event.rawQueryString)
  const isOther = dryRun !== undefined && shapes.offersDryRun !== true
  const query = shapes.query.safeParse(isOther ? { dry_run: dryRun, ...asked } : asked, WORDS)
  if (query.success) call.query = query.data
  else faults = faults.concat(parameterFaults(query.error))
  if (dryRun !== undefined && !isOther) {
    const isDryRun = DryRunQuery.safeParse({ dry_run: dryRun }, WORDS)
    if (isDryRun.success) call.isDryRun = isDryRun.data.dry_run
    else faults = faults.concat(parameterFaults(isDryRun.error))
  }
  const given = bodyOf(event, shapes)
  if (shapes.body) {
    const input: unknown = given === undefined ? {} : given
    const body = shapes.body.safeParse(input, WORDS)
    if (body.success) call.body = body.data
    else faults = faults.concat(bodyFaults(body.error, input))
    if (typeof input === 'object' && input !== null)
      faults = faults.concat(ruleFaults(rulesOf(shapes.body), fieldsOf(input)))
  } else if (given !== undefined && !isEmptyObject(given))
    faults.push({ field: { pointer: '#', detail: 'this call takes no body' }, shape: true })
  if (faults.length > 0) throw refusalOf(faults)
}

/** Checks rules of the input, even if it has other errors. */
function ruleFaults(rules: readonly Rule[], input: Fields, within: readonly string[] = []): Fault[] {
  return rules.flatMap(({ broken, field, message }) => {
    const found = broken(input)
    if (found === false) return []
    const pointer = pointerTo([...within, ...field.split('/')])
    return [{ field: { pointer, detail: found === true ? message : found }, shape: false }]
  })
}

/**
 * Checks rules on fields that are not a request's body: a changed record, or a body with its defaults.
 * @param within field of the body that contains them
 * @throws Refusal RULE_BROKEN that names every error
 */
export function assertRules(rules: readonly Rule[], fields: object, ...within: readonly string[]): void {
  const faults = ruleFaults(rules, fieldsOf(fields), within)
  if (faults.length > 0) throw refusalOf(faults)
}

const isEmptyObject = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0

/** Ours: a refusal lists this many errors, and states their total number. */
const NAMED_MOST = 100
const DESCRIBED_MOST = 10

/** A field and its error, as one sentence; the message of a rule between fields may name its field itself. */
function described({ field }: Fault): string {
  const name = 'pointer' in field ? field.pointer : field.parameter
  const last = name.slice(name.lastIndexOf('/') + 1)
  const repeats = field.detail.startsWith(`${last} `)
  return repeats ? `${name}${field.detail.slice(last.length)}` : `${name} ${field.detail}`
}

/** @param count number of all faults; `faults` may contain only the first ones */
function refusalOf(faults: readonly Fault[], count = faults.length): Refusal {
  const reason = faults.some(({ shape }) => shape) ? 'BODY_INVALID' : 'RULE_BROKEN'
  const said = faults.slice(0, DESCRIBED_MOST).map(described)
  const more = count > DESCRIBED_MOST ? `; …, ${count} faults in all` : ''
  return new Refusal(reason, `${said.join('; ')}${more}.`, {
    errors: faults.slice(0, NAMED_MOST).map(({ field }) => field),
  })
}
