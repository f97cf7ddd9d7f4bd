import { jsonHeaders } from '../../../../serving/json-body.ts'
import { Quota } from '../../../../serving/key-use/quota.ts'
import { serve } from '../../../../serving/pipeline.ts'
import { NAME } from '../../name.ts'
import { CRM_ACCESS_LOG } from '../access-log.ts'
import { parsePath } from './address.ts'
import { authenticate, type CrmRequest } from './authenticate.ts'
import { errors } from './errors.ts'
import { fetchKey, type CrmCall } from './fetch.ts'
import type { ServedEndpoint } from './served.ts'

/** Ours: calls per second to one endpoint. The cloud makes a few a day. */
const CALLS_PER_SECOND = 500
const quota = new Quota('KEYMGR_CRM_CALLS_PER_SECOND', CALLS_PER_SECOND)

/** @throws Refusal TOO_MANY_REQUESTS */
function withinQuota({ now }: CrmRequest, endpoint: ServedEndpoint): ServedEndpoint {
  quota.count(endpoint.id, now)
  return endpoint
}

/** The data plane of key endpoints: the cloud fetches a cache-only key. */
export const handler = serve({
  accessLog: CRM_ACCESS_LOG,
  errors,
  answerWithinMs: 2_500, // the cloud waits three seconds
  headers: jsonHeaders,
  parsePath,
  authenticate,
  resource: withinQuota,
  clouds: ['crm-keys', NAME],
  blockedBy: ({ id, organization_id: organization }) => [id, organization],
  verb: () => fetchKey,
  read: ({ event, address, now, record }, endpoint): CrmCall => ({
    endpoint,
    kid: address.key,
    query: event.rawQueryString,
    now,
    record,
  }),
})
