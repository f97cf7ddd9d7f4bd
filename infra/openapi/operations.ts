import { actionOf } from '../../shared/http/action.ts'
import { dangerOf, labelOf } from '../../shared/http/danger.ts'
import { isWrite } from '../../shared/http/operation.ts'
import { PERMISSIONS, type Permission } from '../../shared/http/permission.ts'
import { FORM } from '../../shared/http/request/parse.ts'
import type { RouteRow } from '../routes.ts'
import type { Schemas } from './components.ts'
import { operationIdOf } from './operation-ids.ts'
import { responsesOf } from './responses.ts'
import { schemaOf, type Json } from './schemas.ts'
import { capitalized } from './words.ts'

function callers(may: Permission): string {
  const { token, groups } = PERMISSIONS[may]
  if (!token) return 'No token needed.'
  if (groups.length > 0) return `For ${groups.join(', ')}.`
  return may === 'platform-clients' ? 'Any valid token of a platform credential.' : 'Any valid token.'
}

/** Facts about an operation that no schema expresses. */
function membersOf(route: RouteRow): Json {
  const { summary, may, begins, once, reads } = route.operation.declaration
  const { token, groups } = PERMISSIONS[may]
  const { level, lost } = dangerOf(route)
  return {
    'x-keymgr-label': labelOf(summary),
    ...(token && { 'x-keymgr-action': actionOf(route.operation.declaration), 'x-keymgr-groups': groups }),
    ...(isWrite(route) && { 'x-keymgr-danger': level }),
    ...(lost !== undefined && { 'x-keymgr-lost': lost }),
    ...(route.method === 'POST' && once === true && reads !== true && { 'x-keymgr-once': true }),
    ...(begins && { 'x-keymgr-job': begins }),
  }
}

function requestBodyOf(route: RouteRow, schemas: Schemas): Json | undefined {
  const { body, takes } = route.operation.declaration
  if (body === undefined) return undefined
  const schema = schemas.use(schemaOf(body, 'input'), { name: `${capitalized(operationIdOf(route))}Request`, rank: 5 })
  const types = takes === FORM ? [takes] : ['application/json', ...(takes === undefined ? [] : [takes])]
  return { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) }
}

/** The description of an operation. @param parameters as references */
export function operationOf(route: RouteRow, schemas: Schemas, parameters: readonly Json[]): Json {
  const { declaration } = route.operation
  const { summary, may } = declaration
  const requestBody = requestBodyOf(route, schemas)
  return {
    operationId: operationIdOf(route),
    summary,
    tags: [route.group],
    ...(!PERMISSIONS[may].token && { security: [] }),
    ...membersOf(route),
    description: callers(may),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, schemas),
  }
}
