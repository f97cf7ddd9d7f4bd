import { expect, test } from 'vitest'
import { breakingChanges } from '../../infra/openapi/compatibility/operations.ts'

const NAME = { type: 'string', minLength: 1, maxLength: 64 }
const KEY = {
  type: 'object',
  properties: { id: { type: 'string' }, size: { type: 'integer' }, state: { type: 'string', enum: ['active'] } },
  required: ['id', 'size'],
}

/** Fields of its body. */
const properties = {
  name: NAME,
  algorithm: { enum: ['aes', 'rsa'], type: 'string' },
  labels: { type: 'array', items: NAME },
  meta: { type: 'object', additionalProperties: {} },
}

/** A description of one operation with a parameter, a body and an answer. */
const described = (
  change: { operation?: object; parameter?: object; body?: object; answer?: object; path?: string } = {},
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
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties,
                required: ['name'],
                additionalProperties: false,
                ...change.body,
              },
            },
          },
        },
        responses: { 201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Key' } } } } },
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
  [
    'a field that is gone',
    { body: { properties: { name: NAME, labels: properties.labels, meta: properties.meta } } },
    'request/algorithm is not taken',
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
  ['a further field of an answer', { answer: { properties: { ...KEY.properties, kcv: { type: 'string' } } } }],
  [
    'a further value of an answer',
    { answer: { properties: { ...KEY.properties, state: { type: 'string', enum: ['active', 'gone'] } } } },
  ],
])('%s breaks none', (_what, change) => {
  expect(breakingChanges(described(), described(change))).toEqual([])
})

test('a schema of parts is that of its members together', () => {
  const parts = { allOf: [{ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }, KEY] }
  const whole = described()
  const composed = { ...whole, components: { schemas: { Key: parts } } }
  expect(breakingChanges(whole, composed)).toEqual([])
  expect(breakingChanges(composed, whole)).toEqual([])
})
