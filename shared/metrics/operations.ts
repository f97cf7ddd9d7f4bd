import * as z from 'zod'
import { ok, operation, route, type Route } from '../http/operation.ts'
import { EXPOSITION } from './exposition.ts'
import { metricsText } from './metrics.ts'

/** GET /v1/system/metrics: Prometheus text. Ours: it requires a token, since loads and refusals are not public. */
const metrics = operation(
  { summary: 'Get Metrics', answers: z.string(), media: 'text/plain', may: 'audit-readers' },
  async ({ context }) => ({ ...ok(await metricsText(context)), headers: { 'content-type': EXPOSITION } }),
)

export const routes: readonly Route[] = [route('GET', '/v1/system/metrics', metrics)]
