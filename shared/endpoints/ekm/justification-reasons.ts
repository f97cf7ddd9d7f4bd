/*
 * Apart from the schemas: the data plane reads them, and carries no schemas.
 */

/** Why the cloud uses a key, by their numbers on the wire. @see protocol of the EKM data plane, "Justification reasons" */
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

/**
 * All that a policy may name: of the last ones the cloud has not published the numbers.
 * @see interface "External-key-manager endpoints"
 */
export const JUSTIFICATION_REASONS = [
  ...NUMBERED_REASONS,
  'GOOGLE_RESPONSE_TO_PRODUCTION_ALERT',
  'CUSTOMER_AUTHORIZED_WORKFLOW_SERVICING',
] as const
