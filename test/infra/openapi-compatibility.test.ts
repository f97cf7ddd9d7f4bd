import { expect, test } from 'vitest'
import { breakingChanges } from '../../infra/openapi/compatibility/operations.ts'

const NAME = { type: 'string', minLength: 1, maxLength: 64 }
const KEY = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    size: { type: 'integer' },
    state: { type: 'string', enum: ['active'] },
    kind: { type: 'string', const: 'key' },
    createdAt: { type: 'string', format: 'date-time' },
    versions: { type: 'array', items: { type: 'string' } },
    links: { type: 'object', additionalProperties: { type: 'string' } },
  },
  required: ['id', 'size'],
}

/** Fields of the body. */
const properties = {
  name: NAME,
  algorithm: { enum: ['aes', 'rsa'], type: 'string' },
  labels: { type: 'array', items: NAME },
  meta: { type: 'object' },
  days: { type: 'integer', default: 30 },
  note: { type: ['string', 'null'] },
  parts: { type: 'array' },
  data: { type: 'string' },
  place: { type: 'object', properties: { rack: { type: 'integer' } }, additionalProperties: { type: 'string' } },
  source: {
    anyOf: [
      { type: 'object', properties: { file: { type: 'string' }, line: { type: 'integer' } }, required: ['file'] },
      { type: 'object', properties: { url: { type: 'string' }, line: { type: 'integer' } }, required: ['url'] },
    ],
  },
}

/** The body with another schema for one field, or without the field. */
const withField = (name: keyof typeof properties, schema?: object) => {
  const { [name]: _former, ...others } = properties
  return { body: { properties: schema === undefined ? others : { ...others, [name]: schema } } }
}

/** The answer with another schema for one field, or without the field. */
const withAnswered = (name: keyof typeof KEY.properties, schema?: object) => {
  const { [name]: _former, ...others } = KEY.properties
  return { answer: { properties: schema === undefined ? others : { ...others, [name]: schema } } }
}

/** A content object with this schema, for requests and answers. */
const content = (schema: object) => ({ content: { 'application/json': { schema } } })
const answered = (headers: object) => ({ 201: { headers, ...content({ $ref: '#/components/schemas/Key' }) } })

/** A description of one operation with a parameter, a body and an answer. */
const described = (
  change: {
    operation?: object
    parameter?: object
    body?: object
    answer?: object
    path?: string
    request?: object
  } = {},
) => ({
  security: [{ bearer: [] }],
  components: { schemas: { Key: { ...KEY, ...change.answer } } },
  paths: {
    [change.path ?? '/keys']: {
      post: {
        operationId: 'createKey',
        security: [],
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 }, ...change.parameter }],
        requestBody: {
          ...content({
            type: 'object',
            properties,
            required: ['name'],
            additionalProperties: false,
            ...change.body,
          }),
          ...change.request,
        },
        responses: answered({ ETag: { schema: { type: 'string' } } }),
        ...change.operation,
      },
    },
  },
})

test.each([
  ['an operation that is gone', { path: '/secrets' }, 'POST /keys is gone'],
  ['another operation id', { operation: { operationId: 'makeKey' } }, 'is called makeKey, not createKey'],
  ['a token that was not needed', { operation: { security: [{ bearer: [] }] } }, 'needs a credential now'],
  ['a parameter that is gone', { operation: { parameters: [] } }, 'query limit is gone'],
  ['a parameter that is required', { parameter: { required: true } }, 'query limit is required now'],
  ['a narrower parameter', { parameter: { schema: { type: 'integer', maximum: 50 } } }, 'has maximum 50, not 100'],
  [
    'an excluded value',
    { parameter: { schema: { type: 'integer', maximum: 100, not: { const: 0 } } } },
    'has another not',
  ],
  ['another type of a parameter', { parameter: { schema: { type: 'boolean' } } }, 'is integer, not boolean'],
  ['a field that is gone', withField('algorithm'), 'request/algorithm is not taken'],
  [
    'a field that is gone from an open object',
    withField('place', { type: 'object' }),
    'request/place/rack is not taken',
  ],
  [
    'a field that is gone, where others have another type',
    withField('place', { type: 'object', additionalProperties: { type: 'string' } }),
    'request/place/rack is integer, not string',
  ],
  ['a field that is required', { body: { required: ['name', 'algorithm'] } }, 'request/algorithm may be absent'],
  [
    'a value that is not taken any more',
    { body: { properties: { ...properties, algorithm: { enum: ['aes'], type: 'string' } } } },
    'request/algorithm does not take rsa',
  ],
  [
    'a shorter text in a list',
    { body: { properties: { ...properties, labels: { type: 'array', items: { ...NAME, maxLength: 5 } } } } },
    'request/labels/* has maxLength 5, not 64',
  ],
  [
    'a pattern that was not there',
    { body: { properties: { ...properties, name: { ...NAME, pattern: '^a' } } } },
    'request/name has another pattern',
  ],
  [
    'a free object that takes no fields any more',
    { body: { properties: { ...properties, meta: { type: 'object', additionalProperties: false } } } },
    'request/meta takes no further fields',
  ],
  [
    'a number above a bound',
    withField('days', { type: 'integer', default: 30, exclusiveMinimum: 0 }),
    'exclusiveMinimum 0',
  ],
  [
    'a number below a bound',
    withField('days', { type: 'integer', default: 30, exclusiveMaximum: 9 }),
    'exclusiveMaximum 9',
  ],
  ['a multiple', withField('days', { type: 'integer', default: 30, multipleOf: 2 }), 'has another multipleOf'],
  ['another default', withField('days', { type: 'integer', default: 7 }), 'request/days has another default'],
  ['a default that is gone', withField('days', { type: 'integer' }), 'request/days has another default'],
  ['an encoding', withField('data', { type: 'string', contentEncoding: 'base64' }), 'has another contentEncoding'],
  [
    'entries of one type',
    withField('parts', { type: 'array', items: { type: 'string' } }),
    'parts/* is anything, not string',
  ],
  ['entries that differ', withField('parts', { type: 'array', uniqueItems: true }), 'has another uniqueItems'],
  [
    'values of one type',
    withField('meta', { type: 'object', additionalProperties: { type: 'string' } }),
    'request/meta/* is anything, not string',
  ],
  [
    'longer names',
    withField('meta', { ...properties.meta, propertyNames: { type: 'string', minLength: 2 } }),
    'a name in request/meta has minLength 2, not none',
  ],
  ['fewest fields', withField('meta', { ...properties.meta, minProperties: 1 }), 'has minProperties 1, not none'],
  ['most fields', withField('meta', { ...properties.meta, maxProperties: 9 }), 'has maxProperties 9, not none'],
  ['null that is not taken', withField('note', { type: 'string' }), 'request/note has an alternative'],
  [
    'a field that is required beside alternatives',
    withField('source', { ...properties.source, required: ['line'] }),
    'request/source has an alternative',
  ],
  ['a body that is required', { request: { required: true } }, 'request needs a body now'],
  ['an answer without a header', { operation: { responses: answered({}) } }, '201: header ETag is gone'],
  ['an answer without an optional field', withAnswered('state'), '201: answer/state is gone'],
  ['another format in an answer', withAnswered('createdAt', { type: 'string', format: 'date' }), 'has another format'],
  ['another constant in an answer', withAnswered('kind', { type: 'string', const: 'secret' }), 'has another const'],
  [
    'entries of any type in an answer',
    withAnswered('versions', { type: 'array' }),
    'versions/* is anything, not string',
  ],
  ['values of any type in an answer', withAnswered('links', { type: 'object' }), 'links/* is anything, not string'],
  ['an answer without a status', { operation: { responses: {} } }, 'answer 201 is gone'],
  ['an answer that may lack a field', { answer: { required: ['id'] } }, '201: answer/size may be absent'],
  [
    'another type in an answer',
    { answer: { properties: { ...KEY.properties, size: { type: 'string' } } } },
    'answer/size is string, not integer',
  ],
])('%s breaks callers', (_what, change, sentence) => {
  const found = breakingChanges(described(), described(change))
  expect(found, found.join('\n')).toHaveLength(1)
  expect(found[0]).toContain(sentence)
})

test.each([
  ['nothing', {}],
  ['a further operation parameter', { operation: { description: 'Makes a key.' } }],
  ['a wider parameter', { parameter: { schema: { type: 'integer', maximum: 1000 } } }],
  ['a parameter of more types', { parameter: { schema: { anyOf: [{ type: 'integer' }, { type: 'string' }] } } }],
  [
    'a parameter with alternatives of its type',
    { parameter: { schema: { type: 'integer', anyOf: [{ maximum: 100 }, { const: 1000 }] } } },
  ],
  ['a further field', { body: { properties: { ...properties, size: { type: 'integer' } } } }],
  ['a field that need not be there', { body: { required: [] } }],
  [
    'a further value',
    { body: { properties: { ...properties, algorithm: { enum: ['aes', 'rsa', 'ec'], type: 'string' } } } },
  ],
  ['a list of types as alternatives', withField('note', { anyOf: [{ type: 'string' }, { type: 'null' }] })],
  ['a type beside its values', withField('algorithm', { enum: ['aes', 'rsa'] })],
  ['a required field that has a default', { body: { required: ['name', 'days'] } }],
  ['a further constant of an answer', withAnswered('kind', { type: 'string', enum: ['key', 'secret'] })],
  ['a format that an answer had not', withAnswered('id', { type: 'string', format: 'uuid' })],
  ['a further header', { operation: { responses: answered({ ETag: {}, Link: {} }) } }],
  ['a further field of an answer', { answer: { properties: { ...KEY.properties, kcv: { type: 'string' } } } }],
  [
    'a further value of an answer',
    { answer: { properties: { ...KEY.properties, state: { type: 'string', enum: ['active', 'gone'] } } } },
  ],
])('%s is compatible', (_what, change) => {
  expect(breakingChanges(described(), described(change))).toEqual([])
})

test('a schema of parts equals one with all their members', () => {
  const parts = { allOf: [{ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }, KEY] }
  const whole = described()
  const composed = { ...whole, components: { schemas: { Key: parts } } }
  expect(breakingChanges(whole, composed)).toEqual([])
  expect(breakingChanges(composed, whole)).toEqual([])
})

test('values without a type may get the type that they have', () => {
  const untyped = described(withField('algorithm', { enum: ['aes', 'rsa'] }))
  expect(breakingChanges(untyped, described())).toEqual([])
})

test('alternatives may be written as a list of types', () => {
  const listed = described(withField('note', { type: ['string', 'null'], enum: ['a', null], maxLength: 9 }))
  const apart = described(
    withField('note', { anyOf: [{ type: 'string', enum: ['a'], maxLength: 9 }, { type: 'null' }] }),
  )
  expect(breakingChanges(listed, apart)).toEqual([])
  expect(breakingChanges(apart, listed)).toEqual([])
})

/** An answer of several kinds, each identified by a word. */
const ofKinds = (...kinds: readonly object[]) =>
  described({ answer: { properties: { ...KEY.properties, owner: { oneOf: kinds } } } })
const kind = (word: object, ...required: string[]) => ({
  type: 'object',
  properties: { kind: word, [`${JSON.stringify(word)} id`]: { type: 'string' } },
  required,
})
const [user, client] = [kind({ const: 'user' }, 'kind'), kind({ const: 'client' }, 'kind')]

test('an answer may be of a further kind that a word of its own names', () => {
  expect(breakingChanges(ofKinds(user, client), ofKinds(user, client, kind({ const: 'robot' }, 'kind')))).toEqual([])
})

test.each([
  ['without a word', kind({ type: 'string' }, 'kind')],
  ['with a word that may be absent', kind({ const: 'robot' })],
  ['with the word of another', { ...kind({ const: 'user' }, 'kind', 'age'), properties: { kind: { const: 'user' } } }],
])('a further kind of an answer %s breaks callers', (_what, further) => {
  const found = breakingChanges(ofKinds(user, client), ofKinds(user, client, further))
  expect(found).toEqual([expect.stringContaining('has an alternative that is not among the others')])
})

test.each([
  ['another scheme', [{ bearer: [] }], [{ basic: [] }], ['bearer is not enough any more']],
  ['a further scheme', [{ bearer: [] }], [{ bearer: [], certificate: [] }], ['bearer is not enough any more']],
  ['no call without a credential', [{}, { bearer: [] }], [{ bearer: [] }], ['needs a credential now']],
  ['one alternative less', [{ basic: [] }, { bearer: [] }], [{ bearer: [] }], ['basic is not enough any more']],
  ['one alternative more', [{ bearer: [] }], [{ basic: [] }, { bearer: [] }], []],
  ['one scheme less', [{ bearer: [], certificate: [] }], [{ bearer: [] }], []],
  ['no credential', [{ bearer: [] }], [{}], []],
])('credentials: %s', (_what, former, present, sentences) => {
  const [before, after] = [former, present].map((security) => described({ operation: { security } }))
  expect(breakingChanges(before ?? {}, after ?? {})).toEqual(sentences.map((one) => `POST /keys: ${one}`))
})
