import * as z from 'zod'
import { CATEGORIES, CommonConnection } from './bodies.ts'
import { serviceNames } from './kinds.ts'
import { NameOrId } from '../../http/common-fields.ts'
import { connectionTest } from '../../http/connection-test.ts'
import {
  anyOf,
  anyPatterns,
  anyText,
  anyTexts,
  flag,
  listQuery,
  oneText,
  propertiesOf,
  time,
} from '../../http/lists/list-query.ts'
import { strictObject } from '../../base/lazy-fields.ts'

/** A connection, as shown: without its secrets. Each service has further fields of its own. */
export interface Connection extends z.infer<typeof CommonConnection> {
  readonly service: string
  /** for clouds only */
  readonly cloud_name?: string | undefined
}

export const ConnectionPath = strictObject(() => ({ id: NameOrId.meta({ description: 'id or name' }) }))

export const ForceDeletion = strictObject(() => ({
  force: z
    .boolean()
    .default(false)
    .meta({ description: 'also while a record uses it; the record then has no connection' }),
}))

/** The outcome of a test. */
export const ConnectionTest = connectionTest()

/** @param kinds connections as each kind shows them: a list is also sorted by their own fields */
export const ConnectionQuery = (kinds: readonly z.ZodType[]) =>
  listQuery(
    CommonConnection,
    () => ({
      ...anyPatterns('name'),
      ...anyTexts('id'),
      service: anyOf(serviceNames()).optional(),
      category: anyOf(CATEGORIES).optional(),
      ...anyTexts('cloud_name', 'products'),
      labels_query: oneText().optional(),
      meta_contains: oneText().optional(),
      last_connection_ok: flag().optional(),
      last_connection_after: time().optional(),
      last_connection_before: time().optional(),
      fields: anyText()
        .optional()
        .meta({ description: 'records are always whole; taken so that clients which ask for fields are served' }),
    }),
    ownProperties(kinds),
  )
export type ConnectionQuery = z.infer<ReturnType<typeof ConnectionQuery>>

/** Single-valued fields that only some kinds have. */
const ownProperties = (kinds: readonly z.ZodType[]): string[] =>
  [...new Set(kinds.flatMap(propertiesOf))].filter((name) => !(name in CommonConnection.shape))
