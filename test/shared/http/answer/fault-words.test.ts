import { expect, test } from 'vitest'
import { ROUTES } from '../../../../infra/routes.ts'
import { Refusal } from '../../../../shared/base/errors.ts'
import type { HttpEvent } from '../../../../shared/http/request/call.ts'
import { NO_PARAMETERS } from '../../../../shared/http/operation.ts'
import { parse } from '../../../../shared/http/request/parse.ts'

/** Phrases of zod's own messages. */
const OF_ZOD = /Invalid|Too (?:big|small)|Unrecognized|\bexpected\b|received|must match pattern|\bundefined\b|\[object/

/** Values that few or no fields accept. */
const HOSTILE: readonly unknown[] = [null, 7, -1, 1e30, 1.5, true, '', 'x', '\u0000<', 'y'.repeat(5_000), [], [[]], {}]
const NESTED: readonly unknown[] = [...HOSTILE, [{ a: 1 }], { a: 1, b: { c: [null] } }, [7, 'x', null], ['x', 'x']]

/** All texts in the answer to a refused request. */
function toldOf(
  { operation }: (typeof ROUTES)[number],
  parts: { path?: object; query?: string; body?: object },
): string {
  const { declaration } = operation
  const event = {
    headers: { 'content-type': 'application/json' },
    pathParameters: parts.path ?? {},
    rawQueryString: parts.query ?? '',
    ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
    call: {},
  }
  const shapes = {
    path: declaration.path ?? NO_PARAMETERS,
    query: declaration.query ?? NO_PARAMETERS,
    body: declaration.body,
  }
  try {
    parse(event as unknown as HttpEvent, shapes) // the parts of an event that the code reads
    return ''
  } catch (error) {
    if (error instanceof Refusal) return JSON.stringify([error.message, error.errors])
    throw error
  }
}

const fieldsOf = (schema: unknown): string[] =>
  typeof schema === 'object' && schema !== null && 'shape' in schema ? Object.keys(schema.shape as object) : []

test.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s is refused in words of our own, whatever is sent',
  (_name, route) => {
    const { path, query, body } = route.operation.declaration
    const told = [toldOf(route, {}), toldOf(route, { body: {} })]
    for (const name of fieldsOf(path)) told.push(toldOf(route, { path: { [name]: '<' } }))
    for (const name of fieldsOf(query))
      for (const value of ['', 'x', '-7', '1,,2', '1&1'])
        told.push(toldOf(route, { query: `${name}=${value}&${name}x=1` }))
    for (const name of fieldsOf(body))
      for (const value of NESTED) told.push(toldOf(route, { body: { [name]: value, [`${name}x`]: 1 } }))
    for (const words of told) expect(words).not.toMatch(OF_ZOD)
  },
)

const told = (method: string, path: string, parts: Parameters<typeof toldOf>[1]): string => {
  const route = ROUTES.find((one) => one.method === method && one.path === path)
  return route === undefined ? 'no route' : toldOf(route, parts)
}

test('the refusal of an unknown field names the nearest field and all others', () => {
  const field = told('POST', '/v1/vault/keys2', { body: { nmae: 'one' } })
  expect(field).toContain('#/nmae is not a field of this body (did you mean name?); there are ')
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field-${at}`, 1]))
  expect(told('POST', '/v1/vault/keys2', { body: many }).split('there are').length).toBe(3) // in detail and in errors
  expect(told('GET', '/v1/vault/keys2', { query: 'limmit=1' })).toContain('did you mean limit?')
  expect(told('GET', '/v1/domain', { query: 'limit=1' })).toContain('is not a parameter of this call, which takes none')
})

test.each([
  ['POST', '/v1/vault/keys2', { body: { algorithm: 'x' } }, '#/algorithm must be one '],
  ['POST', '/v1/usermgmt/users', { body: {} }, '#/username is required'],
  [
    'GET',
    '/v1/vault/keys2',
    { query: 'createdAfter=2030' },
    'createdAfter must be a time, such as 2030-01-31T12:00:00Z',
  ],
  ['GET', '/v1/domains/{id}', { path: { id: 'x' } }, 'id must be an id, such as 01890a5d-'],
] as const)('%s %s says what it wants', (method, path, parts, words) => {
  expect(told(method, path, parts)).toContain(words)
})
