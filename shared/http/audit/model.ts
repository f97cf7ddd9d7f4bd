import * as z from 'zod'
import { Time } from '../common-fields.ts'
import { anyOf, anyText, flag, listQuery } from '../list-query.ts'

const SEVERITIES = ['info', 'warning', 'debug', 'error', 'critical'] as const

/** What a cloud says of its call to an external key store, in the names of that protocol. */
const CloudCall = z.object({
  /** the key of the store that was asked for */
  key: z.string().optional(),
  kmsRequestId: z.string().optional(),
  kmsOperation: z.string().optional(),
  kmsKeyArn: z.string().optional(),
  awsSourceVpc: z.string().optional(),
  awsSourceVpce: z.string().optional(),
  kmsViaService: z.string().optional(),
})

/** What a cloud says of its call to an EKM endpoint, and what the endpoint's policy made of it. */
const EkmCall = z.object({
  /** number of the key's version that was used */
  version: z.int().optional(),
  /** why the data is used */
  reason: z.string().optional(),
  /** the cloud's own name of the key's version */
  resource: z.string().optional(),
  /** the same with the service it belongs to */
  fullResource: z.string().optional(),
  healthCheck: z.boolean().optional(),
  /** the rule that decided */
  rule: z.string().optional(),
  /** SHA-256 of the policy that decided, its dialect in front: `<dialect>\n<Rego>` */
  policy: z.string().optional(),
  policyError: z.string().optional(),
  /** why the key could not be used, once the policy had let the call in */
  refusal: z.string().optional(),
  /** how long the call took, in milliseconds */
  ms: z.number().optional(),
})

/** What one call left behind. Append-only; kept 90 days. */
export const AuditRecord = z.object({
  id: z.uuid(),
  uri: z.string(),
  account: z.string(),
  createdAt: Time,
  severity: z.enum(SEVERITIES),
  service: z.string(),
  source: z.string(),
  message: z.string(),
  username: z.string(),
  clientIP: z.string(),
  success: z.boolean(),
  errorMessage: z.string().optional(),
  details: z.object({
    action: z.string(),
    resource_uri: z.string().optional(),
    resource_name: z.string().optional(),
    before: z.record(z.string(), z.unknown()).optional(),
    after: z.record(z.string(), z.unknown()).optional(),
    /** refusals of the same kind and address that made no record of their own since the last one that did */
    unrecorded: z.int().optional(),
    ...CloudCall.shape,
    ...EkmCall.shape,
  }),
  requestId: z.string(),
  domain: z.string(),
  principal: z.object({ sub: z.string(), groups: z.array(z.string()), client_id: z.string().optional() }),
})
export type AuditRecord = z.infer<typeof AuditRecord>

export const AuditPath = z.strictObject({ id: z.uuid() })

/** Ours: `domain` lets the root's auditors look into a child domain, which they see only when they ask for it. */
export const AuditQuery = listQuery(['createdAt', 'severity', 'service', 'username', 'message', 'success'], {
  source: anyText().optional(),
  service: anyText().optional(),
  severity: anyOf(SEVERITIES).optional(),
  username: anyText().optional(),
  clientIP: anyText().optional(),
  client_name: anyText().optional(),
  message: anyText().optional(),
  success: flag().optional(),
  resource_uri: anyText().optional(),
  request_id: anyText().optional(),
  domain: anyText().optional(),
})
export type AuditQuery = z.infer<typeof AuditQuery>
