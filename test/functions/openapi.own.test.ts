import { beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { ROUTES, type RouteRow } from '../../infra/routes.ts'
import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import { rulesOf } from '../../shared/http/rules.ts'
import { isFromRoot } from '../../shared/http/operation.ts'
import { fullPath } from '../../shared/http/serve.ts'
import { pointedAt, withoutReferences } from '../support/described.ts'
import { call, useService } from '../support/service.ts'
import { Platform } from './platform/platform.ts'

const service = useService()
/** as served, and with its references resolved */
let document: any
let whole: any
let administrator: Promise<string>

beforeAll(async () => {
  administrator = service().logIn()
  const { status, headers, body } = await service().call('GET', '/v1/openapi.json')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/json')
  document = body
  whole = withoutReferences(body)
})

const nameOf = ({ method, path }: RouteRow): string => `${method} ${path}`
const describedOf = ({ method, path }: RouteRow): any => whole.paths[path]?.[method.toLowerCase()]

interface Found {
  readonly at: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Every object within a value, with its JSON pointer. */
function objectsIn(value: unknown, at = '#'): Found[] {
  if (typeof value !== 'object' || value === null) return []
  const below = Object.entries(value).flatMap(([name, member]) =>
    objectsIn(member, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  )
  return Array.isArray(value) ? below : [{ at, value: value as Found['value'] }, ...below]
}

test('the description is OpenAPI 3.1 with its ways to authenticate', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/)
  expect(document.info).toMatchObject({ title: 'keymgr', version: '1' })
  expect(document.servers).toEqual([{ url: '/api' }])
  expect(document.components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' })
})

test('it describes exactly every route and every call of a data plane', async () => {
  const protocols = await Promise.all(PROTOCOLS.map(({ described }) => described()))
  const planes = protocols.flatMap(({ calls }) => calls.map(({ method, path }) => `${method} ${path}`))
  const methods = ['get', 'post', 'put', 'patch', 'delete']
  const described = Object.entries(document.paths as Record<string, object>).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((member) => methods.includes(member))
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.sort()).toEqual([...ROUTES.map(nameOf), ...planes, 'GET /v1/openapi.json'].sort())
})

test('every operation has a unique id, a summary, a success and its refusals', () => {
  const ids = new Set<string>()
  for (const route of ROUTES) {
    const operation = describedOf(route)
    ids.add(operation.operationId as string)
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z0-9]+$/)
    expect(operation.summary).toBe(route.operation.declaration.summary)
    const statuses = Object.keys(operation.responses as object)
    const { status = 200, mayDefer, refuses, tries } = route.operation.declaration
    const successes = refuses ? [] : [...(tries ? ['200'] : []), String(status), ...(mayDefer ? ['202'] : [])]
    expect(statuses.filter((each) => each.startsWith('2'))).toEqual(successes)
    expect(operation.responses.default.content).toHaveProperty(['application/problem+json'])
  }
  expect(ids.size).toBe(ROUTES.length)
})

test('operations are named after their actions, and schemas after their content', () => {
  const idOf = (method: string, path: string): string => document.paths[path][method].operationId
  expect(idOf('post', '/v1/vault/keys2')).toBe('createLocalKey')
  expect(idOf('post', '/v1/keymgr/cloud-a/keys/{id}/rotate')).toBe('rotateCloudAKey')
  expect(idOf('post', '/v1/keymgr/cloud-b/reports')).toBe('createCloudBReport')
  const names = Object.keys(document.components.schemas as object)
  expect(names).toEqual(
    expect.arrayContaining([
      'LocalKey',
      'CloudAKey',
      'PageOfCloudAKeys',
      'CreateLocalKeyRequest',
      'Deleted',
      'Problem',
    ]),
  )
  for (const name of names) expect(name).toMatch(/^[A-Z][A-Za-z0-9]+$/)
})

test('every operation has a tag, and every tag a sentence', () => {
  const tags = document.tags as { name: string; description: string }[]
  for (const { description } of tags) expect(description).toMatch(/^[A-Z].*\.$/)
  const used = ROUTES.flatMap((route) => describedOf(route).tags as string[])
  expect(tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...new Set(used)]))
})

test('a schema occurs in it once', () => {
  const texts = Object.values(document.components.schemas as object).map((schema) => JSON.stringify(schema))
  expect(new Set(texts).size).toBe(texts.length)
})

test('every reference resolves', () => {
  const references = objectsIn(document).filter(({ value }) => '$ref' in value)
  expect(references.length).toBeGreaterThan(ROUTES.length)
  for (const { at, value } of references) expect(pointedAt(document, String(value.$ref)), at).toBeDefined()
})

test('the path parameters are those in the path', () => {
  for (const route of ROUTES) {
    const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const parameters = (describedOf(route).parameters ?? []) as { in?: string; name: string; required: boolean }[]
    const ofPath = parameters.filter((parameter) => parameter.in === 'path')
    expect(ofPath.map(({ name }) => name).sort(), nameOf(route)).toEqual([...named].sort())
    expect(ofPath.every(({ required }) => required)).toBe(true)
  }
})

/**
 * Objects with arbitrary members: the caller’s free JSON, labels, tags, release policies and the claims of
 * a token.
 */
const FREE =
  /\/properties\/(?:meta|metaContains|labels|(?:[a-z]+_)?tags|permissions|(?:[a-z_]+_)?release_policy|app_metadata|client_metadata|user_metadata|data|claims)(?:\/|$)/

/** Unknown fields are ignored here. @see RFC 6749 §3.2 */
const OF_A_STANDARD = ['POST /platform/auth/oauth/v1/token']

test('no body accepts an undescribed field', () => {
  const bodies = ROUTES.filter(({ operation }) => operation.declaration.body !== undefined)
  expect(bodies.length).toBeGreaterThan(15)
  for (const route of bodies.filter((each) => !OF_A_STANDARD.includes(nameOf(each)))) {
    const { schema } = describedOf(route).requestBody.content['application/json']
    for (const { at, value } of objectsIn(schema).filter((each) => each.value.type === 'object' && !FREE.test(each.at)))
      expect(value.additionalProperties, `${nameOf(route)} ${at}`).toBe(false)
  }
})

test('every required field and every rule between fields is described', () => {
  for (const { at, value } of objectsIn(whole.paths).filter((each) => Array.isArray(each.value.required)))
    for (const name of value.required as string[]) expect(value.properties, at).toHaveProperty([name])
  for (const route of ROUTES) {
    const { body } = route.operation.declaration
    for (const { message } of body ? rulesOf(body) : [])
      expect(JSON.stringify(describedOf(route).requestBody), nameOf(route)).toContain(
        JSON.stringify(message).slice(1, -1),
      )
  }
})

/** Answers that return a new secret once to its creator. */
const HANDS_OUT = [
  'POST /v1/keymgr/cloud-a/custom-key-stores',
  'POST /v1/keymgr/cloud-a/custom-key-stores/{id}/rotate-credential',
]

test('secrets are in requests only, except in the answer that creates them', () => {
  const secret = /^(?:password|new_password|password_hash|sealed|secret_hash|privateKey|secret_access_key|private_key)$/
  const showing = ROUTES.filter((route) => JSON.stringify(describedOf(route).responses).includes('"secret_access_key"'))
  expect(showing.map(nameOf).sort()).toEqual(HANDS_OUT)
  const answered = ROUTES.filter((route) => !HANDS_OUT.includes(nameOf(route))).flatMap((route) =>
    objectsIn(describedOf(route).responses),
  )
  expect(answered.length).toBeGreaterThan(100)
  for (const { at, value } of answered)
    expect(
      Object.keys(value.properties ?? {}).filter((name) => secret.test(name)),
      at,
    ).toEqual([])
  const withMaterial = ROUTES.filter((route) => JSON.stringify(describedOf(route).responses).includes('"material"'))
  expect(withMaterial.map(nameOf).sort()).toEqual([
    'POST /v1/vault/keys-bulk-export',
    'POST /v1/vault/keys2',
    'POST /v1/vault/keys2/{id}/clone',
    'POST /v1/vault/keys2/{id}/export',
    'POST /v1/vault/secrets/{id}/export',
  ])
})

const LISTS = ROUTES.filter((route) => queryOf(route).has('skip'))
/** A route's query parameters by name, with their descriptions. */
function queryOf({ operation }: RouteRow): Map<string, string> {
  const { query } = operation.declaration
  if (!(query instanceof z.ZodObject)) return new Map()
  const shape = query.shape as Readonly<Record<string, z.ZodType>>
  return new Map(Object.entries(shape).map(([name, schema]) => [name, JSON.stringify(schema.meta() ?? schema)]))
}
/** Single-valued properties of a list's records, from the description. */
function propertiesOf(route: RouteRow): string[] {
  const page = z.toJSONSchema(route.operation.declaration.answers ?? z.never(), { unrepresentable: 'any' }) as any
  const record = page.properties.resources.items
  const variants = (record.anyOf ?? record.oneOf ?? [record]) as any[]
  const isOne = (schema: any): boolean =>
    (schema.anyOf as any[] | undefined)?.every(isOne) ?? !['array', 'object'].includes(schema.type as string)
  return Object.keys(variants[0].properties as object).filter((name) =>
    variants.every(({ properties }) => properties[name] !== undefined && isOne(properties[name])),
  )
}

/** Parameters of a list without which it is refused. */
function requiredOf({ operation: { declaration } }: RouteRow): readonly string[] {
  const query = z.toJSONSchema(declaration.query ?? z.never(), { unrepresentable: 'any', io: 'input' })
  return query.required ?? []
}

test('every answer in pages has the form of a list', () => {
  expect(LISTS.length).toBeGreaterThan(30)
  const paged = ROUTES.filter(({ method, operation: { declaration } }) => {
    const { answers } = declaration
    return method === 'GET' && answers instanceof z.ZodObject && 'total' in answers.shape
  })
  expect(paged.map(nameOf)).toEqual(LISTS.map(nameOf))
})

async function platformToken(): Promise<string> {
  const platform = new Platform(service())
  return platform.token(await platform.credential(await administrator, 'lists'))
}

test.each(LISTS.map((route) => [nameOf(route), route] as const))(
  '%s is sorted by every property and narrowed by the time of creation',
  async (_name, route) => {
    expect([...queryOf(route).keys()]).toEqual(expect.arrayContaining(['sort', 'createdBefore', 'createdAfter']))
    const path = route.path.replaceAll(/\{\w+\}/g, '01890a5d-ac96-774b-bcce-b302099a8057')
    const token = await (isFromRoot(route.path) ? platformToken() : administrator)
    const needed = requiredOf(route).map((name) => `&${name}=01890a5d-ac96-774b-bcce-b302099a8057`)
    // the record does not exist, but the query is valid
    const seen = path === route.path && needed.length === 0 ? 200 : 404
    const all = ['createdAt', ...propertiesOf(route)]
    for (let at = 0; at < all.length; at += 10) {
      const sort = all.slice(at, at + 10).map((name, n) => (n % 2 === 0 ? name : `-${name}`))
      const query = `sort=${sort.join(',')}&createdAfter=2020-01-01T00:00:00Z&createdBefore=2999-01-01T00:00:00Z${needed.join('')}`
      const answer = await call(service().deployment.baseUrl, 'GET', `${fullPath(path)}?${query}`, { token })
      expect([200, seen], `${query} ${JSON.stringify(answer.body)}`).toContain(answer.status)
    }
    const none = await call(
      service().deployment.baseUrl,
      'GET',
      `${fullPath(path)}?createdBefore=1960-01-01T00:00:00Z${needed.join('')}`,
      { token },
    )
    if (none.status === 200) expect(none.body).toMatchObject({ total: 0, resources: [] })
  },
)

test('the refusal of a sort by an unknown property names the nearest one and all others', async () => {
  const refused = await service().call('GET', '/v1/vault/keys2?sort=creatdAt', { token: await administrator })
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ parameter: 'sort' }] } })
  expect(refused.body.detail).toMatch(/must name properties among createdAt, .*did you mean createdAt\?/)
  const many = Array.from({ length: 11 }, () => 'name').join(',')
  expect((await service().call('GET', `/v1/vault/keys2?sort=${many}`, { token: await administrator })).status).toBe(400)
})
