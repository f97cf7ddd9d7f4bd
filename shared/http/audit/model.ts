import * as z from 'zod'
import { Time } from '../common-fields.ts'
import { anyOf, anyTexts, flag, listQuery } from '../list-query.ts'

const SEVERITIES = ['info', 'warning', 'debug', 'error', 'critical'] as const

/** Details of a cloud's call to an external key store, named as in that protocol. */
const CloudCall = z.object({
  /** the key of the requested store */
  key: z.string().optional(),
  kmsRequestId: z.string().optional(),
  kmsOperation: z.string().optional(),
  kmsKeyArn: z.string().optional(),
  awsSourceVpc: z.string().optional(),
  awsSourceVpce: z.string().optional(),
  kmsViaService: z.string().optional(),
})

/** Details of a cloud's call to an EKM endpoint, and the decision of the endpoint's policy. */
const EkmCall = z.object({
  /** version of the key that was used */
  version: z.int().optional(),
  /** access reason */
  reason: z.string().optional(),
  /** the cloud's own name of the key version */
  resource: z.string().optional(),
  /** the same, with the service it belongs to */
  fullResource: z.string().optional(),
  healthCheck: z.boolean().optional(),
  /** the deciding rule */
  rule: z.string().optional(),
  /** SHA-256 of the deciding policy with its dialect in front: `<dialect>\n<Rego>` */
  policy: z.string().optional(),
  policyError: z.string().optional(),
  /** why the key could not be used after the policy had admitted the call */
  refusal: z.string().optional(),
  /** duration of the call in milliseconds */
  ms: z.number().optional(),
})

/** The record of one call. Append-only; kept 90 days. */
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
    /** refusals of the same kind and address without a record of their own since the last one that had one */
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

/** Ours: `domain` lets auditors of the root domain read a child domain's records, which no other query shows them. */
export const AuditQuery = listQuery(['createdAt', 'severity', 'service', 'username', 'message', 'success'], {
  ...anyTexts('source', 'service'),
  severity: anyOf(SEVERITIES).optional(),
  ...anyTexts('username', 'clientIP', 'client_name', 'message'),
  success: flag().optional(),
  ...anyTexts('resource_uri', 'request_id', 'domain'),
})
export type AuditQuery = z.infer<typeof AuditQuery>
