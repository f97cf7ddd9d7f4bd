import { fieldOf } from '../query/table.ts'
import type { Call } from '../wire/call.ts'
import { ApiError, broken } from '../wire/errors.ts'
import { secretTable } from './describe.ts'

const CREATABLE = [
  ...['Description', 'Type', 'Source', 'KeyDerivationMode', 'SecretValue', 'SecretValueHash'],
  ...['SecretValueCertificate', 'RemoteKeyIdentifier', 'RemoteKeyServiceId', 'RemoteKeyCertificate'],
] as const
const UPDATABLE = [
  ...['Description', 'Status', 'SecretValue', 'SecretValueCertificate'],
  ...['RemoteKeyServiceId', 'RemoteKeyCertificate'],
] as const
const MOST_TEXT = 255

export type Given = Partial<Record<(typeof CREATABLE)[number] | (typeof UPDATABLE)[number], string>>

/** Version from which the status can be changed. */
const STATUS_SINCE = 44

/** The fields of a request, by their proper names; null counts as absent. @throws ApiError */
export function fieldsIn(call: Call, verb: 'create' | 'update'): Given {
  const writable: readonly string[] = verb === 'create' ? CREATABLE : UPDATABLE
  const entries = Object.entries(call.body).map(([given, value]): [string, string] | undefined => {
    const name = fieldOf(secretTable, call, given)
    const isTooOld = name === 'Status' && call.version < STATUS_SINCE
    if (!writable.includes(name) || isTooOld)
      throw new ApiError('INVALID_FIELD_FOR_INSERT_UPDATE', `Unable to ${verb} fields: ${name}.`, [name])
    if (value === null) return undefined
    if (typeof value !== 'string') throw new ApiError('JSON_PARSER_ERROR', `Cannot deserialize ${name}: not a string`)
    return [name, value]
  })
  const fields: Given = Object.fromEntries(entries.filter((each) => each !== undefined))
  const { Description = '' } = fields
  if (Description.length > MOST_TEXT) throw new ApiError('STRING_TOO_LONG', 'Description: data value too large')
  return fields
}

/** A value of a list, whose case does not matter. @throws ApiError INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST */
export function choiceIn<Word extends string>(
  given: Given,
  name: keyof Given,
  words: readonly Word[],
): Word | undefined {
  const value = given[name]
  const found = words.find((each) => each.toLowerCase() === value?.toLowerCase())
  if (value === undefined || found !== undefined) return found
  const message = `${name}: bad value for restricted picklist field: ${value}`
  throw new ApiError('INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST', message, [name])
}

/** @throws ApiError REQUIRED_FIELD_MISSING */
export function required(given: Given, name: keyof Given): string {
  const value = given[name]
  if (value !== undefined && value !== '') return value
  throw new ApiError('REQUIRED_FIELD_MISSING', `Required fields are missing: [${name}]`, [name])
}

/** @throws ApiError FIELD_INTEGRITY_EXCEPTION for fields of another source */
export function forbid(given: Given, ...names: readonly (keyof Given)[]): void {
  const found = names.filter((name) => given[name] !== undefined)
  if (found.length > 0) throw broken(`${found.join(', ')} cannot be given for this source.`, ...found)
}
