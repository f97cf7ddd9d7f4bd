import * as z from 'zod'
import { strictObject } from '../../base/lazy-fields.ts'
import { byName } from '../../base/fields.ts'
import { Time } from '../common-fields.ts'
import { hintAt, listNames } from '../answer/nearest.ts'
import { isPattern } from './patterns.ts'

/**
 * Schemas of query parameters. Each receives the list of values of one name, so each declares whether it may repeat
 * (`state=Active&state=Deactivated` or comma-separated: either value matches).
 */
const single = z
  .array(z.string())
  .min(1)
  .refine((values) => values.length === 1, { error: 'must be given once' })
  .transform((values) => values[0] ?? '')

/** One value, unchanged. */
export const oneText = (schema: z.ZodType<string, string> = z.string().max(1_024)) =>
  single.pipe(schema).meta({ query: { type: 'string' } })

/** Several values, any of which may match. */
export const anyText = (schema: z.ZodType<string, string> = z.string().min(1).max(1_024)) =>
  z
    .array(z.string())
    .transform((values) => values.flatMap((value) => value.split(',')))
    .pipe(z.array(schema).min(1).max(100))
    .meta({ query: { type: 'array', items: { type: 'string' } } })

/** Ours: every row of a list is compared with every pattern, so their number and length are bounded. */
const STARS_MOST = 3
const PATTERN_CHARACTERS = 256

const starsIn = (text: string): number => text.split('*').length - 1

const STARS_RULE = `must have at most ${STARS_MOST} * in a pattern`
const PATTERN_WORDS = '* matches any characters, ? matches one'

/** One pattern in the body of a search. */
export const Pattern = z
  .string()
  .min(1)
  .max(PATTERN_CHARACTERS)
  .refine((value) => starsIn(value) <= STARS_MOST, { error: STARS_RULE })
  .meta({ description: PATTERN_WORDS })

/** Several values, any of which may match; `*` in a value matches any number of characters, `?` one. */
export const anyPattern = () =>
  anyText()
    .refine((values) => values.every((value) => starsIn(value) <= STARS_MOST), { error: STARS_RULE })
    .refine((values) => values.filter(isPattern).join('').length <= PATTERN_CHARACTERS, {
      error: `must have at most ${PATTERN_CHARACTERS} characters in patterns`,
    })
    .meta({
      query: { type: 'array', items: { type: 'string' }, description: PATTERN_WORDS },
    })
/** Filters by patterns, each with several alternatives. */
export const anyPatterns = <const N extends string>(...names: readonly N[]) =>
  byName(names, () => anyPattern().optional())

const optionalText = () => anyText().optional()
/** Filters by text, each with several alternatives. */
export const anyTexts = <const N extends string>(...names: readonly N[]) => byName(names, () => optionalText())

export const anyOf = <const V extends readonly string[]>(values: V) =>
  z
    .array(z.string())
    .transform((given) => given.flatMap((value) => value.split(',')))
    .pipe(z.array(z.enum(values)).min(1))
    .meta({ query: { type: 'array', items: { type: 'string', enum: [...values] } } })

export const oneOf = <const V extends readonly [string, ...string[]]>(values: V) =>
  single.pipe(z.enum(values)).meta({ query: { type: 'string', enum: [...values] } })

export const flag = () =>
  single
    .pipe(z.enum(['true', 'false'], { error: 'must be true or false' }))
    .transform((value) => value === 'true')
    .meta({ query: { type: 'boolean' } })

export const integer = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  single
    .pipe(z.string().regex(/^-?\d{1,15}$/, { error: 'must be a whole number' }))
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ query: { type: 'integer', minimum: min, ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }) } })

export const time = () => single.pipe(Time).meta({ query: { type: 'string', format: 'date-time' } })

const LIMIT_DEFAULT = 10
export const LIMIT_MOST = 1_000

const LIMIT_WORDS = `larger than ${LIMIT_MOST} is cut to it, and -1 means it; lower in the answer where the records would exceed 6 MB`

/** `limit`: 1 to 1000; larger values are cut to 1000, -1 means 1000, 0 and other negatives are refused. */
const limit = single
  .pipe(z.string().regex(/^(-1|[1-9]\d{0,14})$/, { error: 'must be a whole number from 1, or -1 for 1000' }))
  .transform((value) => (value === '-1' ? LIMIT_MOST : Math.min(Number(value), LIMIT_MOST)))
  .meta({
    query: {
      type: 'integer',
      minimum: -1,
      not: { const: 0 },
      default: LIMIT_DEFAULT,
      description: LIMIT_WORDS,
    },
  })

export interface SortTerm {
  readonly by: string
  readonly descending: boolean
}

/** Ours: maximum number of sort properties, each of which is compared in turn. */
const TERMS_MOST = 10

/** `sort`: comma-separated property names, a leading `-` for descending. */
const sortTerms = (names: readonly string[]) =>
  z.string().transform((value, context): SortTerm[] => {
    const terms = value.split(',')
    const refuse = (message: string): void => context.addIssue({ code: 'custom', message, input: value })
    if (terms.length > TERMS_MOST) refuse(`must name at most ${TERMS_MOST} properties`)
    return terms.slice(0, TERMS_MOST).map((term) => {
      const by = term.replace(/^-/, '')
      if (!names.includes(by)) refuse(`must name properties among ${listNames(names)}${hintAt(by, names)}`)
      return { by, descending: term.startsWith('-') }
    })
  })

/** The names are in the answer's schema. Repeating them here made the API description a twentieth longer. */
const sortWords = (alsoBy: readonly string[] = []): string =>
  ['up to ten properties with one value, comma-separated, - before one for descending', ...alsoBy].join('; also ')
const sortBy = (names: readonly string[], alsoBy: readonly string[]) =>
  single.pipe(sortTerms(names)).meta({ query: { type: 'string', description: sortWords(alsoBy) } })

const SCALARS: readonly string[] = ['string', 'number', 'int', 'boolean', 'enum', 'literal']
const WRAPPERS = [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodReadonly]

function isScalar(schema: z.core.$ZodType): boolean {
  for (const wrapper of WRAPPERS) if (schema instanceof wrapper) return isScalar(schema.unwrap())
  return SCALARS.includes(schema._zod.def.type)
}

/** Single-valued properties of a resource, by which every list of it can be sorted. */
export function propertiesOf(resource: z.ZodType): string[] {
  if (!(resource instanceof z.ZodObject)) throw new Error('A list is of objects')
  const shape: Readonly<Record<string, z.core.$ZodType>> = resource.shape
  return Object.keys(shape).filter((name) => {
    const schema = shape[name]
    return schema !== undefined && isScalar(schema)
  })
}

/** Names by which a list of a resource can be sorted. */
const sortsOf = (resource: z.ZodType, alsoBy: readonly string[] = []): string[] => [
  ...new Set(['createdAt', ...propertiesOf(resource), ...alsoBy]),
]

/**
 * The query of a list: window, order, creation dates and the resource's own filters. Unknown names are refused.
 * @param resource schema of the resource in answers: a list can be sorted by its properties
 * @param alsoBy further sort fields of its list rows
 */
export const listQuery = <F extends z.ZodRawShape>(
  resource: z.ZodType,
  filters: () => F,
  alsoBy: readonly string[] = [],
) =>
  strictObject(() => ({
    skip: integer(0).default(0),
    limit: limit.default(LIMIT_DEFAULT),
    sort: sortBy(sortsOf(resource, alsoBy), alsoBy).optional(),
    createdBefore: time().optional(),
    createdAfter: time().optional(),
    ...filters(),
  }))

/** The same as the body of a search: window, order, creation dates and its own fields. */
export const listBody = <F extends z.ZodRawShape>(resource: z.ZodType, fields: () => F) =>
  strictObject(() => ({
    skip: z.int().min(0).default(0),
    limit: z
      .int()
      .min(-1)
      .refine((limit) => limit !== 0, { error: 'must be a whole number from 1, or -1 for 1000' })
      .transform((limit) => (limit === -1 ? LIMIT_MOST : Math.min(limit, LIMIT_MOST)))
      .default(LIMIT_DEFAULT)
      .meta({ description: LIMIT_WORDS }),
    sort: sortTerms(sortsOf(resource)).optional().meta({ description: sortWords() }),
    createdBefore: Time.optional(),
    createdAfter: Time.optional(),
    ...fields(),
  }))

export interface ListQuery {
  readonly skip: number
  readonly limit: number
  readonly sort?: readonly SortTerm[] | undefined
  readonly createdBefore?: string | undefined
  readonly createdAfter?: string | undefined
}

/** The query of a list whose records are found by name or id. */
export const namedQuery = (resource: z.ZodType) =>
  listQuery(resource, () => ({ ...anyPatterns('name'), ...anyTexts('id') }))
