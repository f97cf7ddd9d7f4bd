import { Refusal } from '../../base/errors.ts'
import { Deleted, listOf } from '../../http/common-fields.ts'
import {
  type Operation,
  type Route,
  created,
  deleted,
  ok,
  operation,
  route,
  okStored,
  createdStored,
  refusing,
} from '../../http/operation.ts'
import { withRules } from '../../http/rules.ts'
import { CommonConnection, type ChangedOfConnection, type GivenOfConnection } from './bodies.ts'
import { createConnection, deleteConnection, getConnection, updateConnection } from './connections.ts'
import type { AnyConnectionKind } from './kind.ts'
import { offeredKinds } from './kinds.ts'
import { listConnections } from './list-connections.ts'
import { ConnectionPath, ConnectionQuery, ConnectionTest, ForceDeletion } from './model.ts'
import { RequestCertificate, RequestedCertificate } from './requests/model.ts'
import { requestCertificate } from './requests/requests.ts'
import { ServiceConnectionPath, ServicePath } from './service-path.ts'
import { testSaved, testUnsaved } from './test-connection.ts'
import * as z from 'zod'

const kinds = await offeredKinds()
const shownKinds = kinds.map(({ shown }) => shown)
const [first, ...others] = shownKinds
/** A connection of any kind, as shown. */
const Connection = first === undefined ? CommonConnection : z.discriminatedUnion('service', [first, ...others])

const Query = ConnectionQuery(shownKinds)

/** POST /v1/connectionmgmt/services/<service>/connections */
export const createOf = (service: string, body: z.ZodType<GivenOfConnection & { readonly name: string }>): Operation =>
  operation(
    { summary: 'Create Connection', body, answers: Connection, status: 201, may: 'connection-admins' },
    async ({ body: given, context }) => createdStored(await createConnection(context, service, given)),
  )

/** POST /v1/connectionmgmt/services/<service>/connection-test: stores nothing. */
export const testUnsavedOf = (service: string, body: z.ZodType<GivenOfConnection>): Operation =>
  operation(
    { summary: 'Test Unsaved Connection', body, answers: ConnectionTest, may: 'connection-admins', reads: true },
    async ({ body: given, context }) => ok(await testUnsaved(context, service, given)),
  )

/** POST /v1/connectionmgmt/services/<service>/connections/{id}/test: the body overrides the saved fields for this test. */
export const testOf = (service: string, body: z.ZodType<ChangedOfConnection>): Operation =>
  operation(
    { summary: 'Test Connection', path: ConnectionPath, body, answers: ConnectionTest, may: 'connection-admins' },
    async ({ path, body: change, context }) => ok(await testSaved(context, service, path.id, change)),
  )

/** PATCH /v1/connectionmgmt/services/<service>/connections/{id}: an absent secret keeps its value. */
export const updateOf = (service: string, body: z.ZodType<ChangedOfConnection>): Operation =>
  operation(
    { summary: 'Update Connection', path: ConnectionPath, body, answers: Connection, may: 'connection-admins' },
    async ({ path, body: change, context }) => okStored(await updateConnection(context, service, path.id, change)),
  )

/**
 * POST /v1/connectionmgmt/connections/csr: the private key stays here until a connection is created with the
 * certificate.
 */
export const requestOf = operation(
  {
    summary: 'Request Certificate',
    body: RequestCertificate,
    answers: RequestedCertificate,
    status: 201,
    may: 'connection-admins',
  },
  async ({ body, context }) => created(await requestCertificate(context, body)),
)

/** GET /v1/connectionmgmt/connections: connections of every kind. */
export const list = operation(
  { summary: 'List Connections', query: Query, answers: listOf(Connection), may: 'connection-readers' },
  async ({ query, context }) => ok(await listConnections(context, query)),
)

/** DELETE /v1/connectionmgmt/connections/{id}: a connection of any kind; refused while it is in use. */
export const remove = operation(
  { summary: 'Delete Connection', path: ConnectionPath, answers: Deleted, may: 'connection-admins' },
  async ({ path, context }) => {
    await deleteConnection(context, path.id)
    return deleted()
  },
)

/** POST /v1/connectionmgmt/connections/{id}/delete: with `force` also while it is in use. */
export const removeWithForce = operation(
  {
    summary: 'Delete Connection',
    path: ConnectionPath,
    body: ForceDeletion,
    answers: Deleted,
    may: 'connection-admins',
  },
  async ({ path, body, context }) => {
    await deleteConnection(context, path.id, body)
    return deleted()
  },
)

/**
 * Routes to read and delete the connections of a service whose name has two segments, which `{svc}` would not match.
 */
function routesOfLongName(svc: string, base: string): Route[] {
  const listOfOne = operation(
    {
      summary: 'List Connections of Service',
      action: 'ReadConnection',
      query: Query,
      answers: listOf(Connection),
      may: 'connection-readers',
    },
    async ({ query, context }) => ok(await listConnections(context, query, svc)),
  )
  const getOne = operation(
    { summary: 'Get Connection', path: ConnectionPath, answers: Connection, may: 'connection-readers' },
    async ({ path, context }) => okStored(await getConnection(context, svc, path.id)),
  )
  const removeOne = operation(
    { summary: 'Delete Connection', path: ConnectionPath, answers: Deleted, may: 'connection-admins' },
    async ({ path, context }) => {
      await deleteConnection(context, path.id, { kind: svc })
      return deleted()
    },
  )
  return [
    route('GET', `${base}/connections`, listOfOne),
    route('GET', `${base}/connections/{id}`, getOne),
    route('DELETE', `${base}/connections/{id}`, removeOne),
  ]
}

/** Routes with a body are described for each service, because each has fields of its own. */
function routesOfKind({ shown, bodies: { unsaved, create, update }, rules }: AnyConnectionKind): Route[] {
  const service = shown.shape.service.value
  const base = `/v1/connectionmgmt/services/${service}`
  return [
    ...(service.includes('/') ? routesOfLongName(service, base) : []),
    route('POST', `${base}/connections`, createOf(service, withRules(create, ...rules))),
    route('PATCH', `${base}/connections/{id}`, updateOf(service, update)),
    route('POST', `${base}/connections/{id}/test`, testOf(service, update)),
    route('POST', `${base}/connection-test`, testUnsavedOf(service, withRules(unsaved, ...rules))),
  ]
}

/** GET /v1/connectionmgmt/services/{svc}/connections */
export const listOfService = operation(
  {
    summary: 'List Connections of Service',
    action: 'ReadConnection',
    path: ServicePath,
    query: Query,
    answers: listOf(Connection),
    may: 'connection-readers',
  },
  async ({ path, query, context }) => ok(await listConnections(context, query, path.svc)),
)

/** The body of an unknown service. The service is refused before the body is read. */
const AnyBody = z.strictObject({})

/** A route for services without routes of their own: refuses the path with the reason, before the body is read. */
const refused = (summary: string, path: z.ZodType): Operation =>
  refusing({
    ...{ summary, path, body: AnyBody, may: 'connection-admins' },
    refuses: () => new Refusal('NOT_FOUND', 'There are no connections to such a service.'),
  })

export const createOfOther = refused('Create Connection', ServicePath)
export const testUnsavedOfOther = refused('Test Unsaved Connection', ServicePath)
export const updateOfOther = refused('Update Connection', ServiceConnectionPath)
export const testOfOther = refused('Test Connection', ServiceConnectionPath)

/** GET /v1/connectionmgmt/services/{svc}/connections/{id}: by id or name. */
export const get = operation(
  { summary: 'Get Connection', path: ServiceConnectionPath, answers: Connection, may: 'connection-readers' },
  async ({ path, context }) => okStored(await getConnection(context, path.svc, path.id)),
)

/** DELETE /v1/connectionmgmt/services/{svc}/connections/{id}: refused while it is in use. */
export const removeOfService = operation(
  { summary: 'Delete Connection', path: ServiceConnectionPath, answers: Deleted, may: 'connection-admins' },
  async ({ path, context }) => {
    await deleteConnection(context, path.id, { kind: path.svc })
    return deleted()
  },
)

/** Credentials for access to clouds. Routes of a named service precede those with `{svc}`. */
export const routes: readonly Route[] = [
  route('GET', '/v1/connectionmgmt/connections', list),
  route('POST', '/v1/connectionmgmt/connections/csr', requestOf),
  route('DELETE', '/v1/connectionmgmt/connections/{id}', remove),
  route('POST', '/v1/connectionmgmt/connections/{id}/delete', removeWithForce, 'forceDeleteConnection'),
  ...kinds.flatMap(routesOfKind),
  route('GET', '/v1/connectionmgmt/services/{svc}/connections', listOfService),
  route('POST', '/v1/connectionmgmt/services/{svc}/connections', createOfOther),
  route('GET', '/v1/connectionmgmt/services/{svc}/connections/{id}', get),
  route('PATCH', '/v1/connectionmgmt/services/{svc}/connections/{id}', updateOfOther),
  route('DELETE', '/v1/connectionmgmt/services/{svc}/connections/{id}', removeOfService),
  route('POST', '/v1/connectionmgmt/services/{svc}/connections/{id}/test', testOfOther),
  route('POST', '/v1/connectionmgmt/services/{svc}/connection-test', testUnsavedOfOther),
]
