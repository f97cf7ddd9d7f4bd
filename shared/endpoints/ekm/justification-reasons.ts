/* Separate from the schemas: the data plane imports these names but loads no schemas. */

/**
 * Reasons for which the cloud uses a key, by their numbers in the protocol. @see protocol of the EKM data plane,
 * "Justification reasons"
 */
export const NUMBERED_REASONS = [
  'REASON_UNSPECIFIED',
  'CUSTOMER_INITIATED_SUPPORT',
  'GOOGLE_INITIATED_SERVICE',
  'THIRD_PARTY_DATA_REQUEST',
  'GOOGLE_INITIATED_REVIEW',
  'CUSTOMER_INITIATED_ACCESS',
  'GOOGLE_INITIATED_SYSTEM_OPERATION',
  'REASON_NOT_EXPECTED',
  'MODIFIED_CUSTOMER_INITIATED_ACCESS',
] as const

/** All reasons that a policy may name. The cloud has not published the numbers of the last ones. */
export const JUSTIFICATION_REASONS = [
  ...NUMBERED_REASONS,
  'GOOGLE_RESPONSE_TO_PRODUCTION_ALERT',
  'CUSTOMER_AUTHORIZED_WORKFLOW_SERVICING',
] as const
