import { createdStored, operation, route, type Route } from '../../http/operation.ts'
import { routesOn } from '../../resource/routes.ts'
import {
  CreatePlatformCredential,
  NewPlatformCredential,
  PlatformCredential,
  PlatformCredentialQuery,
} from './model.ts'
import { createCredential, deleteCredential, getCredential, listCredentials } from './credentials.ts'

const AT = '/v1/audit/platform-credentials'
const on = routesOn({ at: AT, answers: PlatformCredential, reads: 'admins', changes: 'admins' })

/** POST /v1/audit/platform-credentials: shows the secret once. */
export const create = operation(
  {
    summary: 'Create Platform Credential',
    body: CreatePlatformCredential,
    answers: NewPlatformCredential,
    status: 201,
    may: 'admins',
    once: true,
  },
  ({ body, context }) => Promise.resolve(createdStored(createCredential(context, body))),
)

/** Credentials for the platform's audit-log endpoints. */
export const credentialRoutes: readonly Route[] = [
  on.list('List Platform Credentials', PlatformCredentialQuery, listCredentials),
  route('POST', AT, create),
  on.get('Get Platform Credential', getCredential),
  on.remove('Delete Platform Credential', deleteCredential),
]
