import * as z from 'zod'
import { REFUSALS } from '../../shared/base/errors.ts'
import { fieldsOf } from '../../shared/base/json.ts'
import { Deleted } from '../../shared/http/common-fields.ts'
import type { RouteRow } from '../routes.ts'
import type { Schemas, Wish } from './components.ts'
import { operationIdOf, wordsOfOperation } from './operation-ids.ts'
import { inParts } from './parts.ts'
import { schemaOf, type Json } from './schemas.ts'
import { capitalized, pascal, singular } from './words.ts'

const STATUS_WORDS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content' }

/** Header fields of every answer that counts against a limit (`shared/http/request/throttle.ts`). */
const LIMITS = {
  'RateLimit-Policy': {
    description: 'the limit: `q` calls within `w` seconds, of the domain, or of the address without a token',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'what is left of it: `r` calls, and all of them again in `t` seconds',
    schema: { type: 'string' },
  },
}
export const LIMIT_HEADERS: Json = LIMITS
const limits = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const REDIRECT = {
  description: 'Found; too long to be answered, fetched from there without a token',
  headers: { Location: { required: true, schema: { type: 'string', format: 'uri' } } },
}

export const problemRef = { $ref: '#/components/responses/Problem' }

const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'RFC 9457. `code` and `codeDesc` name the kind of refusal, `errors` what is wrong in the request.',
  required: ['type', 'title', 'status', 'detail', 'traceId', 'code', 'codeDesc'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer', enum: [...new Set(Object.values(REFUSALS).map(({ status }) => status))].sort() },
    detail: { type: 'string' },
    traceId: { type: 'string' },
    code: { type: 'integer' },
    codeDesc: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['detail'],
        properties: { pointer: { type: 'string' }, parameter: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
}

export const problemResponse = (schemas: Schemas): Json => ({
  description: 'Refused; the body states the reason',
  headers: { ...limits, 'Retry-After': { description: 'seconds, with 429 and 503', schema: { type: 'integer' } } },
  content: { 'application/problem+json': { schema: schemas.use(PROBLEM_SCHEMA, { name: 'Problem', rank: 0 }) } },
})

/** Ranks of possible names: a record that is read or listed ranks before its creation, and before any other answer. */
const RANK = { fixed: 0, shown: 1, created: 2, page: 3, other: 9 }

/**
 * Chooses the name with the fewest words, and the first of several: a record that is also a connection of a service is
 * named a connection.
 */
const shown = (name: string, words: number): Wish => ({ name, rank: RANK.shown + words / 1_000 })

const DELETED = JSON.stringify(schemaOf(Deleted, 'output'))

/** Possible names of an operation's answer: from its noun, else from the operation. */
function wishesFor(route: RouteRow, schema: Json): Wish[] {
  if (JSON.stringify(schema) === DELETED) return [{ name: 'Deleted', rank: RANK.fixed }]
  const [verb, ...rest] = wordsOfOperation(route).split(' ')
  const noun = pascal(rest.join(' '))
  return [
    ...(verb === 'Get' || verb === 'Read' ? [shown(noun, rest.length)] : []),
    ...(verb === 'Create' ? [{ name: noun, rank: RANK.created }] : []),
    { name: `${capitalized(operationIdOf(route))}Answer`, rank: RANK.other },
  ]
}

/** One page of a list, whose entries get a name too. */
function pageOf(route: RouteRow, page: Json, schemas: Schemas): Json {
  const [, ...rest] = wordsOfOperation(route).split(' ')
  const noun = pascal(rest.join(' '))
  const properties = fieldsOf(page.properties)
  const resources = fieldsOf(properties.resources)
  const one = singular(noun)
  const entry = schemas.use(inParts(fieldsOf(resources.items), schemas), shown(one, rest.length), {
    name: `Listed${one}`,
    rank: RANK.other,
  })
  const whole = { ...page, properties: { ...properties, resources: { ...resources, items: entry } } }
  return schemas.use(inParts(whole, schemas), { name: `PageOf${noun}`, rank: RANK.page })
}

/** A reference to the answer of an operation. */
export function answerOf(route: RouteRow, answers: z.ZodType, schemas: Schemas): Json {
  const schema = schemaOf(answers, 'output')
  const { items } = fieldsOf(fieldsOf(schema.properties).resources)
  const isPage = answers instanceof z.ZodObject && 'total' in answers.shape && items !== undefined
  if (isPage) return pageOf(route, schema, schemas)
  if (schema.type === 'string') return schema
  return schemas.use(inParts(schema, schemas), ...wishesFor(route, schema))
}

/** A refusal in the form of a protocol. */
export const ownRefusal = (schema: z.ZodType, name: string, schemas: Schemas): Json => ({
  description: 'Refused; the body states the reason',
  content: { 'application/json': { schema: schemas.use(schemaOf(schema, 'output'), { name, rank: RANK.fixed }) } },
})

/** An answer with a body, or without one. @param media of the body */
export const success = (status: number, schema?: Json, media = 'application/json'): Json => ({
  description: STATUS_WORDS[status] ?? 'OK',
  ...(schema && { content: { [media]: { schema } } }),
})

/** Answers of an operation: success, and refusals by their class. A problem's `status` is the HTTP status. */
export function responsesOf(route: RouteRow, schemas: Schemas): Json {
  const {
    answers,
    status = 200,
    mayRedirect,
    mayDefer,
    mayBeDown,
    refuses,
    tries,
    refusedAs,
    media,
  } = route.operation.declaration
  const body = answers && answerOf(route, answers, schemas)
  const own = refusedAs && ownRefusal(refusedAs.schema, `${capitalized(operationIdOf(route))}Refusal`, schemas)
  return {
    ...(refuses === undefined && { [status]: success(status, body, media) }),
    ...(mayDefer && { 202: success(202, body, media) }),
    ...(tries && {
      200: success(
        200,
        schemas.use(schemaOf(tries, 'output'), { name: `${capitalized(operationIdOf(route))}Check`, rank: RANK.other }),
      ),
    }),
    ...(mayRedirect && { 302: REDIRECT }),
    ...(own && { 400: own, 401: own }),
    ...(mayBeDown && { 503: { ...success(503, body), description: 'A part of the service is down' } }),
    default: problemRef,
  }
}
