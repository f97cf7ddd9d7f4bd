import * as z from 'zod'
import { assertBuilt, type Clouds } from '../registry.ts'
import { Refusal } from '../../base/errors.ts'
import { CLOUD_KINDS, ConnectionPath, type CloudKind } from './model.ts'

const isKind = (service: string): service is CloudKind => (CLOUD_KINDS as readonly string[]).includes(service)

/** @throws Refusal NOT_FOUND for a service that does not exist, NOT_SUPPORTED, naming it, for one not offered yet */
function offered(service: string): keyof Clouds {
  if (!isKind(service)) throw new Refusal('NOT_FOUND', 'There are no connections to such a service.')
  assertBuilt(service)
  return service
}

/**
 * `{svc}` of a path. It decides which fields a body has, so it is refused before they are looked at: a caller of
 * another service is told of the service, not of its fields.
 */
const Service = z
  .string()
  .max(64)
  .meta({ description: `one of ${CLOUD_KINDS.join(', ')}` })
  .transform(offered)

export const ServicePath = z.strictObject({ svc: Service })
export const ServiceConnectionPath = ConnectionPath.extend({ svc: Service })
