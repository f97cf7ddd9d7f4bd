import { expect, test } from 'vitest'
import * as z from 'zod'
import { Refusal } from '../../../../shared/base/errors.ts'
import type { HttpEvent } from '../../../../shared/http/request/call.ts'
import { NO_PARAMETERS } from '../../../../shared/http/operation.ts'
import { parse, type Shapes } from '../../../../shared/http/request/parse.ts'

const SHAPES: Shapes = {
  path: NO_PARAMETERS,
  query: NO_PARAMETERS,
  body: z.string().max(20),
  takes: 'text/plain',
}

/** The parsed body, or the reason of the refusal. */
function bodyOf(type: string, body: string | Buffer, shapes = SHAPES): unknown {
  const isBytes = typeof body !== 'string'
  const event = {
    headers: { 'content-type': type },
    pathParameters: {},
    rawQueryString: '',
    body: isBytes ? body.toString('base64') : body,
    isBase64Encoded: isBytes,
    call: {},
  } as unknown as HttpEvent // the parts of an event that the code reads
  try {
    parse(event, shapes)
    return event.call.body
  } catch (error) {
    return error instanceof Refusal ? error.reason : error
  }
}

test.each<[string, string, string | Buffer, unknown]>([
  ['as JSON', 'application/json', '"package p\\n"', 'package p\n'],
  ['as text', 'text/plain', 'package p\n', 'package p\n'],
  ['as text with a character set', 'Text/Plain; charset=UTF-8', '"quoted" ü', '"quoted" ü'],
  ['as bytes', 'text/plain', Buffer.from('ü'), 'ü'],
  ['as JSON that is no text', 'application/json', '{}', 'BODY_INVALID'],
  ['as text that is too long', 'text/plain', 'a'.repeat(21), 'RULE_BROKEN'],
  ['as text that is not UTF-8', 'text/plain', Buffer.from([0xc3, 0x28]), 'BODY_INVALID'],
  ['as another type', 'text/html', 'package p', 'MEDIA_TYPE_UNSUPPORTED'],
])('a text sent %s', (_what, type, body, expected) => {
  expect(bodyOf(type, body)).toBe(expected)
})

test('a body that is no text is taken as JSON only', () => {
  const shapes = { ...SHAPES, takes: undefined }
  expect(bodyOf('application/json', '"a"', shapes)).toBe('a')
  expect(bodyOf('text/plain', 'a', shapes)).toBe('MEDIA_TYPE_UNSUPPORTED')
})

test('the first 100 errors of a long list are described, and all are counted', () => {
  const member = z.strictObject({ alias: z.string().optional(), kind: z.string().optional() })
  const event = {
    headers: { 'content-type': 'application/json' },
    pathParameters: {},
    rawQueryString: '',
    body: JSON.stringify({ all: Array.from({ length: 300 }, () => ({ alais: 'a', knid: 'b' })) }),
    call: {},
  } as unknown as HttpEvent // the parts of an event that the code reads
  const read = () => parse(event, { ...SHAPES, body: z.strictObject({ all: z.array(member) }), takes: undefined })
  let refused: unknown
  try {
    read()
  } catch (error) {
    refused = error
  }
  expect(refused).toBeInstanceOf(Refusal)
  const { message, errors } = refused as Refusal
  expect(errors).toHaveLength(100)
  expect(errors[0]).toEqual({ pointer: '#/all/0/alais', detail: expect.stringContaining('alias') as string })
  expect(errors.every(({ detail }) => detail !== '')).toBe(true)
  expect(message).toMatch(/; …, 400 faults in all\.$/) // 100 members with two unknown fields each, and 200 members
})

const free: Shapes = { ...SHAPES, body: z.record(z.string(), z.unknown()), takes: undefined }

test.each([
  ['9007199254740993'],
  ['-9007199254740993'],
  ['9007199254740993.0'],
  ['900719925474099.3e1'],
  ['9.007199254740993E+15'],
  ['12345678901234567890'],
  ['0.12345678901234567890'],
  ['1e-400'],
  ['[[{"deep": 18014398509481985}]]'],
])('the number %s, which would change unseen, is refused wherever it is in a body', (number) => {
  expect(bodyOf('application/json', `{"meta": ${number}}`, free)).toBe('BODY_INVALID')
})

test.each([
  ['9007199254740992', 2 ** 53],
  ['9007199254740994', 2 ** 53 + 2],
  ['100000000000000000000', 1e20],
  ['1.50', 1.5],
  ['-0.0', -0],
  ['0e10', 0],
  ['15E-1', 1.5],
  ['0.1', 0.1],
  ['1e21', 1e21],
  ['1.7976931348623157e308', Number.MAX_VALUE],
  ['5e-324', Number.MIN_VALUE],
  ['"9007199254740993"', '9007199254740993'],
  ['"12e5 and 0.1234567890123456789"', '12e5 and 0.1234567890123456789'],
])('the value %s is kept as it is', (text, value) => {
  expect(bodyOf('application/json', `{"meta": ${text}}`, free)).toEqual({ meta: value })
})
