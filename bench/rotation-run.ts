import { createClock } from '../infra/local/clock.ts'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { ROTATION_COSTS } from '../shared/clouds/cloud-a/adapter/quotas.ts'
import { ROOT_DOMAIN_ID } from '../shared/base/ids.ts'
import { Changes } from '../shared/store/changes.ts'
import { cloudAKeys, placeOfKeys } from '../shared/clouds/cloud-a/keys/store.ts'
import { REGION, synchronizedKeys } from './cloud-a/synchronized-keys.ts'
import { exactly, type Figure } from './figure.ts'
import { callsOf } from './management.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from './service.ts'
import { scaled } from './scale.ts'

const KEYS = scaled(1_000, 50)
/** A key's item, its row in two sets and its position in the configuration's family, with room for the rank. */
const A_COMMIT = 20

/**
 * A run over 1,000 keys at a cloud that enforces its request quotas: its duration against the minimum that the quotas
 * allow. The time is simulated: a wait of the flow advances the deployment's clock, which the cloud's quotas use as
 * well; all other work takes real time.
 */
export async function measure(): Promise<Figure[]> {
  const clock = createClock()
  const deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: PASSWORD,
    clock,
    flowPauseMs: (seconds) => {
      clock.advance(seconds * 1_000)
      return 0
    },
    environment: UNTHROTTLED,
  })
  try {
    const calls = callsOf(deployment)
    const config = await attachedKeys(deployment, calls)
    deployment.cloudA.reset()
    deployment.cloudA.setRates('real')
    const [from, fromReal] = [clock.now().getTime(), performance.now()]
    const { job_id } = await calls('POST', `/v1/scheduler/job-configs/${config}/run-now`)
    await deployment.flows.idle()
    const seconds = (clock.now().getTime() - from) / 1_000
    const realSeconds = (performance.now() - fromReal) / 1_000
    const job = await calls('GET', `/v1/scheduler/jobs/${String(job_id)}`)
    if (job.success_count !== KEYS) throw new Error(`The run ended so: ${JSON.stringify(job)}`)
    const least = KEYS * ROTATION_COSTS.replaced.seconds
    const throttled = deployment.cloudA.calls().filter(({ refused }) => refused === 'ThrottlingException').length
    return [
      {
        name: `rotate ${KEYS} keys: time / the least the quotas allow`,
        measured: exactly(seconds / least),
        promise: { atMost: 1.2 },
        note: `${seconds.toFixed(0)} s against ${least} s, simulated; ${realSeconds.toFixed(0)} s of work; ${throttled} calls throttled`,
      },
    ]
  } finally {
    await deployment.stop()
  }
}

/** Creates keys at the cloud, synchronizes them, and attaches them to a configuration. @returns its id */
async function attachedKeys(deployment: Deployment, calls: ReturnType<typeof callsOf>): Promise<string> {
  const kms = await synchronizedKeys(deployment, calls, KEYS)
  const { id: config } = await calls('POST', '/v1/scheduler/job-configs', {
    name: 'bench',
    operation: 'keymgr_key_rotation',
    run_at: '0 3 * * *',
    keymgr_key_rotation_params: { cloud_name: 'cloud-a' },
  })
  Object.assign(process.env, deployment.environmentOf('triggers'))
  const ids = await cloudAKeys.members(ROOT_DOMAIN_ID, placeOfKeys(kms, REGION))
  for (let at = 0; at < ids.length; at += A_COMMIT) {
    const changes = new Changes()
    for (const stored of await cloudAKeys.getMany(ROOT_DOMAIN_ID, ids.slice(at, at + A_COMMIT))) {
      const labels = { job_config_id: String(config), auto_rotate_key_source: 'local' as const }
      changes.update(cloudAKeys, ROOT_DOMAIN_ID, stored, { ...stored.item, labels })
    }
    await changes.commit(new Date())
  }
  return String(config)
}
