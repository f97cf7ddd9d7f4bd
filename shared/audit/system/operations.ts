import about from '../../../package.json' with { type: 'json' }
import { ok, operation, route, type Reply, type Route } from '../../http/operation.ts'
import { ServicesStatus, SystemInfo } from './model.ts'
import { servicesStatus } from './status.ts'

/** GET /v1/system/info. Ours: `model` states that the service has no machine of its own. */
const info = operation({ summary: 'Get System Info', answers: SystemInfo, may: 'signed-in' }, () => {
  const { name, version } = about
  return Promise.resolve(ok({ name, version, model: 'serverless', uptime: Math.floor(process.uptime()) }))
})

/** GET /v1/system/services/status: 503 with the same body when a part is down. */
const status = operation(
  { summary: 'Get Services Status', answers: ServicesStatus, may: 'anyone', mayBeDown: true },
  async ({ context }): Promise<Reply> => {
    const body = await servicesStatus(context.now)
    return { status: body.status === 'up' ? 200 : 503, body }
  },
)

/** The deployment as a whole. */
export const routes: readonly Route[] = [
  route('GET', '/v1/system/info', info),
  route('GET', '/v1/system/services/status', status),
]
