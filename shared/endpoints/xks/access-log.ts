/** Known fields of `requestMetadata`. They serve the access log, and nothing else. */
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
export const METADATA_FIELDS = Object.keys(METADATA) as readonly MetadataField[]

export const XKS_ACCESS_LOG = {
  message: 'external key store request',
  fields: { keyStore: 'text', ...METADATA },
} as const
