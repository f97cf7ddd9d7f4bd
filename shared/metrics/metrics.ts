import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import { RecentCache } from '../base/recent-cache.ts'
import { Refusal } from '../base/errors.ts'
import type { Context } from '../http/context.ts'
import { counters } from './counters.ts'
import { expositionOf, type Metric } from './exposition.ts'
import { keysByState } from './key-states.ts'
import { lags } from './lags.ts'

/** Ours: scrapers that call at the same time, or too often, cause one read of the table. */
const KNOWN_MS = 5_000
const known = new RecentCache<string>(1, KNOWN_MS)

/** The metrics that are read from the table at each call. */
async function gauges(now: Date): Promise<Metric[]> {
  const [{ outbox_lag_seconds, job_lag_seconds }, states] = await Promise.all([lags(now), keysByState()])
  return [
    {
      name: 'keymgr_outbox_lag_seconds',
      help: 'Age of the oldest audit record that waits for its place in the log.',
      type: 'gauge',
      samples: [{ labels: {}, value: outbox_lag_seconds }],
    },
    {
      name: 'keymgr_job_lag_seconds',
      help: 'How long the oldest interrupted job or saga, or schedule to keep, has been due.',
      type: 'gauge',
      samples: [{ labels: {}, value: job_lag_seconds }],
    },
    {
      name: 'keymgr_keys',
      help: 'Local keys of all domains, by the state of their latest version.',
      type: 'gauge',
      samples: [...(states ?? [])].map(([state, value]) => ({ labels: { state }, value })),
    },
  ]
}

/**
 * The metrics of the deployment, at most five seconds old; counts are a minute older.
 * @throws Refusal ACTION_DENIED outside the root domain: the metrics cover all domains
 */
export async function metricsText({ caller, now }: Context): Promise<string> {
  if (caller.domain.id !== ROOT_DOMAIN_ID)
    throw new Refusal('ACTION_DENIED', 'Figures of the deployment are for auditors of the root domain.')
  return known.get('', now, async () => expositionOf([...(await counters()), ...(await gauges(now))]))
}
