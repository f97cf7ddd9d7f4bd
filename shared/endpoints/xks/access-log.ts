/** Access log of the data plane. The fields after `keyStore` are the cloud's `requestMetadata`. */
export const XKS_ACCESS_LOG = {
  message: 'external key store request',
  fields: {
    keyStore: 'text',
    kmsRequestId: 'text',
    kmsOperation: 'text',
    awsPrincipalArn: 'text',
    kmsKeyArn: 'text',
    awsSourceVpc: 'text',
    awsSourceVpce: 'text',
    kmsViaService: 'text',
  },
} as const
