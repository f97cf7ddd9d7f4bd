import fc from '../support/fast-check.ts'
import { gunzipSync } from 'node:zlib'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { ROUTES, type RouteRow } from '../../infra/routes.ts'
import { fullPath } from '../../shared/http/serve.ts'
import { withoutReferences } from '../support/described.ts'
import { anyJson, nearly, oddText, valuesOf, type Known, type Schema } from '../support/json-schema.ts'
import { raw, type RawAnswer, type RawRequest } from '../support/raw.ts'
import { useService } from '../support/service.ts'

/**
 * Any request to any route gets an answer of the API description, or a refusal in the service's form. Here the service
 * checks its answers against their schemas and reports a mismatch as a fault, which no request may cause.
 */
const service = useService({ tlsPort: 'any' })
let token = ''
let loggedInAt = 0
let document: any
let userId = ''
let kmsId = ''

const RUNS = 5
const AT_ONCE = 8

const ALGORITHMS = { 'any-aes': 'aes', 'any-rsa': 'rsa', 'any-ec': 'ec', 'any-hmac': 'hmac-sha256' } as const

/** A token lasts five minutes, and the file longer than that on a slow machine. */
const TOKEN_USED_MS = 120_000

async function logIn(): Promise<void> {
  token = await service().logIn()
  loggedInAt = performance.now()
}

beforeAll(async () => {
  await logIn()
  document = withoutReferences((await service().call('GET', '/v1/openapi.json')).body)
})

/** Whether no request could change or delete what requests name since it was made. */
let prepared = false

/** Resources that requests can name. They are made again after each route that may delete them. */
beforeEach(async () => {
  if (performance.now() - loggedInAt > TOKEN_USED_MS) await logIn()
  if (prepared) return
  await Promise.all([...Object.entries(ALGORITHMS).map(([name, algorithm]) => makeKey(name, algorithm)), makeOthers()])
  prepared = true
})

async function makeKey(name: string, algorithm: string): Promise<void> {
  const { status, body } = await service().call('GET', `/v1/vault/keys2/${name}`, { token })
  if (status === 200 && body.state === 'Active') return
  if (status === 200) await service().call('DELETE', `/v1/vault/keys2/${name}`, { token })
  await service().call('POST', '/v1/vault/keys2', { token, body: { name, algorithm } })
}

async function makeOthers(): Promise<void> {
  await service().call('POST', '/v1/usermgmt/groups', { token, body: { name: 'any-group' } })
  const connection = { name: 'any-connection', access_key_id: 'AKIAANY0000000000001', secret_access_key: 'hidden' }
  await service().call('POST', '/v1/connectionmgmt/services/cloud-a/connections', { token, body: connection })
  kmsId = await anyKms()
  const there = await service().call('GET', '/v1/usermgmt/users?username=any-user', { token })
  const user = { username: 'any-user', password: 'Correct-horse-7' }
  const [one] = there.body.resources as { user_id: string }[]
  userId = one?.user_id ?? (await service().call('POST', '/v1/usermgmt/users', { token, body: user })).body.user_id
}

/** A KMS entry with a working connection. @returns its id */
async function anyKms(): Promise<string> {
  const there = await service().call('GET', '/v1/keymgr/cloud-a/kms?name=any-kms', { token })
  const [kms] = there.body.resources as { id: string; status: string }[]
  if (kms?.status === 'archived') await service().call('POST', `/v1/keymgr/cloud-a/kms/${kms.id}/recover`, { token })
  if (kms !== undefined) return kms.id
  const [account] = service().deployment.cloudA.accounts
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = account?.credentials ?? {}
  const connection = { name: 'any-cloud', access_key_id, secret_access_key }
  await service().call('POST', '/v1/connectionmgmt/services/cloud-a/connections', { token, body: connection })
  const body = { name: 'any-kms', account_id: account?.id, connection: 'any-cloud', regions: ['us-east-1'] }
  return (await service().call('POST', '/v1/keymgr/cloud-a/kms', { token, body })).body.id as string
}

const aKey = fc.constantFrom(...Object.keys(ALGORITHMS), 'any-connection', 'no-such-key')

/** Fields whose valid values random generation would never find. */
const KNOWN: Known = {
  algorithm: fc.constantFrom('aes', 'AES', 'ec', 'tdes', 'hmac-sha256', 'rsa', 'opaque', 'rot13'),
  size: fc.constantFrom(128, 192, 256, 1024, 2048, 0),
  curveid: fc.constantFrom('prime256v1', 'secp256k1', 'secp521r1', 'curve25519', 'none'),
  wrapKeyName: aKey,
  material: fc.oneof(
    fc.uint8Array({ minLength: 8, maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('hex')),
    fc.constantFrom('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', '00', 'zz', '=', 'MAA='),
    oddText(),
  ),
  username: fc.oneof(fc.constantFrom('any-user', 'nobody'), oddText()),
  domain: fc.constantFrom('root', 'none'),
  grant_type: fc.constantFrom('password', 'refresh_token', 'client_credential'),
  refresh_token: oddText(),
  connection: fc.constantFrom('any-cloud', 'any-connection', 'none'),
  kms: fc.constantFrom('any-kms', 'none'),
  region: fc.constantFrom('us-east-1', 'eu-west-1', 'nowhere'),
  regions: fc.subarray(['us-east-1', 'eu-west-1', 'us-west-2', 'ap-east-1']),
  account_id: fc.constantFrom('111122223333', '444455556666'),
}

/** Percent-encoded, partly with broken encoding. */
const segment = fc.oneof(
  oddText().map((text) => encodeURIComponent(text.toWellFormed())),
  fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => bytes.reduce((all, byte) => `${all}%${hex(byte)}`, '')),
  fc.constantFrom('%', '%2', '%00', '%2F', '%3F', '%252F', '..', '.', '%E0%A4', '~', 'a;b=c', '+'),
  fc.uuid(),
)
const hex = (byte: number): string => byte.toString(16).padStart(2, '0')

const parameter = (name: string): fc.Arbitrary<string> => {
  const known: Readonly<Record<string, fc.Arbitrary<string>>> = {
    id: fc.oneof(
      { arbitrary: aKey, weight: 4 },
      { arbitrary: fc.constant(kmsId), weight: 4 },
      fc.uuid(),
      fc.stringMatching(/^[0-9a-f]{64}$/),
    ),
    user_id: fc.constantFrom(userId, 'local|01890000-0000-7000-8000-00000000ffff').map(encodeURIComponent),
    name: fc.constantFrom('any-group', 'Key%20Users', 'none'),
    svc: fc.constantFrom('cloud-a', 'cloud-a', 'cloud-a', 'cloud-d', 'cloud-z'),
  }
  return fc.oneof(segment, { arbitrary: known[name] ?? fc.uuid(), weight: 6 })
}

const pathOf = ({ path }: RouteRow): fc.Arbitrary<string> => {
  const parts = fullPath(path).split('/')
  const each = parts.map((part) => (part.startsWith('{') ? parameter(part.slice(1, -1)) : fc.constant(part)))
  return fc.tuple(...each).map((filled) => filled.join('/'))
}

interface Described {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
}

const describedOf = ({ method, path }: RouteRow): Described => document.paths[path][method.toLowerCase()] as Described

function queryOf({ parameters = [] }: Described): fc.Arbitrary<string> {
  const known = parameters.filter((each) => each.in === 'query')
  const term = ([name, value]: [string, unknown]): string =>
    `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(String(value).toWellFormed())}`
  const odd = fc.tuple(oddText(), oddText())
  const terms = known.map(({ name, schema }) =>
    fc.tuple(fc.constant(name), fc.oneof(valuesOf(schema, KNOWN), oddText())),
  )
  return fc.oneof(
    { arbitrary: fc.constant(''), weight: 9 },
    { arbitrary: fc.array(fc.oneof(odd, ...terms), { maxLength: 3 }).map((all) => all.map(term).join('&')), weight: 3 },
    fc.stringMatching(/^[!-~]{0,30}$/).map((text) => text.replaceAll('#', '%')),
  )
}

function bodyOf({ requestBody }: Described): fc.Arbitrary<string | Uint8Array | undefined> {
  const schema = requestBody?.content['application/json']?.schema
  const text = (value: unknown): string => JSON.stringify(value)
  const arbitrary = fc.oneof(anyJson().map(text), fc.uint8Array({ maxLength: 64 }), fc.constant(undefined))
  if (schema === undefined) return fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, arbitrary)
  return fc.oneof(
    { arbitrary: valuesOf(schema, KNOWN).map(text), weight: 2 },
    { arbitrary: nearly(schema, KNOWN).map(text), weight: 3 },
    arbitrary,
  )
}

const headers = fc.oneof(
  { arbitrary: fc.constant({}), weight: 8 },
  fc.record(
    {
      'idempotency-key': fc.stringMatching(/^[ -~]{0,12}$/),
      'if-match': fc.oneof(fc.constantFrom('*', '"1"', 'W/"1"'), fc.stringMatching(/^[ -~]{0,12}$/)),
      'accept-encoding': fc.constantFrom('gzip', 'gzip;q=0', '*', ',,;q'),
      'content-type': fc.constantFrom(
        'application/json',
        'application/json;',
        'text/plain',
        ';',
        'multipart/form-data',
      ),
      'content-encoding': fc.constantFrom('gzip', 'identity'),
    },
    { requiredKeys: [] },
  ),
)

const requestOf = (route: RouteRow): fc.Arbitrary<RawRequest> =>
  fc
    .record({
      path: pathOf(route),
      query: queryOf(describedOf(route)),
      body: route.method === 'GET' ? fc.constant(undefined) : bodyOf(describedOf(route)),
      more: headers,
    })
    .map(({ path, query, body, more }) => ({
      method: route.method,
      target: query === '' ? path : `${path}?${query}`,
      headers: { 'content-type': 'application/json', ...more },
      body,
    }))

const withToken = (request: RawRequest): RawRequest => ({
  ...request,
  headers: { authorization: `Bearer ${token}`, ...request.headers },
})

const NONE: RawAnswer = { status: 599, headers: {}, bytes: Buffer.alloc(0) }

/** The front door decodes a path and cuts it at a `?`, so a segment with these escapes leads to another address. */
const ELSEWHERE = /%(?:2f|3f)/i

/** Statuses from the front door, without a function. */
const OF_THE_GATEWAY = [400, 404, 431]

/** Status of operations that are not available yet. */
const NOT_OFFERED = 501

/** A refusal by a cloud, for instance of an unknown role. */
const isOfCloud = (text: string): boolean => text.includes('"codeDesc":"KMERRCloudError')

/** The logged fault, which the answer does not show. */
const faultOf = (answer: RawAnswer): string =>
  service()
    .deployment.logs()
    .filter(({ warns, text }) => warns && text.includes(String(answer.headers['x-request-id'])))
    .map(({ text }) => text.slice(0, 600))
    .join(' ')

const excerpt = (text: unknown): string => String(text).slice(0, 300)

function assertKnown({ method, target, body: sent }: RawRequest, answer: RawAnswer, described: Described): void {
  const packed = answer.headers['content-encoding'] === 'gzip'
  const text = (packed ? gunzipSync(answer.bytes) : answer.bytes).toString('utf8')
  const asked = `${method} ${excerpt(target)} ${excerpt(sent)}`
  const said = `${asked}: ${answer.status} ${excerpt(text)} ${faultOf(answer)}`
  if (answer.status !== NOT_OFFERED && !isOfCloud(text)) expect(answer.status, said).toBeLessThan(500)
  if (answer.status < 300) {
    const [media = ''] = (answer.headers['content-type'] ?? '').split(';')
    if (media === 'application/json' && text !== '') JSON.parse(text)
    else if (text !== '' && !ELSEWHERE.test(target))
      expect(described.responses[String(answer.status)]?.content, said).toHaveProperty([media])
    if (!ELSEWHERE.test(target)) expect(Object.keys(described.responses), said).toContain(String(answer.status))
    return
  }
  const body = JSON.parse(text) as Record<string, unknown>
  const ownForm = described.responses[String(answer.status)]?.content
  if ('error' in body && ownForm !== undefined) {
    expect(Object.keys(ownForm), said).toEqual([answer.headers['content-type']])
    return
  }
  if (answer.headers['content-type'] === 'application/json') {
    expect(OF_THE_GATEWAY, said).toContain(answer.status)
    expect(Object.keys(body), said).toEqual(['message'])
    return
  }
  expect(answer.headers['content-type'], said).toBe('application/problem+json')
  expect(body, said).toMatchObject({ status: answer.status, traceId: answer.headers['x-request-id'] })
  for (const member of ['type', 'title', 'detail', 'codeDesc']) expect(body[member], said).toBeTypeOf('string')
  expect(body.code, said).toBeTypeOf('number')
}

/** The routes with a literal segment where `route` has a parameter: they answer such requests instead. */
const moreSpecific = (route: RouteRow): readonly RouteRow[] => {
  const parts = route.path.split('/')
  return ROUTES.filter(({ method, path }) => {
    const others = path.split('/')
    return (
      method === route.method &&
      path !== route.path &&
      others.length === parts.length &&
      others.every((part, at) => part === parts[at] || (parts[at] ?? '').startsWith('{'))
    )
  })
}

const isAt = (target: string, { path }: RouteRow): boolean => {
  const parts = path.split('/')
  const given = (target.split('?')[0] ?? '').replace(/^\/api/, '').split('/')
  return parts.every((part, at) => part.startsWith('{') || part === given[at])
}

test.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s answers any request as described',
  async (_name, route) => {
    prepared = route.method === 'GET'
    const others = moreSpecific(route)
    const describing = ({ target }: RawRequest): Described =>
      describedOf(others.find((other) => isAt(target, other)) ?? route)
    await fc.assert(
      fc.asyncProperty(fc.array(requestOf(route), { minLength: AT_ONCE, maxLength: AT_ONCE }), async (requests) => {
        const { baseUrl } = service().deployment
        const answers = await Promise.all(requests.map((request) => raw(baseUrl, withToken(request))))
        for (const [at, request] of requests.entries()) assertKnown(request, answers[at] ?? NONE, describing(request))
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
    const after = await raw(service().deployment.baseUrl, withToken({ method: 'GET', target: '/api/v1/domain' }))
    expect(after.status).toBe(200)
  },
)
