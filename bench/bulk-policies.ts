import { createClock } from '../infra/local/clock.ts'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { MINUTE_MS } from '../shared/base/time.ts'
import { synchronizedKeys } from './cloud-a/synchronized-keys.ts'
import type { Figure } from './figure.ts'
import { callsOf } from './management.ts'
import { compare, versus } from './rounds.ts'
import { scaled } from './scale.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from './service.ts'

const KEYS = scaled(10_000, 20)
const KEYS_A_ROUND = scaled(1_000, 20)
/** Maximum number of keys of a bulk job. */
const KEYS_A_JOB = Math.min(100, KEYS)
const POLICIES = scaled(20, 3)

type Calls = ReturnType<typeof callsOf>

/**
 * Bulk jobs among these keys, decided against denials that name the action and the kind of record and depend on a field of it,
 * against the same jobs without a policy: at most 1.5 times as long.
 */
export async function measure(): Promise<Figure[]> {
  const clock = createClock()
  const deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: PASSWORD,
    clock,
    flowPauseMs: () => 0,
    environment: UNTHROTTLED,
  })
  try {
    const calls = callsOf(deployment)
    await synchronizedKeys(deployment, calls, KEYS)
    const ids = await idsOf(calls)
    if (ids.length !== KEYS) throw new Error(`${ids.length} of ${KEYS} keys are there`)
    const policies = await madePolicies(calls)
    const run = bulkJobs(deployment, calls, ids)
    const outcome = await compare({
      ours: { prepare: () => attach(deployment, calls, policies), run },
      bare: { prepare: () => detach(deployment, calls), run },
      rounds: 3,
      turns: 1,
      calls: KEYS_A_ROUND,
      warmUp: 1,
    })
    const name = `bulk jobs, ${KEYS.toLocaleString('en')} keys: decided against ${POLICIES} policies / without`
    return [{ name, measured: outcome.ratio, promise: { atMost: 1.5 }, note: `${versus(outcome)} a key` }]
  } finally {
    await deployment.stop()
  }
}

async function idsOf(calls: Calls): Promise<string[]> {
  const ids: string[] = []
  for (let skip = 0; ids.length === skip; skip += 1_000) {
    const { resources } = await calls('GET', `/v1/keymgr/cloud-a/keys?limit=1000&skip=${skip}`)
    ids.push(...(resources as { id: string }[]).map(({ id }) => id))
  }
  return ids
}

/** @returns their ids */
async function madePolicies(calls: Calls): Promise<string[]> {
  const made: string[] = []
  for (let n = 0; n < POLICIES; n++) {
    const { id } = await calls('POST', '/v1/admin/policies', {
      name: `bench ${n}`,
      effect: 'deny',
      actions: ['EnableCloudAKey', 'DisableCloudAKey'],
      resources: ['keymgr:*:keymgr:cloud-a-key:*'],
      conditions: [{ path: 'cloud_a_param.Description', op: 'contains', values: [`not to be changed ${n}`] }],
    })
    made.push(String(id))
  }
  return made
}

const ATTACHMENTS = '/v1/admin/policy-attachments'

/** Makes every instance read the policies again. */
const settle = ({ clock }: Deployment): void => clock.advance(MINUTE_MS)

async function attach(deployment: Deployment, calls: Calls, policies: readonly string[]): Promise<void> {
  for (const policy of policies) await calls('POST', ATTACHMENTS, { policy, principalSelector: { groups: ['admin'] } })
  settle(deployment)
}

async function detach(deployment: Deployment, calls: Calls): Promise<void> {
  const { resources } = await calls('GET', `${ATTACHMENTS}?limit=1000`)
  for (const { id } of resources as { id: string }[]) await calls('DELETE', `${ATTACHMENTS}/${id}`)
  settle(deployment)
}

/** Disables or enables the next keys in turn, so that each job changes all of its keys. */
function bulkJobs(deployment: Deployment, calls: Calls, ids: readonly string[]): (keys: number) => Promise<void> {
  let done = 0
  return async (keys) => {
    for (const end = done + keys; done < end; done += KEYS_A_JOB) {
      const at = done % ids.length
      const operation = Math.floor(done / ids.length) % 2 === 0 ? 'disablekey' : 'enablekey'
      await bulkJob(deployment, calls, operation, ids.slice(at, at + KEYS_A_JOB))
    }
  }
}

/** A job that is not done within its request is continued by the sweeper, without a pause. */
async function bulkJob(
  { clock, fire }: Deployment,
  calls: Calls,
  operation: string,
  keys: readonly string[],
): Promise<void> {
  const { id } = await calls('POST', '/v1/keymgr/cloud-a/bulkjob', { operation, keys })
  for (;;) {
    const job = await calls('GET', `/v1/keymgr/cloud-a/bulkjob/${String(id)}`)
    if (job.overall_status === 'completed') return
    if (job.overall_status !== 'in_progress') throw new Error(`The job ended so: ${JSON.stringify(job)}`)
    clock.advance(MINUTE_MS)
    await fire('sweep-due')
  }
}
