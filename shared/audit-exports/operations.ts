import { created, ok, operation, redirect, route, type Route } from '../http/operation.ts'
import { PlatformToken, TokenError, TokenRequest } from './credentials/model.ts'
import { archiveAt } from './address.ts'
import { createExport, getExport } from './exports.ts'
import { AddressQuery, CreatedExport, CreateExport, ExportPath, ExportState } from './model.ts'
import { listServiceInstances, ServiceInstanceQuery, ServiceInstances } from './service-instances.ts'
import { issuePlatformToken, tokenError } from './token.ts'

/** POST /platform/auth/oauth/v1/token: a form, with errors as specified by RFC 6749. */
export const issueToken = operation(
  {
    summary: 'Generate Platform Token',
    body: TokenRequest,
    takes: 'application/x-www-form-urlencoded',
    answers: PlatformToken,
    may: 'anyone',
    once: true,
    refusedAs: { schema: TokenError, answer: tokenError },
  },
  async ({ body, context }) => ok(await issuePlatformToken(context, body)),
)

/** GET /platform/api/v1/service_instances */
export const instances = operation(
  {
    summary: 'List Service Instances',
    query: ServiceInstanceQuery,
    answers: ServiceInstances,
    may: 'platform-clients',
  },
  async ({ query, context }) => ok(await listServiceInstances(context, query)),
)

/** POST /platform/api/v1/audit-log-exports: begins an export. */
export const create = operation(
  {
    summary: 'Create Audit Log Export',
    body: CreateExport,
    answers: CreatedExport,
    status: 201,
    may: 'platform-clients',
    begins: {
      read: '/platform/api/v1/audit-log-exports/{jobId}',
      status: 'status',
      pending: ['in_progress'],
      failed: ['failed'],
      reasons: ['message'],
      done: 'records',
    },
  },
  async ({ body, context }) => created(await createExport(context, body)),
)

/** GET /platform/api/v1/audit-log-exports/{jobId}: its state, and its address once completed. */
export const get = operation(
  {
    summary: 'Get Audit Log Export',
    path: ExportPath,
    answers: ExportState,
    mayDefer: true,
    may: 'platform-clients',
  },
  ({ path, context }) => getExport(context, path.jobId),
)

/** GET /platform/api/v1/audit-log-exports/{jobId}/archive: the signed address, which needs no token. */
export const archive = operation(
  { summary: 'Get Audit Log Archive', path: ExportPath, query: AddressQuery, mayRedirect: true, may: 'anyone' },
  async ({ path, query, context }) => redirect(await archiveAt(context, path.jobId, query)),
)

const EXPORTS = '/platform/api/v1/audit-log-exports'

/** The platform's audit-log endpoints, with tokens of their own. */
export const routes: readonly Route[] = [
  route('POST', '/platform/auth/oauth/v1/token', issueToken),
  route('GET', '/platform/api/v1/service_instances', instances),
  route('POST', EXPORTS, create),
  route('GET', `${EXPORTS}/{jobId}`, get),
  route('GET', `${EXPORTS}/{jobId}/archive`, archive),
]
