import * as z from 'zod'
import { ServiceConnectionPath, ServicePath } from '../../../shared/cloud/connections/service-path.ts'
import { Refusal } from '../../../shared/base/errors.ts'
import { operation, type Operation } from '../../../shared/http/operation.ts'
import { Connection, ConnectionTest } from '../../../shared/cloud/connections/model.ts'

/** Nobody knows its fields; the service is refused before they are looked at. */
const AnyBody = z.strictObject({})

/** What is asked of a service without routes of its own is refused when its path is read, which says why. */
const refused = (says: string, path: z.ZodType, answers: z.ZodType): Operation =>
  operation({ says, path, body: AnyBody, answers, may: 'connection-admins' }, () =>
    Promise.reject(new Refusal('NOT_FOUND', 'There are no connections to such a service.')),
  )

export const createOfOther = refused('Create Connection', ServicePath, Connection)
export const testUnsavedOfOther = refused('Test Unsaved Connection', ServicePath, ConnectionTest)
export const updateOfOther = refused('Update Connection', ServiceConnectionPath, Connection)
export const testOfOther = refused('Test Connection', ServiceConnectionPath, ConnectionTest)
