import { CLOUDS } from '../shared/clouds/all.ts'
import { actionOf } from '../shared/http/action.ts'
import { isFromRoot } from '../shared/http/operation.ts'
import { PERMISSIONS, type Permission } from '../shared/http/permission.ts'
import { DryRun } from '../shared/http/dry-run.ts'
import { KEY_PERMISSIONS } from '../shared/vault/keys/model.ts'
import { Schemas } from './openapi/components.ts'
import { dataPlanes } from './openapi/data-planes.ts'
import { withExamples } from './openapi/examples.ts'
import { operationOf } from './openapi/operations.ts'
import { Parameters, parametersOf } from './openapi/parameters.ts'
import { LIMIT_HEADERS, problemRef, problemResponse, success } from './openapi/responses.ts'
import { sharedResponses } from './openapi/shared-responses.ts'
import { schemaOf, type Json } from './openapi/schemas.ts'
import { tagsOf } from './openapi/tags.ts'
import { workOfClouds } from './openapi/work.ts'
import { ROUTES, type RouteRow } from './routes.ts'

const OWN_PATH = '/v1/openapi.json'
const GUIDE = 'guide'

/** A function serves this description. It is in no list of routes, since it contains the description. */
const itself = {
  operationId: 'getApiDescription',
  summary: 'Get API Description',
  tags: [GUIDE],
  description: 'No token needed.',
  security: [],
  responses: { 200: success(200, { type: 'object' }), default: problemRef },
}

const INFO = {
  title: 'keymgr',
  version: '1',
  summary: 'Multi-cloud key management service',
  description:
    'Keys of its own, keys of several clouds, and endpoints at which clouds use keys that never leave the service. Times are RFC 3339 in UTC. Lists come in pages (`skip`, `limit`, `total`). Refusals are problems of RFC 9457, whose `status` and `code` say which. A POST may be repeated with its `Idempotency-Key`, a change may be bound to the `ETag` last seen with `If-Match`. Every answer that counts against a limit says so in `RateLimit-Policy` and `RateLimit`.',
}

function operationPaths(
  routes: readonly RouteRow[],
  schemas: Schemas,
  parameters: Parameters,
): { paths: Record<string, Json>; shared: Json } {
  const taken = routes.map((route) => ({ route, parameters: parametersOf(route) }))
  for (const { route, parameters: own } of taken) parameters.count(route, own)
  const { components, reference } = parameters.named()
  const paths: Record<string, Json> = {}
  for (const { route, parameters: own } of taken) {
    const item = (paths[route.path] ??= isFromRoot(route.path) ? { servers: [{ url: '/' }] } : {})
    item[route.method.toLowerCase()] = operationOf(route, schemas, own.map(reference))
  }
  return { paths, shared: components }
}

/** The API description, OpenAPI 3.1, generated from the declarations that validate the requests. */
export async function openApiDocument(routes = ROUTES, clouds = CLOUDS): Promise<Json> {
  const schemas = new Schemas()
  const { paths, shared } = operationPaths(routes, schemas, new Parameters())
  const planes = await dataPlanes(schemas)
  const { whole, schemas: components } = schemas.named({
    paths: { ...paths, ...planes.paths, [OWN_PATH]: { get: itself } },
    problem: problemResponse(schemas),
    dryRun: schemas.use(schemaOf(DryRun, 'output'), { name: 'DryRun', rank: 0 }),
  })
  const named = whole.paths as Record<string, Json>
  const responses = { Problem: whole.problem, ...sharedResponses(named) }
  const groups = new Set([...routes.map(({ group }) => group), ...planes.tags, GUIDE])
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/api' }],
    'x-keymgr-dry-run': whole.dryRun,
    security: [{ bearer: [] }],
    tags: tagsOf(groups, clouds),
    'x-keymgr-work': workOfClouds(),
    paths: named,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }, ...planes.securitySchemes },
      parameters: shared,
      headers: LIMIT_HEADERS,
      responses,
      schemas: withExamples(components),
    },
  }
}

/**
 * Permissions that operations need on a key besides their own action: wrapping another key needs encryption, for
 * example.
 */
const USES = KEY_PERMISSIONS.filter((permission) => permission !== 'UseKey')

/** Every action that a policy can name, with the permission that it requires where no policy applies. */
export const actionTable = (): Record<string, Permission> =>
  Object.fromEntries([
    ...USES.map((name): [string, Permission] => [name, 'key-users']),
    ...ROUTES.map(({ operation: { declaration } }): [string, Permission] => [
      actionOf(declaration),
      declaration.may,
    ]).filter(([, may]) => PERMISSIONS[may].token),
  ])
