import { createdStored, operation, route, type Route } from '../../http/operation.ts'
import { createCredential, credentials } from './credentials.ts'
import { CreatePlatformCredential, NewPlatformCredential } from './model.ts'

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
  async ({ body, context }) => createdStored(await createCredential(context, body)),
)

/** Credentials for the platform's audit-log endpoints. */
export const credentialRoutes: readonly Route[] = [...credentials.routes, route('POST', credentials.at, create)]
