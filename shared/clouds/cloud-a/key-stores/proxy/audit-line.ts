import { uriOfStore } from '../identifiers.ts'
import { auditLine } from '../../../../serving/access-log.ts'
import { XKS_ACCESS_LOG } from './access-log.ts'

export const xksAuditLine = auditLine(XKS_ACCESS_LOG, {
  service: 'xks',
  title: 'External key store',
  uri: (domain, { keyStore }) => (keyStore === undefined ? undefined : uriOfStore(domain, keyStore)),
  isAggregated: ({ domain, outcome }) =>
    domain === undefined || outcome === 'AuthenticationFailedException' || outcome === 'ThrottlingException',
  details: ['kmsRequestId', 'kmsOperation', 'kmsKeyArn', 'awsSourceVpc', 'awsSourceVpce', 'kmsViaService'],
})
