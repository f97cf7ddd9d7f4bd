import { later, MINUTE_MS, type Sweep } from '../../base/time.ts'
import { Changes } from '../../store/changes.ts'
import { bulkJobs } from '../../work/bulk/store.ts'
import { cloudAKeys } from '../../clouds/cloud-a/keys/store.ts'
import { cloudAKms } from '../../clouds/cloud-a/kms/store.ts'
import { policyTemplates } from '../../clouds/cloud-a/templates/store.ts'
import { cloudCKeys } from '../../clouds/cloud-c/keys/store.ts'
import { cloudCProjects } from '../../clouds/cloud-c/projects/store.ts'
import { cloudCRings } from '../../clouds/cloud-c/rings/store.ts'
import { ringPurges } from '../../clouds/cloud-c/rings/purge-store.ts'
import { connections } from '../../cloud/connections/store.ts'
import { customKeyStores } from '../../clouds/cloud-a/key-stores/store.ts'
import { containerPurges } from '../../clouds/cloud-a/kms/purge-store.ts'
import { domainKeys } from '../../keyring/domain-key-store.ts'
import { ekmEndpoints, forgetKek } from '../../endpoints/ekm/store.ts'
import type { Entity, Stored } from '../../store/entity.ts'
import { groups, guests } from '../groups/store.ts'
import { dropGroupNameUse } from '../groups/name-use.ts'
import { pageOf } from '../../store/list.ts'
import { jobConfigs } from '../../work/schedule/config-store.ts'
import { jobRemains, jobs } from '../../work/schedule/run-store.ts'
import { localKeys } from '../../vault/keys/store.ts'
import { removeLogins } from '../users/login-record.ts'
import { dropMemberCount } from '../groups/member-count.ts'
import { passwordPolicies } from '../password-policies/store.ts'
import { purges, type Purge } from './purge-store.ts'
import { remainsOf, reportRemains, reports, reportsOf } from '../../work/report/store.ts'
import { refreshTokens } from '../tokens/store.ts'
import { sagas } from '../../work/sagas/store.ts'
import { partsOfJob, synchronizationJobs, synchronizationParts } from '../../work/synchronize/store.ts'
import { users } from '../users/store.ts'
import { virtualKeys } from '../../vault/virtual-keys/store.ts'
import { REPORTED } from '../../work/report/clouds.ts'
import { removeSomeOfKey } from '../../clouds/cloud-c/rings/purge-ring.ts'
import { removeAddress } from '../../clouds/cloud-a/key-stores/records.ts'

/**
 * Ours: the purge begins when no instance accepts a token of the domain any more (30 seconds) and requests in progress
 * have ended (29 seconds).
 */
const AFTER_MS = 2 * MINUTE_MS
const ITEMS_A_TIME = 12

/** Stages the purge of a deleted domain's items. */
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

/** Removes versions of local keys, after the references from EKM endpoints: one transaction has no room for both. */
async function removeSomeKeys(domain: string, set: string, now: Date): Promise<boolean> {
  const { items } = await pageOf(localKeys, domain, set, { skip: 0, limit: ITEMS_A_TIME })
  const changes = new Changes()
  for (const { item } of items) forgetKek(changes, item.id)
  await changes.commit(now)
  return removeSome(localKeys, domain, set, now)
}

/** Removes some parts of a job, or the job once it has none. @returns whether there was any */
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

/** Removes some versions of a key, or the key once it has none. @returns whether there was any */
async function removeSomeCloudCKey(domain: string, now: Date): Promise<boolean> {
  const { items } = await pageOf(cloudCKeys, domain, 'all', { skip: 0, limit: 1 })
  const [key] = items
  return key !== undefined && removeSomeOfKey(domain, key.item.id, now)
}

/**
 * Purges the items of a deleted domain, a few at a time, its keys last. Its audit records stay ninety days. Safe to
 * stop anywhere and to call again.
 */
export async function purgeDomain(purge: Stored<Purge>, { now, hasTime }: Sweep): Promise<void> {
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
      if (!hasTime()) return
    } while (await more())
  const done = new Changes()
  dropGroupNameUse(done, domain)
  done.remove(purges, domain, purge)
  await done.commit(now)
}
