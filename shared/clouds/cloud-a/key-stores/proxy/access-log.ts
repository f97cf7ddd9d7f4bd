import { namesOf } from '../../../../base/fields.ts'
/** Known fields of `requestMetadata`, used only by the access log. The protocol specifies no lengths. */
const METADATA = {
  kmsRequestId: 'text',
  kmsOperation: 'text',
  awsPrincipalArn: 'text',
  kmsKeyArn: 'text',
  awsSourceVpc: 'text',
  awsSourceVpce: 'text',
  kmsViaService: 'text',
} as const
export type MetadataField = keyof typeof METADATA
export const METADATA_FIELDS = namesOf(METADATA)

/** The longest ARN of the cloud has 2,048 characters. */
const ARN_CHARACTERS = 2_048
const OTHER_CHARACTERS = 256

/** Ours: the length to which a text is logged. Longer texts would exceed the limits of log lines and audit records. */
export const METADATA_CHARACTERS: Readonly<Record<MetadataField, number>> = {
  kmsRequestId: OTHER_CHARACTERS,
  kmsOperation: OTHER_CHARACTERS,
  awsPrincipalArn: ARN_CHARACTERS,
  kmsKeyArn: ARN_CHARACTERS,
  awsSourceVpc: OTHER_CHARACTERS,
  awsSourceVpce: OTHER_CHARACTERS,
  kmsViaService: OTHER_CHARACTERS,
}

export const XKS_ACCESS_LOG = {
  message: 'external key store request',
  fields: { keyStore: 'text', ...METADATA },
  callers: ['awsPrincipalArn'],
  levels: {
    endpoint: 'keyStore',
    /** @see AWS KMS external key store proxy API specification: KMS times out after 250 milliseconds */
    limitMs: 250,
    objective: 0.999, // Ours: the specification asks for none
  },
} as const
