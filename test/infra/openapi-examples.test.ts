import Ajv from 'ajv'
import { beforeAll, expect, test } from 'vitest'
import { EXAMPLES, withExamples } from '../../infra/openapi/examples.ts'
import { shown } from '../../infra/openapi/shown-example.ts'
import { openApiDocument } from '../../infra/openapi.ts'
import { pointedAt } from '../support/described.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
let document: any
let operations: any[]

beforeAll(async () => {
  document = await openApiDocument()
  operations = Object.values(document.paths as object).flatMap((item) =>
    METHODS.filter((method) => method in item).map((method) => item[method]),
  )
})

const at = (holder: any): any => (holder?.$ref === undefined ? holder : at(pointedAt(document, holder.$ref as string)))

/** Whether a schema has an example: itself, or the schema of a page's entries. */
const isShown = (schema: any): boolean =>
  at(schema).examples !== undefined || JSON.stringify(at(schema).allOf ?? []).includes('"resources"')

/** The JSON body of an available operation: forms and binary requests have no example. */
function bodyOf({ requestBody, responses }: any): any {
  const media = Object.keys((requestBody?.content ?? {}) as object)
  const isOffered = Object.keys(responses as object).some((status) => status.startsWith('2'))
  return isOffered && media.every((each) => each.endsWith('/json') || each === 'text/plain') ? requestBody : undefined
}

/** Content whose schema has a name: texts and free JSON need no example. */
const namedSchemas = (operation: any): any[] =>
  [bodyOf(operation), ...Object.entries(operation.responses as object).map(([, answer]) => answer)]
    .flatMap((holder) => Object.values((at(holder)?.content ?? {}) as object))
    .map(({ schema }) => schema)
    .filter((schema) => schema?.$ref !== undefined)

test('every operation has an example of its body and of its answers', () => {
  const without = operations
    .filter((operation) => !namedSchemas(operation).every(isShown))
    .map(({ operationId }) => operationId as string)
  expect(operations.length).toBeGreaterThan(500)
  expect(without).toEqual([])
})

test('every example matches its schema', () => {
  const ajv = new Ajv({ unknownFormats: 'ignore', logger: false })
  ajv.addSchema({ $id: 'document', components: document.components })
  const wrong = Object.entries(EXAMPLES).flatMap(([name, example]) => {
    const fits = ajv.validate({ $ref: `document#/components/schemas/${name}` }, example)
    return fits === true ? [] : [`${name}${ajv.errorsText()}`]
  })
  expect(wrong).toEqual([])
})

test('no example has a secret, a token or an address of where it was recorded', () => {
  const text = JSON.stringify(EXAMPLES)
  expect(text).not.toMatch(/127\.0\.0\.1|localhost|BEGIN [A-Z ]*PRIVATE KEY-----\\n(?!MIIB\.\.\.)|eyJ[\w-]{40,}/)
})

test('a recorded value is shown without secrets, and shortened', () => {
  const jwt = `eyJ${'a'.repeat(50)}.${'b'.repeat(50)}.${'c'.repeat(50)}`
  expect(
    shown({
      client_secret: 'hunter2',
      nested: { password: 'Correct-Horse-7', size: 256 },
      address: 'http://127.0.0.1:8080/api',
      text: `Bearer ${jwt}`,
      key: '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----',
      list: [1, 2, 3],
      long: 'x y'.repeat(200),
    }),
  ).toEqual({
    client_secret: '********',
    nested: { password: '********', size: 256 },
    address: 'https://keymgr.example.com/api',
    text: 'Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl',
    key: '-----BEGIN PRIVATE KEY-----\nMIIB...\n-----END PRIVATE KEY-----',
    list: [1, 2],
    long: `${'x y'.repeat(200).slice(0, 397)}...`,
  })
})

test('an example of a removed schema is refused', () => {
  expect(() => withExamples({})).toThrow(/There is an example of \w+, which is no schema/)
})
