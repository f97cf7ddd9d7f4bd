import { expect, test } from 'vitest'
import { Schemas } from '../../infra/openapi/components.ts'
import { capitalized, camel, pascal, singular } from '../../infra/openapi/words.ts'

const LONG = { type: 'object', properties: { size: { type: 'integer', description: 'x'.repeat(100) } } }
const shown = (name: string, rank = 1) => ({ name, rank })

test('equal schemas are one, under the name of the lowest rank', () => {
  const schemas = new Schemas()
  const created = schemas.use({ type: 'object' }, shown('CreateKeyAnswer', 9))
  const got = schemas.use({ type: 'object' }, shown('Key'))
  const { whole, schemas: named } = schemas.named({ created, got })
  expect(whole).toEqual({ created: { $ref: '#/components/schemas/Key' }, got: { $ref: '#/components/schemas/Key' } })
  expect(named).toEqual({ Key: { type: 'object' } })
})

test('of two schemas with the same wished name, the later one gets its other name, and is refused without one', () => {
  const schemas = new Schemas()
  schemas.use({ type: 'string' }, shown('Key'))
  schemas.use({ type: 'integer' }, shown('Key'), shown('ListedKey', 9))
  expect(Object.keys(schemas.named({}).schemas)).toEqual(['Key', 'ListedKey'])
})

test('two schemas of one name and no other are refused', () => {
  const schemas = new Schemas()
  for (const type of ['string', 'boolean']) schemas.use({ type }, shown('Key'))
  expect(() => schemas.named({})).toThrow('Another schema is named Key already')
})

test('a long nested schema that occurs twice gets the name of its property', () => {
  const schemas = new Schemas()
  schemas.use({ properties: { limits: { type: 'array', items: LONG } } }, shown('One'))
  schemas.use({ properties: { limits: { type: 'array', items: LONG }, short: { type: 'string' } } }, shown('Two'))
  const { schemas: named } = schemas.named({})
  const limits = { type: 'array', items: LONG }
  expect(named).toMatchObject({
    Limits: limits,
    One: { properties: { limits: { $ref: '#/components/schemas/Limits' } } },
    Two: { properties: { limits: { $ref: '#/components/schemas/Limits' }, short: { type: 'string' } } },
  })
})

test('if two of them have properties of the same name, the name includes the surrounding schema', () => {
  const schemas = new Schemas()
  const other = { ...LONG, description: 'another' }
  for (const [at, limit] of [LONG, other].entries())
    for (const name of ['One', 'Two'])
      schemas.use({ title: `${name}${at}`, properties: { limit } }, shown(`${name}${at}`))
  const { schemas: named } = schemas.named({})
  expect(Object.keys(named)).toEqual(['One0', 'One0Limit', 'One1', 'One1Limit', 'Two0', 'Two1'])
})

test('words of operations become names', () => {
  expect(camel('Get Cloud-a Key')).toBe('getCloudAKey')
  expect(pascal('Make CSR of Key')).toBe('MakeCsrOfKey')
  expect(pascal('cloud_a_param')).toBe('CloudAParam')
  expect(capitalized('createCloudACustomKeyStore')).toBe('CreateCloudACustomKeyStore')
  expect(['Keys', 'Policies', 'Addresses', 'Status', 'CloudAKms', 'Alias'].map(singular)).toEqual([
    'Key',
    'Policy',
    'Address',
    'Status',
    'CloudAKms',
    'Alias',
  ])
})
