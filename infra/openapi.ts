import * as z from 'zod'
import { REFUSALS } from '../shared/base/errors.ts'
import { actionOf } from '../shared/http/action.ts'
import { isFromRoot } from '../shared/http/operation.ts'
import { PERMISSIONS, type Permission } from '../shared/http/permission.ts'
import { rulesOf } from '../shared/http/rules.ts'
import { KEY_PERMISSIONS } from '../shared/vault/keys/model.ts'
import { ROUTES, type RouteRow } from './routes.ts'

type Json = Record<string, unknown>

const STATUS_WORDS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content' }

/** A schema in the API description. Where JSON Schema has no word (a transform), it describes the input. */
const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    reused: 'inline',
  })
  return rest
}

function parametersOf(schema: z.ZodType | undefined, where: 'path' | 'query'): Json[] {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const { query, description } = described(field)
    const shown = where === 'query' ? (query ?? {}) : schemaOf(field, 'input')
    return {
      name,
      in: where,
      required: where === 'path',
      ...(description !== undefined && { description }),
      schema: shown,
      ...(where === 'query' && (shown as { type?: unknown }).type === 'array' && { style: 'form', explode: true }),
    }
  })
}

/** Description of a query parameter, inside the wrappers of optional and default. */
function described(field: z.ZodType): { query?: Json; description?: string } {
  const meta = (field.meta() ?? {}) as { query?: Json; description?: string } // set by shared/http/list-query.ts
  if (meta.query !== undefined || !('unwrap' in field) || typeof field.unwrap !== 'function') return meta
  return described((field.unwrap as () => z.ZodType)())
}

/** Below these, a cloud may be asked, and refuse; some clouds are not built yet. */
const CLOUD_PATHS = ['/v1/keymgr/', '/v1/connectionmgmt/']

/** Below these, clouds and operations are announced that are not built yet. */
const ANNOUNCED_PATHS = [...CLOUD_PATHS, '/v1/scheduler/']

/** Of every answer that counts against a limit (`shared/http/throttle.ts`). */
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
const limits = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const REDIRECT = {
  description: 'Found; too long to be answered, fetched from there without a token',
  headers: { ...limits, Location: { required: true, schema: { type: 'string', format: 'uri' } } },
}

const problemRef = { $ref: '#/components/responses/Problem' }

/** A refusal in the form of a protocol. */
const ownRefusal = (schema: z.ZodType): Json => ({
  description: 'Refused; the body says why',
  headers: limits,
  content: { 'application/json': { schema: schemaOf(schema, 'output') } },
})

function responsesOf({ operation: { declaration }, method, path }: RouteRow): Json {
  const {
    answers,
    status = 200,
    may,
    media = 'application/json',
    mayRedirect,
    mayDefer,
    mayBeDown,
    refuses,
    tries,
  } = declaration
  const { refusedAs } = declaration
  const writes = method !== 'GET'
  const asksCloud = CLOUD_PATHS.some((prefix) => path.startsWith(prefix))
  const announces = ANNOUNCED_PATHS.some((prefix) => path.startsWith(prefix))
  const isList = declaration.query instanceof z.ZodObject && 'limit' in declaration.query.shape
  const refusals = [
    400,
    ...(PERMISSIONS[may].token || writes ? [401, 403] : []),
    ...(path.includes('{') || writes ? [404] : []),
    ...(writes || asksCloud ? [409] : []),
    ...(writes ? [412, 413, 415] : []),
    ...(writes || isList ? [422] : []),
    429,
    500,
    ...(announces ? [501] : []),
    ...(asksCloud ? [502, 504] : []),
    503,
  ]
  const success = (answered: number, shown = answers): Json => ({
    description: STATUS_WORDS[answered] ?? 'OK',
    headers: limits,
    ...(shown && { content: { [media]: { schema: schemaOf(shown, 'output') } } }),
  })
  return {
    ...(refuses === undefined && { [status]: success(status) }),
    ...(mayDefer && { 202: success(202) }),
    ...(tries && { 200: success(200, tries) }),
    ...(mayRedirect && { 302: REDIRECT }),
    ...Object.fromEntries(refusals.map((refusal) => [refusal, problemRef])),
    ...(refusedAs && { 400: ownRefusal(refusedAs.schema), 401: ownRefusal(refusedAs.schema) }),
    ...(mayBeDown && { 503: { ...success(503), description: 'A part of the service is down' } }),
  }
}

function operationOf(route: RouteRow): Json {
  const { declaration } = route.operation
  const { summary, may, body, takes, path, query } = declaration
  const groups = PERMISSIONS[may].groups
  const rules = body ? rulesOf(body).map(({ message: rule }) => rule) : []
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => (next ?? '').toUpperCase())}`,
    summary,
    tags: [route.group],
    ...(PERMISSIONS[may].token && { 'x-keymgr-action': actionOf(declaration) }),
    description: [
      PERMISSIONS[may].token
        ? groups.length === 0
          ? may === 'platform-clients'
            ? 'Any valid token of a platform credential.'
            : 'Any valid token.'
          : `Takes a member of ${groups.join(', ')}.`
        : 'No token needed.',
      ...(rules.length > 0 ? [`Rules: ${rules.join('; ')}.`] : []),
    ].join(' '),
    security: PERMISSIONS[may].token ? [{ bearer: [] }] : [],
    parameters: [
      ...parametersOf(path, 'path'),
      ...parametersOf(query, 'query'),
      ...(['PATCH', 'PUT', 'DELETE'].includes(route.method) ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
      ...(route.method === 'POST' && declaration.once !== true && declaration.reads !== true
        ? [{ $ref: '#/components/parameters/IdempotencyKey' }]
        : []),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          ['application/json', ...(takes === undefined ? [] : [takes])].map((type) => [
            type,
            { schema: schemaOf(body, 'input') },
          ]),
        ),
      },
    }),
    responses: responsesOf(route),
  }
}

const PROBLEM = {
  type: 'object',
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

/** The API description, OpenAPI 3.1, from the declarations that check the requests. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {}
  for (const route of ROUTES) {
    const item = (paths[route.path] ??= isFromRoot(route.path) ? { servers: [{ url: '/' }] } : {})
    item[route.method.toLowerCase()] = operationOf(route)
  }
  paths['/v1/openapi.json'] = {
    get: {
      operationId: 'getV1OpenapiJson',
      summary: 'Get API Description',
      tags: ['guide'],
      description: 'No token needed.',
      security: [],
      parameters: [],
      responses: {
        200: { description: 'OK', headers: limits, content: { 'application/json': { schema: { type: 'object' } } } },
        429: problemRef,
        500: problemRef,
      },
    },
  }
  return {
    openapi: '3.1.0',
    info: { title: 'keymgr', version: '1', description: 'Multi-cloud key management service.' },
    servers: [{ url: '/api' }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      parameters: {
        IfMatch: {
          name: 'If-Match',
          in: 'header',
          required: false,
          description: 'the ETag last seen; 412 when the record has changed since',
          schema: { type: 'string' },
        },
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'the first answer is given again for 24 hours',
          schema: { type: 'string', maxLength: 128 },
        },
      },
      headers: LIMITS,
      responses: {
        Problem: {
          description: 'Refused; the body says why',
          headers: {
            ...limits,
            'Retry-After': { description: 'seconds, with 429 and 503', schema: { type: 'integer' } },
          },
          content: { 'application/problem+json': { schema: PROBLEM } },
        },
      },
    },
  }
}

/** Permissions that verbs need on a key besides their own action: wrapping another key needs encryption, for example. */
const USES = KEY_PERMISSIONS.filter((permission) => permission !== 'UseKey')

/** Every action that a policy can name, and the permission that it takes without one. */
export const actionTable = (): Record<string, Permission> =>
  Object.fromEntries([
    ...USES.map((name): [string, Permission] => [name, 'key-users']),
    ...ROUTES.map(({ operation: { declaration } }): [string, Permission] => [
      actionOf(declaration),
      declaration.may,
    ]).filter(([, may]) => PERMISSIONS[may].token),
  ])
