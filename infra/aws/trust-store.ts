import { Aws } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { TRUST_STORE_ENVIRONMENT } from '../functions.ts'
import type { Foundation } from './foundation-stack.ts'

export interface MutualTlsDomain {
  readonly name: string
  readonly certificateArn: string
  /**
   * `s3://bucket/key`: PEM of authorities that may issue callers' certificates. Once the service runs, it uses a list
   * of its own instead: these, and the authorities that may certify clients.
   */
  readonly trustStore: string
}

/** Grants of the function that manages the trust store, in addition to its other grants. */
export const keepsTrustStore = (
  { trustStoreArns }: Foundation,
  { name, trustStore }: MutualTlsDomain,
): PolicyStatement[] => [
  new PolicyStatement({
    sid: 'KeepTrustStores',
    actions: ['s3:PutObject', 's3:GetObject'], // the gateway reads the object with the permissions of the caller that names it
    resources: [trustStoreArns],
  }),
  new PolicyStatement({
    sid: 'ReadTrustedRoots',
    actions: ['s3:GetObject'],
    resources: [`arn:${Aws.PARTITION}:s3:::${trustStore.slice('s3://'.length)}`],
  }),
  new PolicyStatement({
    sid: 'NameTrustStore',
    actions: ['apigateway:GET', 'apigateway:PATCH'],
    resources: [`arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::/domainnames/${name}`],
  }),
]

/** Environment variables of that function. */
export const trustStoreVariables = ({ name, trustStore }: MutualTlsDomain): Record<string, string> => ({
  [TRUST_STORE_ENVIRONMENT.domain]: name,
  [TRUST_STORE_ENVIRONMENT.roots]: trustStore,
})
