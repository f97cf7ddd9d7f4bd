import { counted } from '../../base/counted.ts'
import type * as z from 'zod'
import { isObject } from '../../base/json.ts'
import { hintAt, listNames } from './nearest.ts'

type RawIssue = Parameters<z.core.$ZodErrorMap>[0]

const A_TYPE: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const A_FORMAT: Readonly<Record<string, string>> = {
  guid: 'a GUID, such as 01234567-89ab-cdef-0123-456789abcdef',
  uuid: 'an id, such as 01890a5d-ac96-774b-bcce-b302099a8057',
  datetime: 'a time, such as 2030-01-31T12:00:00Z',
  date: 'a date, such as 2030-01-31',
  email: 'an email address, such as one@example.com',
  url: 'an address, such as https://example.com',
  base64: 'Base64',
  base64url: 'Base64 for URLs',
}

const COUNTED: Readonly<Record<string, string>> = { string: 'character', array: 'member', set: 'member' }

function bound(least: 'least' | 'most', origin: string, value: number | bigint): string {
  const noun = COUNTED[origin]
  return noun === undefined ? `must be at ${least} ${value}` : `must have at ${least} ${counted(Number(value), noun)}`
}

function aFormat({ format, pattern }: { readonly format: string; readonly pattern?: string | undefined }): string {
  if (A_FORMAT[format] !== undefined) return `must be ${A_FORMAT[format]}`
  return format === 'regex' && pattern !== undefined ? `must match ${pattern}` : `must be of the form ${format}`
}

/** The messages of a union's variants on the value itself, joined. */
function eitherOf(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const said = errors.flatMap((issues) => issues.filter(({ path }) => path.length === 0).map(({ message }) => message))
  return said.length === 0 ? 'has a member that does not fit' : [...new Set(said)].join(', or ')
}

/** The declared fields of the object that an issue was found in. */
function fieldsOf({ inst }: RawIssue): string[] {
  const def = (inst as z.core.$ZodType | undefined)?._zod.def
  return def !== undefined && 'shape' in def && isObject(def.shape) ? Object.keys(def.shape) : []
}

const fieldsBeside = new WeakMap<readonly string[], readonly string[]>()

/**
 * The message of an error for which its schema has no message, without the value; it follows the name of the field. It
 * replaces zod's message.
 */
export const faultWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys') {
    fieldsBeside.set(issue.keys, fieldsOf(issue))
    return 'has unknown fields'
  }
  if (issue.input === undefined && issue.code !== 'custom') return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${A_TYPE[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return bound('least', issue.origin, issue.minimum)
    case 'too_big':
      return bound('most', issue.origin, issue.maximum)
    case 'invalid_format':
      return aFormat(issue)
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_union':
      return eitherOf(issue.errors)
    case 'invalid_key':
      return `has a name that does not fit: it ${issue.issues.map(({ message }) => message).join(', ')}`
    default:
      return 'does not fit'
  }
}

/** The declared fields beside unknown ones. @param keys the very array of the issue */
export const knownBeside = (keys: readonly string[]): readonly string[] => fieldsBeside.get(keys) ?? []

/**
 * Ours: number of unknown fields that a refusal compares with the declared ones; only for the first one, it lists the
 * declared fields.
 */
const COMPARED_MOST = 10

/**
 * The messages for unknown fields or parameters: the nearest declared name, and the declared names.
 * @param known the declared ones
 */
export function unknownWords(keys: readonly string[], of: string, known: readonly string[]): string[] {
  const all = known.length === 0 ? ', which takes none' : `; there are ${listNames(known)}`
  return keys.map((key, at) => {
    if (at >= COMPARED_MOST) return `is not a ${of}`
    return `is not a ${of}${hintAt(key, known)}${at === 0 ? all : ''}`
  })
}
