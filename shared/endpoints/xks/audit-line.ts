import * as z from 'zod'
import type { Happening } from '../../http/audit/record.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { uriOfStore } from '../../clouds/cloud-a/key-stores/records.ts'
import { severityOf, type LineReader } from '../../audit/line-reader.ts'

/** What `functions/xks` writes of a request that belongs in the audit. */
const XksLine = z.object({
  message: z.literal('external key store request'),
  traceId: z.string(),
  operation: z.string().optional(),
  domain: z.string().optional(),
  keyStore: z.string().optional(),
  key: z.string().optional(),
  outcome: z.string(),
  status: z.int(),
  ip: z.string(),
  awsPrincipalArn: z.string().optional(),
  kmsRequestId: z.string().optional(),
  kmsOperation: z.string().optional(),
  kmsKeyArn: z.string().optional(),
  awsSourceVpc: z.string().optional(),
  awsSourceVpce: z.string().optional(),
  kmsViaService: z.string().optional(),
})
type XksLine = z.infer<typeof XksLine>

/**
 * Whether one record stands for all refusals of this kind, store, address and caller. Ours: of a call above the quota there
 * is nothing to say that the next one does not say as well.
 */
const isAggregated = ({ domain, outcome }: XksLine): boolean =>
  domain === undefined || outcome === 'AuthenticationFailedException' || outcome === 'ThrottlingException'

/** What the cloud said, where we know that it was the cloud. */
function cloudCallOf({ key, kmsRequestId, kmsOperation, kmsKeyArn, ...line }: XksLine): Partial<Happening['details']> {
  const { awsSourceVpc, awsSourceVpce, kmsViaService } = line
  return {
    ...(key !== '' && { key }),
    kmsRequestId,
    kmsOperation,
    kmsKeyArn,
    awsSourceVpc,
    awsSourceVpce,
    kmsViaService,
  }
}

/** Lines of external key stores. Ours: calls to stores that are nobody's are on record in the root domain. */
export const readXksLine: LineReader = (given) => {
  const { data: line } = XksLine.safeParse(given)
  if (line === undefined) return undefined
  const { domain = ROOT_DOMAIN_ID, keyStore, operation = 'request', outcome, ip, awsPrincipalArn = '' } = line
  const success = outcome === 'success'
  return {
    domain,
    kind: isAggregated(line) ? JSON.stringify(['xks', keyStore, outcome, ip, line.awsPrincipalArn]) : undefined,
    happening: (unrecorded) => ({
      severity: severityOf(line.status),
      service: 'xks',
      message: `External key store ${operation}`,
      username: awsPrincipalArn,
      clientIP: ip,
      success,
      ...(!success && { errorMessage: outcome }),
      details: {
        action: operation,
        ...(keyStore !== undefined && { resource_uri: uriOfStore(domain, keyStore) }),
        ...(unrecorded > 0 && { unrecorded }),
        ...(!isAggregated(line) && cloudCallOf(line)),
      },
      requestId: line.traceId,
      principal: { sub: awsPrincipalArn, groups: [] },
    }),
  }
}
