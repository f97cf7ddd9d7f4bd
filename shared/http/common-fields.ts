import * as z from 'zod'
import { USER_ID } from '../base/ids.ts'
import { object } from '../base/lazy-fields.ts'

/**
 * A time with another offset as the same time in UTC, without fractions beyond milliseconds; any other text unchanged.
 */
function inUtc(text: string): string {
  const ms = text.endsWith('Z') ? NaN : Date.parse(text)
  return Number.isNaN(ms) ? text : new Date(ms).toISOString()
}

/**
 * RFC 3339. A time in UTC is stored as received, with or without fractional seconds; one with an offset is converted to
 * UTC when it is read, so that the order of texts is the order of times.
 */
export const Time = z.iso
  .datetime({ offset: true })
  .max(40)
  .overwrite(inUtc)
  .refine((text) => !/^[+-]/.test(text), { error: 'must be in the years 0000 to 9999 of UTC' })

const FORBIDDEN_IN_NAMES = /[\u0000-\u001f\u007f-\u009f<>\\]/
export const NAME_RULE = '1 to 255 characters, without control characters, <, > and \\'

/** A unique name, compared case-sensitively. */
export const Name = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => !FORBIDDEN_IN_NAMES.test(name) && name.isWellFormed(), { error: `must have ${NAME_RULE}` })
  .meta({ description: NAME_RULE })

/** Free text, such as a description or a message. */
export const FreeText = z
  .string()
  .max(1_024)
  .refine((words) => words.isWellFormed(), { error: 'must be valid Unicode' })

/** A name or an id in a path. The operation resolves it. */
export const NameOrId = z
  .string()
  .min(1)
  .max(255)
  .refine((reference) => reference.isWellFormed(), { error: 'must be valid Unicode' })
export const UserId = z.string().regex(USER_ID, { error: 'must be local|<uuid>' })
/** An id that this service made. */
export const Uuid = z.uuid()
/** An id of another party, in lower case. Microsoft's GUIDs need not have the version and variant of RFC 9562. */
export const Guid = z.guid().toLowerCase()

/**
 * Free JSON of the caller. Ours: at most 16 KiB, which keeps a record well below the table's 400 KB. Its members are
 * not validated: the body is already JSON, and the recursive schema of `z.json()` cannot be inlined in the API
 * description.
 */
const FREE_JSON_BYTES = 16_384
export const FreeJson = z
  .record(z.string(), z.unknown())
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= FREE_JSON_BYTES, {
    error: `must have at most ${FREE_JSON_BYTES} bytes as JSON`,
  })
export type FreeJson = z.infer<typeof FreeJson>

/** Labels, by which records can be found. */
export const Labels = z.record(z.string().min(1).max(63), z.string().max(255))
export const LABELS_MOST = 50
export const Labelled = Labels.refine((labels) => Object.keys(labels).length <= LABELS_MOST, {
  error: `must be at most ${LABELS_MOST} labels`,
})

/**
 * Metadata of a property (`x-keymgr-column` of the API description): the heading under which tables show it for all
 * resources: the record's name, its state, or its container. For properties whose own name differs.
 */
export const column = (role: 'name' | 'state' | 'container') => ({ 'x-keymgr-column': role })

/** Fields common to resources. */
export const Resource = object(() => ({
  id: z.string(),
  uri: z.string(),
  account: z.string(),
  application: z.string().optional(),
  devAccount: z.string().optional(),
  createdAt: Time,
  updatedAt: Time,
}))

/** The answer of every DELETE. */
export const Deleted = object(() => ({ status: z.literal(204) }))

export const listOf = <S extends z.ZodType>(resource: S) =>
  object(() => ({ skip: z.int(), limit: z.int(), total: z.int(), resources: z.array(resource) }))
