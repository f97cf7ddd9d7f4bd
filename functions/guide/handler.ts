import { route, type Route } from '../../shared/http/operation.ts'
import { serveWith } from '../../shared/http/serve.ts'
import { admit } from '../../shared/identity/policies/admit.ts'
import { authenticate } from '../../shared/identity/tokens/bearer.ts'
import { openapi } from './openapi.ts'

/** The API description. */
export const routes: readonly Route[] = [route('GET', '/v1/openapi.json', openapi)]

/** This function has no access to the table, so it writes no figures. */
export const handler = serveWith({ authenticate, admit }, routes)
