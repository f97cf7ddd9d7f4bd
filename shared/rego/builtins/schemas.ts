import { RegoObject, isArray } from '../value.ts'
import type { Value } from '../value.ts'
import { BuiltinError } from './builtin.ts'
import type { BuiltinContext, FunctionBuiltin } from './builtin.ts'
import { allowValues } from './charging.ts'
import type { Evaluations } from './deferred.ts'
import { JsonSyntaxError, readJson } from './json-read.ts'
import { writeJson } from './json-write.ts'
import { checkSchema } from './schema-check.ts'
import { matchSchema } from './schema-match.ts'

type Evaluate = FunctionBuiltin['evaluate']

/**
 * JSON as text, or an object or array, which is converted to text first so that sets become arrays. @throws
 * BuiltinError
 */
function documentOf(value: Value, context: BuiltinContext): Value {
  if (value instanceof RegoObject || isArray(value)) return readJson(writeJson(value, context), context)
  if (typeof value !== 'string') throw new BuiltinError('wrong type, expected string or object')
  try {
    return readJson(value, context)
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new BuiltinError('invalid JSON string')
    throw error
  }
}

/** `[true, null]`, or `[false, why]`. */
const verifySchema: Evaluate = ([schema = null], context) => {
  try {
    const document = documentOf(schema, context)
    checkSchema(document, document, context)
    return [true, null]
  } catch (error) {
    if (error instanceof BuiltinError) return [false, `jsonschema: ${error.message}`]
    throw error
  }
}

/** `[true, []]`, or `[false, faults]`. */
const match: Evaluate = ([value = null, schemaValue = null], context) => {
  const document = documentOf(value, context)
  const schema = documentOf(schemaValue, context)
  checkSchema(schema, schema, context)
  const faults = matchSchema(document, schema, context)
  allowValues(context, faults.length * 5)
  return [
    faults.length === 0,
    faults.map(({ field, type, desc }) =>
      RegoObject.from([
        ['error', `${field}: ${desc}`],
        ['type', type],
        ['field', field],
        ['desc', desc],
      ]),
    ),
  ]
}

export const SCHEMAS = {
  'json.verify_schema': verifySchema,
  'json.match_schema': match,
} satisfies Evaluations
