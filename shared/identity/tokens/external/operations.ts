import { listOf } from '../../../http/common-fields.ts'
import { created, ok, operation, route, type Route } from '../../../http/operation.ts'
import {
  Authorization,
  BeginAuthorization,
  BeginDevice,
  DeviceAuthorization,
  IdProvider,
  IdProviderQuery,
} from './oidc-model.ts'

/** POST /v1/auth/oidc/authorizations: nothing is stored; `grant_type` authorization_code finishes it. */
const authorize = operation(
  {
    summary: 'Begin Log-in',
    body: BeginAuthorization,
    answers: Authorization,
    status: 201,
    may: 'anyone',
    reads: true,
    once: true,
  },
  async ({ body, context }) => created(await (await import('./oidc.ts')).beginAuthorization(context, body)),
)

/** POST /v1/auth/oidc/device-authorizations: nothing is stored; `grant_type` device_code finishes it. */
const authorizeDevice = operation(
  {
    summary: 'Begin Device Log-in',
    body: BeginDevice,
    answers: DeviceAuthorization,
    status: 201,
    may: 'anyone',
    reads: true,
    once: true,
  },
  async ({ body, context }) => created(await (await import('./oidc.ts')).beginDevice(context, body)),
)

/** GET /v1/auth/id-providers: only names and kinds of the external ways to log in. */
const listProviders = operation(
  { summary: 'List Identity Providers', query: IdProviderQuery, answers: listOf(IdProvider), may: 'anyone' },
  async ({ query }) => ok(await (await import('./id-providers.ts')).idProviders(query)),
)

/** External ways to log in. Their code is loaded with the first call. */
export const externalRoutes: readonly Route[] = [
  route('POST', '/v1/auth/oidc/authorizations', authorize),
  route('POST', '/v1/auth/oidc/device-authorizations', authorizeDevice),
  route('GET', '/v1/auth/id-providers', listProviders),
]
