import { Refusal } from '../../../base/errors.ts'
import type { Sweep } from '../../../base/time.ts'
import { Changes } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { Engine, type Step } from '../../engine/engine.ts'
import { newTurns, type Next } from '../../engine/turn.ts'
import { jobConfigStates } from '../configs/store.ts'
import { countsOf, ERRORS_SHOWN, isEmpty, openOf } from './counts.ts'
import { recordEnd } from './in-name-of.ts'
import { leaveAll, openQuotaGroup } from './quota-group.ts'
import {
  isOver,
  jobQuotaGroups,
  jobRemains,
  jobs,
  RUN_FLOW,
  subJobs,
  type StoredJob,
  type StoredQuotaGroup,
} from './store.ts'
import { OpenSubJob } from './open-sub-job.ts'
import { keptUntil } from '../../engine/generation.ts'
import { removeTogether } from '../../engine/remove-together.ts'

const UNFINISHED = new Refusal('FAULT', 'It could not be finished; see the log.')
const UNPLANNED = 'What it takes could not be found out; see the log.'

/** Ends the open sub-jobs: those of a cancelled run are skipped, the others fail. */
async function endLeft(domain: string, job: StoredJob, now: Date): Promise<void> {
  const left = isEmpty(job) ? [] : await openOf(domain, job.id)
  for (const stored of await subJobs.getMany(domain, left, 'salvage')) {
    if (stored.damage !== undefined) {
      await removeTogether(subJobs, domain, [stored.damage.id], { now, together: 1 })
      continue
    }
    const subJob = new OpenSubJob(job, stored, now)
    await (job.abort ? subJob.leave() : subJob.fail(UNFINISHED))
  }
}

/** @param fault a fault of the run itself, besides the errors of its sub-jobs */
async function over(domain: string, job: StoredJob, fault: string | undefined, now: Date): Promise<StoredJob> {
  const counted = isEmpty(job) ? undefined : await countsOf(domain, job.id)
  const { failed_count = 0, ...counts } = counted ?? {}
  const at = now.toISOString()
  const { total_count, success_count, error_count, errors } = { ...job, ...counts }
  const wasCutShort = job.abort && (success_count + failed_count < total_count || !job.plan.end)
  return {
    ...job,
    ...counts,
    ...(fault !== undefined && { error_count: error_count + 1, errors: [fault, ...errors].slice(0, ERRORS_SHOWN) }),
    status: wasCutShort ? 'aborted' : failed_count > 0 || fault !== undefined ? 'failed' : 'completed',
    completed_at: at,
    updatedAt: at,
    dueAt: keptUntil(now),
  }
}

async function close(domain: string, stored: Stored<StoredJob>, isGivenUp: boolean, now: Date): Promise<void> {
  const isUnplanned = isGivenUp && !stored.item.abort && !stored.item.plan.end
  await endLeft(domain, stored.item, now)
  const job = await over(domain, stored.item, isUnplanned ? UNPLANNED : undefined, now)
  const changes = new Changes()
  changes.update(jobs, domain, stored, job)
  const state = await jobConfigStates.get(domain, job.job_config_id)
  if (state?.item.job === job.id) {
    const { job: _, ...rest } = state.item
    changes.update(jobConfigStates, domain, state, { ...rest, last_status: job.status })
  }
  recordEnd(changes, job, now)
  await changes.commit(now)
}

/** Runs of job configurations. Their work items are quota groups: sub-jobs that share a quota of their cloud. */
export const RUN = new Engine<StoredJob, StoredQuotaGroup>({
  ...RUN_FLOW,
  entity: jobs,
  isUnderWay: (job) => !isOver(job),
  isCancelled: ({ abort }) => abort,
  items: {
    entity: jobQuotaGroups,
    countOf: ({ quotaGroups }) => quotaGroups.length,
    isOpen: () => true, // its open sub-jobs determine that
    open: openQuotaGroup,
    leave: leaveAll,
  },
  progress: async (domain, job) => {
    const left_before = isEmpty(job) ? 0 : (await openOf(domain, job.id)).length
    return {
      isLeft: left_before > 0 || !job.plan.end,
      hasMoved: left_before !== job.left_before,
      note: { left_before },
    }
  },
  close,
  forget: (changes, domain, { id, quotaGroups }, now) =>
    changes.create(jobRemains, domain, { id, quotaGroups, dueAt: now.toISOString() }),
})

/** One turn at a quota group; the first turn writes its record. */
export function workOnQuotaGroup(
  { quota_group, ...of }: Omit<Step, 'item'> & { readonly quota_group: string },
  sweep: Sweep,
): Promise<Next> {
  const id = `${of.job} ${quota_group}`
  return RUN.takeTurn({ ...of, item: id }, sweep, { id, ...newTurns(sweep.now) })
}
