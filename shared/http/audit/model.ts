import * as z from 'zod'
import { fieldsOf } from '../../base/room.ts'
import { extended, object, strictObject } from '../../base/lazy-fields.ts'
import { Time } from '../common-fields.ts'
import { anyOf, anyPatterns, anyTexts, flag, listQuery } from '../lists/list-query.ts'

const SEVERITIES = ['info', 'warning', 'debug', 'error', 'critical'] as const

/** Kinds of values of a field that a protocol's calls add to `details`. */
export type DetailKind = 'text' | 'integer' | 'number' | 'flag'

declare module '../../base/room.ts' {
  interface RoomRow {
    /** Fields of `details` in records of its calls. */
    readonly auditDetails?: Readonly<Record<string, DetailKind>>
  }
}

const Details = z.looseObject({
  action: z.string(),
  /** the key in the call of an outside system */
  key: z.string().optional(),
  /** uri of the canary key that was used */
  canary: z.string().optional(),
  /** ids of the emergency blocks and drills that the call met, separated by spaces */
  emergency: z.string().optional(),
  /** URI of the approval request of the call, and its approvers, separated by commas */
  approval: z.string().optional(),
  approved_by: z.string().optional(),
  resource_uri: z.string().optional(),
  resource_name: z.string().optional(),
  before: z.record(z.string(), z.unknown()).optional(),
  after: z.record(z.string(), z.unknown()).optional(),
  /** positions in the log of the domain, of altered records */
  positions: z.array(z.int()).optional(),
  /** number of refusals of the same kind and address without a separate record since the last recorded one */
  unrecorded: z.int().optional(),
  /** the record was too large: texts are shortened, details may be missing */
  shortened: z.boolean().optional(),
})

/** The record of one call. It never changes, and is kept for 90 days, or for the deployment's retention. */
export const AuditRecord = object(() => ({
  id: z.uuid(),
  uri: z.string(),
  account: z.string(),
  createdAt: Time.meta({ description: 'time of the request, by the gateway, or of the event' }),
  recordedAt: Time.optional().meta({
    description: 'time of the machine that created the record; absent in records of former versions',
  }),
  severity: z.enum(SEVERITIES),
  service: z.string(),
  source: z.string(),
  message: z.string(),
  username: z.string(),
  clientIP: z.string(),
  success: z.boolean(),
  errorMessage: z.string().optional(),
  details: Details,
  requestId: z.string(),
  domain: z.string(),
  principal: z.object({ sub: z.string(), groups: z.array(z.string()), client_id: z.string().optional() }),
}))
export type AuditRecord = z.infer<typeof AuditRecord>

/** Whether a registered client acted. The `client_id` of a user's record is that of a public client. */
export const isOfClient = ({ principal: { sub, client_id } }: AuditRecord): boolean => client_id === sub

const SCHEMAS = { text: z.string(), integer: z.int(), number: z.number(), flag: z.boolean() }

/** The description of a record for callers: with the fields of all protocols. */
export function describedAuditRecord() {
  const fields = fieldsOf('auditDetails').flatMap((row) =>
    Object.entries(row).map(([name, kind]) => [name, SCHEMAS[kind].optional()] as const),
  )
  return extended(AuditRecord, () => ({ details: z.object({ ...Details.shape, ...Object.fromEntries(fields) }) }))
}

export const AuditPath = strictObject(() => ({ id: z.uuid() }))

/**
 * Ours: `domain` lets auditors of the root domain read a child domain's records, which no other query returns to them.
 */
export const AuditQuery = listQuery(AuditRecord, () => ({
  ...anyTexts('source', 'service'),
  severity: anyOf(SEVERITIES).optional(),
  ...anyPatterns('username', 'message'),
  ...anyTexts('clientIP', 'client_name'),
  success: flag().optional(),
  ...anyTexts('resource_uri', 'request_id', 'domain'),
}))
export type AuditQuery = z.infer<typeof AuditQuery>
