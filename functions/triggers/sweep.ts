import { atOnce } from '../../shared/base/at-once.ts'
import { inBatches, inTurn } from '../../shared/base/batches.ts'
import { errorFields, log } from '../../shared/base/log.ts'
import type { Sweep } from '../../shared/base/time.ts'
import { publishRecords } from '../../shared/audit/publish-records.ts'
import { CONNECTION_SWEEPS } from '../../shared/cloud/connections/requests/store.ts'
import { isOffered } from '../../shared/cloud/cloud-row.ts'
import { CLOUDS } from '../../shared/clouds/all.ts'
import { auditRecords, PUBLISH } from '../../shared/http/audit/store.ts'
import { CERTIFICATE_SWEEPS } from '../../shared/certificates/sweeps.ts'
import { HTTP_SWEEPS } from '../../shared/http/sweeps.ts'
import { resealDomain } from '../../shared/identity/domains/reseal-domain.ts'
import { identitySweeps } from '../../shared/identity/sweeps.ts'
import { domainKeys } from '../../shared/keyring/domain-key-store.ts'
import { dueItems, STORE_SWEEPS, SWEEP_COUNTS, workOff, type DueItem, type SweepRow } from '../../shared/store/due.ts'
import { VAULT_SWEEPS } from '../../shared/vault/keys/sweeps.ts'
import { purgeSteps } from './purge-steps.ts'
import { WORK_SWEEPS } from '../../shared/work/sweeps.ts'

/** Every kind of due work. Rows of clouds are loaded for each sweep: they carry no SDK. */
async function sweepRows(): Promise<readonly SweepRow[]> {
  const ofClouds = await Promise.all(CLOUDS.filter(isOffered).map(async ({ sweeps }) => (await sweeps?.()) ?? []))
  return [
    ...STORE_SWEEPS,
    ...HTTP_SWEEPS,
    ...VAULT_SWEEPS,
    ...CERTIFICATE_SWEEPS,
    ...WORK_SWEEPS,
    ...CONNECTION_SWEEPS,
    ...ofClouds.flat(),
    ...identitySweeps(purgeSteps),
  ]
}

/** Works off what is due: key states, lists to tidy, expired items, work to resume, remains of what was deleted. */
export async function sweepDue(sweep: Sweep): Promise<Record<string, number>> {
  const answer: Record<string, number> = {}
  const rows = await sweepRows()
  for (const name of SWEEP_COUNTS) {
    answer[name] = 0
    for (const row of rows.filter(({ counts }) => counts === name)) answer[name] += await workOff(row, sweep)
  }
  return answer
}

/** Due records looked up at a time in each partition: enough to find those of a quiet domain beside a busy one. */
const RECORDS_LOOKED_UP = 1_000
/** Records of a domain read and published together: one read. */
const RECORDS_TOGETHER = { items: 100, bytes: Infinity }
const BATCHES_AT_ONCE = 8

/** Hands the outbox to the bus, a batch of each domain in turn. A record that the bus refuses stays, and holds up no other. */
export async function drainOutbox(sweep: Sweep): Promise<{ published: number }> {
  let published = 0
  for await (const due of dueItems(PUBLISH, sweep, RECORDS_LOOKED_UP)) {
    const ofDomains = [...Map.groupBy(due, ({ domain }) => domain).entries()].map(([domain, items]) =>
      inBatches(items, RECORDS_TOGETHER, () => 0).map((batch) => ({ domain, batch })),
    )
    const counts = await atOnce(inTurn(ofDomains), BATCHES_AT_ONCE, async ({ domain, batch }) =>
      sweep.hasTime() ? publishSome(domain, batch, sweep.now) : 0,
    )
    published += counts.reduce((sum, count) => sum + count, 0)
  }
  return { published }
}

async function publishSome(domain: string, items: readonly DueItem[], now: Date): Promise<number> {
  try {
    const ids = items.map(({ id }) => id)
    const records = await auditRecords.getMany(domain, ids)
    return records.length === 0 ? 0 : await publishRecords(domain, records, now)
  } catch (error) {
    log('error', 'audit records not published', { domain, count: items.length, ...errorFields(error) })
    return 0
  }
}

/** Continues to reseal what former domain keys sealed. */
export const resealKeys = async (sweep: Sweep): Promise<{ resealed: number }> => ({
  resealed: await workOff(
    {
      due: 'reseal-domain',
      work: async ({ domain, id }) => {
        const key = await domainKeys.get(domain, id)
        if (key) await resealDomain(domain, id, sweep.now, sweep.hasTime)
      },
    },
    sweep,
  ),
})
