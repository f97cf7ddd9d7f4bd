import { ok, operation, route, type Route } from '../../http/operation.ts'
import { forwarders } from './forwarders/forwarders.ts'
import { Redirection } from './forwarders/model.ts'
import { redirectionStatus, setRedirection } from './forwarders/redirection.ts'
import { syslogs } from './forwarders/syslogs.ts'

/** POST /v1/configs/log-forwarders-domain-redirection/enable */
export const enableRedirection = operation(
  { summary: 'Enable Log Redirection', answers: Redirection, may: 'admins' },
  async ({ context }) => ok(await setRedirection(context, true)),
)

/** POST /v1/configs/log-forwarders-domain-redirection/disable */
export const disableRedirection = operation(
  { summary: 'Disable Log Redirection', answers: Redirection, may: 'admins' },
  async ({ context }) => ok(await setRedirection(context, false)),
)

/** GET /v1/configs/log-forwarders-domain-redirection/status */
export const getRedirection = operation(
  { summary: 'Get Log Redirection', answers: Redirection, may: 'admins' },
  async () => ok(await redirectionStatus()),
)

const REDIRECTION = '/v1/configs/log-forwarders-domain-redirection'

/** Targets of a domain's records. */
export const forwardingRoutes: readonly Route[] = [
  ...forwarders.routes,
  ...syslogs.routes,
  route('POST', `${REDIRECTION}/enable`, enableRedirection),
  route('POST', `${REDIRECTION}/disable`, disableRedirection),
  route('GET', `${REDIRECTION}/status`, getRedirection),
]
