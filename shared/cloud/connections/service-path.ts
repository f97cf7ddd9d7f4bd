import * as z from 'zod'
import { assertService, serviceNames } from './kinds.ts'
import { ConnectionPath } from './model.ts'

/**
 * `{svc}` of a path. It decides which fields a body has, so an unknown service is refused before the body is checked:
 * the caller learns about the service, not about fields of a wrong one.
 */
const service = z
  .string()
  .max(64)
  .meta({ description: `one of ${serviceNames().join(', ')}` })
  .transform((name) => {
    assertService(name)
    return name
  })

export const ServicePath = z.strictObject({ svc: service })
export const ServiceConnectionPath = ConnectionPath.extend({ svc: service })
