import * as z from 'zod'
import { CloudAConnection } from '../../clouds/cloud-a/connections/model.ts'
import { CloudCConnection } from '../../clouds/cloud-c/connections/model.ts'
import { CATEGORIES } from './bodies.ts'
import { NameOrId } from '../../http/common-fields.ts'
import { anyOf, anyText, flag, listQuery, oneText, time } from '../../http/list-query.ts'

/** The kinds of cloud a connection can lead to: `{svc}` of the paths, `service` of the record. */
export const CLOUD_KINDS = ['cloud-a', 'cloud-b', 'cloud-c', 'cloud-d', 'crm', 'datacust'] as const
export type CloudKind = (typeof CLOUD_KINDS)[number]

/** A connection, as shown: its secrets never are. Each kind has fields of its own (interface "Connection"). */
export const Connection = z.discriminatedUnion('service', [CloudAConnection, CloudCConnection])
export type Connection = z.infer<typeof Connection>

export const ConnectionPath = z.strictObject({ id: NameOrId.meta({ description: 'id or name' }) })

export const ForceDeletion = z.strictObject({
  force: z.boolean().default(false).meta({ description: 'also while something uses it, which then has none' }),
})

/** What a test found. */
export const ConnectionTest = z.object({
  connection_ok: z.boolean(),
  connection_error: z.string().optional().meta({ description: 'why not, without secrets' }),
})
export type ConnectionTest = z.infer<typeof ConnectionTest>

export const ConnectionQuery = listQuery(
  ['createdAt', 'updatedAt', 'name', 'service', 'cloud_name', 'last_connection_ok', 'last_connection_at'],
  {
    id: anyText().optional(),
    name: anyText().optional(),
    service: anyOf(CLOUD_KINDS).optional(),
    category: anyOf(CATEGORIES).optional(),
    cloud_name: anyText().optional(),
    products: anyText().optional(),
    labels_query: oneText().optional(),
    meta_contains: oneText().optional(),
    last_connection_ok: flag().optional(),
    last_connection_after: time().optional(),
    last_connection_before: time().optional(),
    fields: anyText()
      .optional()
      .meta({ description: 'records are always whole; taken so that clients which ask for fields are served' }),
  },
)
export type ConnectionQuery = z.infer<typeof ConnectionQuery>
