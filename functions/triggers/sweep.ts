import { errorFields, log } from '../../shared/base/log.ts'
import { auditRecords } from '../../shared/http/audit/store.ts'
import { bulkJobs } from '../../shared/work/bulk/store.ts'
import { Changes, Stale } from '../../shared/store/changes.ts'
import { domainKeys } from '../../shared/keyring/domain-key-store.ts'
import { type Entity } from '../../shared/store/entity.ts'
import { parseItemKey } from '../../shared/store/layout.ts'
import { ringPurges } from '../../shared/clouds/cloud-c/rings/purge-store.ts'
import { containerPurges } from '../../shared/clouds/cloud-a/kms/purge-store.ts'
import { idempotencyRecords } from '../../shared/http/idempotency-record.ts'
import { localKeys } from '../../shared/vault/keys/store.ts'
import { purges } from '../../shared/identity/domains/purge-store.ts'
import { tidyRank } from '../../shared/store/rank.ts'
import { refreshTokens } from '../../shared/identity/tokens/store.ts'
import { sagas } from '../../shared/work/sagas/store.ts'
import { queryDue } from '../../shared/store/table.ts'
import type { Sweep } from '../../shared/base/time.ts'
import { EVENTS_A_CALL, publishRecords } from '../../shared/audit/publish-records.ts'
import { goOnWithBulkJob } from '../../shared/work/bulk/run-bulk-job.ts'
import { refreshKeyStore } from '../../shared/clouds/cloud-a/key-stores/get-key-store.ts'
import { purgeContainer } from '../../shared/clouds/cloud-a/kms/purge-keys.ts'
import { purgeRing } from '../../shared/clouds/cloud-c/rings/purge-ring.ts'
import { purgeDomain } from '../../shared/identity/domains/purge-domain.ts'
import { moved } from '../../shared/vault/keys/key-state.ts'
import { moveRecord } from '../../shared/vault/keys/move-record.ts'
import { rotateUsedKey } from '../../shared/vault/keys/rotate-used-key.ts'
import { ROTATE_USED_KEY } from '../../shared/vault/keys/uses.ts'
import { resealDomain } from '../../shared/identity/domains/reseal-domain.ts'
import { clearRemains as clearReport, forgetReport } from '../../shared/work/report/clear-report.ts'
import { resumeReport } from '../../shared/work/report/flow.ts'
import { goOnWithSaga } from '../../shared/work/sagas/sweep-sagas.ts'
import { clearRemains, forgetRun } from '../../shared/work/schedule/clear-job.ts'
import { keepSchedule } from '../../shared/work/schedule/keep-schedule.ts'
import { resumeRun } from '../../shared/work/schedule/resume-run.ts'
import { forgetJob, resumeJob } from '../../shared/work/synchronize/flow.ts'

/** Due rows looked up at a time. */
const DUE_A_TIME = 200

interface DueItem {
  readonly domain: string
  readonly entity: string
  readonly id: string
}

/**
 * Works off everything due under `what`, oldest first, while there is time. One item that fails does not stop the
 * others; it is due again at the next sweep.
 * @returns how many were done
 */
async function workOff(what: string, { now, hasTime }: Sweep, work: (item: DueItem) => Promise<void>): Promise<number> {
  let done = 0
  const failed = new Set<string>()
  while (hasTime()) {
    const due = (await queryDue(what, now, DUE_A_TIME + failed.size)).map(parseItemKey)
    const fresh = due.filter(({ domain, entity, id }) => !failed.has(`${domain} ${entity} ${id}`))
    if (fresh.length === 0) break
    for (const item of fresh) {
      if (!hasTime()) break
      // Done or failed, it is not taken up again in this sweep: the index behind may be a moment late.
      failed.add(`${item.domain} ${item.entity} ${item.id}`)
      try {
        await work(item)
        done++
      } catch (error) {
        if (!(error instanceof Stale))
          log('error', `${what} failed`, { domain: item.domain, id: item.id, ...errorFields(error) })
      }
    }
  }
  return done
}

const remover =
  <T, R>(entity: Entity<T, R>, now: Date) =>
  async ({ domain, id }: DueItem): Promise<void> => {
    const stored = await entity.get(domain, id)
    if (stored === undefined) return
    const changes = new Changes()
    changes.remove(entity, domain, stored)
    await changes.commit(now)
  }

/**
 * Hands what waits in the outbox to the bus. A record the bus will not take stays, and keeps none of the others.
 */
export async function drainOutbox({ now, hasTime }: Sweep): Promise<{ published: number }> {
  let published = 0
  const seen = new Set<string>()
  while (hasTime()) {
    const due = (await queryDue('publish-audit-record', now, DUE_A_TIME + seen.size))
      .map(parseItemKey)
      .filter(({ id }) => !seen.has(id))
    if (due.length === 0) break
    for (const { id } of due) seen.add(id)
    for (const [domain, items] of Map.groupBy(due, (item) => item.domain))
      for (let at = 0; at < items.length && hasTime(); at += EVENTS_A_CALL)
        published += await publishSome(domain, items.slice(at, at + EVENTS_A_CALL), now)
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

/** Does what time asks for: states of keys, lists to tidy, what has expired, what deleted domains left. */
export async function sweepDue(sweep: Sweep): Promise<Record<string, number>> {
  const { now } = sweep
  return {
    moved: await workOff('move-key-state', sweep, async ({ domain, id }) => {
      const stored = await localKeys.get(domain, id)
      if (stored && moved(stored.item, now) !== stored.item) await moveRecord(domain, stored, now)
    }),
    rotated: await workOff(ROTATE_USED_KEY, sweep, ({ domain, id }) => rotateUsedKey(domain, id, now)),
    tidied: await workOff('tidy-rank', sweep, ({ domain, entity }) => tidyRank(domain, entity)),
    expired:
      (await workOff('expire-idempotency-record', sweep, remover(idempotencyRecords, now))) +
      (await workOff('expire-refresh-token', sweep, remover(refreshTokens, now))) +
      (await workOff('expire-audit-record', sweep, remover(auditRecords, now))) +
      (await workOff('forget-saga', sweep, remover(sagas, now))) +
      (await workOff('forget-bulk-job', sweep, remover(bulkJobs, now))) +
      (await workOff('forget-job', sweep, ({ domain, id }) => forgetRun(domain, id, now))) +
      (await workOff('forget-report', sweep, ({ domain, id }) => forgetReport(domain, id, now))) +
      (await workOff('forget-synchronization', sweep, ({ domain, id }) => forgetJob(domain, id, now))),
    gone_on:
      (await workOff('go-on-with-saga', sweep, ({ domain, id }) => goOnWithSaga(domain, id, now))) +
      (await workOff('refresh-key-store', sweep, ({ domain, id }) => refreshKeyStore(domain, id, now))) +
      (await workOff('resume-synchronization', sweep, ({ domain, id }) => resumeJob(domain, id, now))) +
      (await workOff('resume-report', sweep, ({ domain, id }) => resumeReport(domain, id, now))) +
      (await workOff('resume-job', sweep, ({ domain, id }) => resumeRun(domain, id, now))) +
      (await workOff('run-bulk-job', sweep, ({ domain, id }) => goOnWithBulkJob(domain, id, sweep))),
    scheduled: await workOff('keep-schedule', sweep, ({ domain, id }) => keepSchedule(domain, id, now)),
    purged:
      (await workOff('clear-job', sweep, ({ domain, id }) => clearRemains(domain, id, sweep))) +
      (await workOff('clear-report', sweep, ({ domain, id }) => clearReport(domain, id, sweep))) +
      (await workOff('purge-container', sweep, async ({ domain, id }) => {
        const stored = await containerPurges.get(domain, id)
        if (stored) await purgeContainer(domain, stored, sweep)
      })) +
      (await workOff('purge-ring', sweep, async ({ domain, id }) => {
        const stored = await ringPurges.get(domain, id)
        if (stored) await purgeRing(domain, stored, sweep)
      })) +
      (await workOff('purge-domain', sweep, async ({ domain, id }) => {
        const stored = await purges.get(domain, id)
        if (stored) await purgeDomain(stored, sweep)
      })),
  }
}

/** Goes on with sealing again what former domain keys sealed. */
export const resealKeys = async (sweep: Sweep): Promise<{ resealed: number }> => ({
  resealed: await workOff('reseal-domain', sweep, async ({ domain, id }) => {
    const key = await domainKeys.get(domain, id)
    if (key) await resealDomain(domain, id, sweep.now, sweep.hasTime)
  }),
})
