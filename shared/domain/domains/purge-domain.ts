import { later, MINUTE_MS, type Sweep } from '../../time.ts'
import { Changes } from '../../store/changes.ts'
import { bulkJobs } from '../../store/bulk-job.ts'
import { cloudAKeys } from '../../store/cloud-a-key.ts'
import { cloudAKms } from '../../store/cloud-a-kms.ts'
import { policyTemplates } from '../../store/cloud-a-template.ts'
import { cloudCKeys } from '../../store/cloud-c-key.ts'
import { cloudCProjects } from '../../store/cloud-c-project.ts'
import { cloudCRings } from '../../store/cloud-c-ring.ts'
import { ringPurges } from '../../store/cloud-c-ring-purge.ts'
import { connections } from '../../store/connection.ts'
import { customKeyStores } from '../../store/custom-key-store.ts'
import { containerPurges } from '../../store/container-purge.ts'
import { domainKeys } from '../../store/domain-key.ts'
import { ekmEndpoints, forgetKek } from '../../store/ekm-endpoint.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import { groups, guests } from '../../store/group.ts'
import { dropGroupNameUse } from '../../store/group-name-use.ts'
import { pageOf } from '../../store/list.ts'
import { jobConfigs } from '../../store/job-config.ts'
import { jobRemains, jobs } from '../../store/job.ts'
import { localKeys } from '../../store/local-key.ts'
import { removeLogins } from '../../store/login-record.ts'
import { dropMemberCount } from '../../store/member-count.ts'
import { passwordPolicies } from '../../store/password-policy.ts'
import { purges, type Purge } from '../../store/purge.ts'
import { remainsOf, reportRemains, reports, reportsOf } from '../../store/report.ts'
import { refreshTokens } from '../../store/refresh-token.ts'
import { sagas } from '../../store/saga.ts'
import { partsOfJob, synchronizationJobs, synchronizationParts } from '../../store/synchronization.ts'
import { users } from '../../store/user.ts'
import { virtualKeys } from '../../store/virtual-key.ts'
import { REPORTED } from '../reports/clouds.ts'
import { removeSomeOfKey } from '../cloud-c/rings/purge-ring.ts'
import { removeAddress } from '../cloud-a/custom-key-stores/records.ts'

/**
 * Ours: clearing away begins once no instance can still let a token of the domain pass (30 seconds), and writes of
 * requests that were under way have ended (29 seconds).
 */
const AFTER_MS = 2 * MINUTE_MS
const ITEMS_A_TIME = 12

/** Stages the clearing away of what a deleted domain held. */
export function planPurge(changes: Changes, domainId: string, now: Date): void {
  changes.create(purges, domainId, { id: domainId, startAt: later(now, AFTER_MS).toISOString() })
}

/** Removes a few items of one kind. @returns whether there were any */
async function removeSome<T, R>(
  entity: Entity<T, R>,
  domain: string,
  set: string,
  now: Date,
  also?: (changes: Changes, item: T) => void,
): Promise<boolean> {
  const { items } = await pageOf(entity, domain, set, { skip: 0, limit: ITEMS_A_TIME })
  if (items.length === 0) return false
  const changes = new Changes()
  for (const stored of items) {
    changes.remove(entity, domain, stored)
    also?.(changes, stored.item)
  }
  await changes.commit(now)
  return true
}

/** Versions of local keys; first what leads to EKM endpoints over them, since one transaction could not take both. */
async function removeSomeKeys(domain: string, set: string, now: Date): Promise<boolean> {
  const { items } = await pageOf(localKeys, domain, set, { skip: 0, limit: ITEMS_A_TIME })
  const changes = new Changes()
  for (const { item } of items) forgetKek(changes, item.id)
  await changes.commit(now)
  return removeSome(localKeys, domain, set, now)
}

/** A job's parts, and when there are none left, the job. @returns whether there was any */
async function removeSomeOfJob(domain: string, set: string, now: Date): Promise<boolean> {
  const { items } = await pageOf(synchronizationJobs, domain, set, { skip: 0, limit: 1 })
  const [job] = items
  if (job === undefined) return false
  const changes = new Changes()
  const parts = await synchronizationParts.membersAfter(domain, partsOfJob(job.item.id), undefined, ITEMS_A_TIME)
  const ids = parts.map(({ id }) => id)
  for (const part of await synchronizationParts.getMany(domain, ids)) changes.remove(synchronizationParts, domain, part)
  if (changes.empty) changes.remove(synchronizationJobs, domain, job)
  await changes.commit(now)
  return true
}

/** A key's versions, and when there are none left, the key. @returns whether there was any */
async function removeSomeCloudCKey(domain: string, now: Date): Promise<boolean> {
  const { items } = await pageOf(cloudCKeys, domain, 'all', { skip: 0, limit: 1 })
  const [key] = items
  return key !== undefined && removeSomeOfKey(domain, key.item.id, now)
}

/**
 * Clears away what a deleted domain held, a few items at a time, its keys last; its audit records stay their ninety
 * days. May be stopped anywhere and called again.
 */
export async function purgeDomain(purge: Stored<Purge>, { now, mayGoOn }: Sweep): Promise<void> {
  const domain = purge.item.id
  const kinds = [
    () => removeSome(ekmEndpoints, domain, 'all', now),
    () => removeSomeKeys(domain, 'latest', now),
    () => removeSomeKeys(domain, 'former', now),
    () => removeSome(sagas, domain, 'all', now),
    () => removeSome(virtualKeys, domain, 'all', now),
    () => removeSomeOfJob(domain, 'cloud:cloud-a', now),
    () => removeSomeOfJob(domain, 'cloud:cloud-a/key-stores', now),
    () => removeSomeOfJob(domain, 'cloud:cloud-c', now),
    () => removeSome(bulkJobs, domain, 'all', now),
    () => removeSome(jobConfigs, domain, 'all', now), // their schedules go with the next look at them
    () =>
      removeSome(jobs, domain, 'all', now, (changes, { id, lanes }) => {
        changes.create(jobRemains, domain, { id, lanes, dueAt: now.toISOString() })
      }),
    ...REPORTED.map(
      ({ cloud }) =>
        () =>
          removeSome(reports, domain, reportsOf(cloud), now, (changes, report) =>
            changes.create(reportRemains, domain, remainsOf(report, now)),
          ),
    ),
    () => removeSome(policyTemplates, domain, 'all', now),
    () => removeSome(cloudAKeys, domain, 'all', now),
    () => removeSome(customKeyStores, domain, 'all', now, (changes, store) => removeAddress(changes, domain, store)),
    () => removeSomeCloudCKey(domain, now),
    () => removeSome(ringPurges, domain, 'all', now),
    () => removeSome(cloudCRings, domain, 'all', now),
    () => removeSome(cloudCProjects, domain, 'all', now),
    () => removeSome(containerPurges, domain, 'all', now),
    () => removeSome(cloudAKms, domain, 'all', now),
    () => removeSome(connections, domain, 'all', now),
    () => removeSome(refreshTokens, domain, 'all', now),
    () => removeSome(guests, domain, 'all', now),
    () => removeSome(users, domain, 'all', now, (changes, { user_id }) => removeLogins(changes, domain, user_id)),
    () => removeSome(passwordPolicies, domain, 'all', now),
    () => removeSome(groups, domain, 'all', now, (changes, { id }) => dropMemberCount(changes, domain, id)),
    () => removeSome(domainKeys, domain, 'all', now),
  ]
  for (const more of kinds)
    do {
      if (!mayGoOn()) return
    } while (await more())
  const done = new Changes()
  dropGroupNameUse(done, domain)
  done.remove(purges, domain, purge)
  await done.commit(now)
}
