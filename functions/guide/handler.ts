import { route, type Route } from '../../shared/http/operation.ts'
import { serve } from '../../shared/identity/serve.ts'
import { openapi } from './openapi.ts'

/** The API description. */
export const routes: readonly Route[] = [route('GET', '/v1/openapi.json', openapi)]

export const handler = serve(routes)
