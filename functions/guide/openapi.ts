import description from 'keymgr:openapi'
import * as z from 'zod'
import { ok, operation } from '../../shared/http/operation.ts'

/** GET /v1/openapi.json: generated with the bundle, from the declarations that check the requests. */
export const openapi = operation(
  { summary: 'Get API Description', answers: z.looseObject({ openapi: z.string() }), may: 'anyone', cacheable: true },
  () => Promise.resolve(ok(description)),
)
