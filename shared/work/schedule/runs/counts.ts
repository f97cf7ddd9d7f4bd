import { subJobs, subJobsOf, troubledOf, type StoredJob } from './store.ts'

/** Number of errors shown; later ones are dropped. */
export const ERRORS_SHOWN = 20

/** Ids of the unfinished sub-jobs. */
export async function openOf(domain: string, job: string): Promise<string[]> {
  const [scheduled, begun] = await Promise.all([
    subJobs.members(domain, subJobsOf(job, 'scheduled')),
    subJobs.members(domain, subJobsOf(job, 'in_progress')),
  ])
  return [...scheduled, ...begun]
}

interface Counts extends Pick<StoredJob, 'error_count' | 'errors' | 'total_count' | 'success_count' | 'skipped_count'> {
  readonly failed_count: number
}

/** The outcomes of a run's sub-jobs so far. A few reads, more for a very large run. */
export async function countsOf(domain: string, job: string): Promise<Counts> {
  const [all, completed, skipped, failed, troubled] = await Promise.all([
    subJobs.members(domain, subJobsOf(job)),
    subJobs.members(domain, subJobsOf(job, 'completed')),
    subJobs.members(domain, subJobsOf(job, 'skipped')),
    subJobs.members(domain, subJobsOf(job, 'failed')),
    subJobs.members(domain, troubledOf(job)),
  ])
  const shown = await subJobs.getMany(domain, troubled.slice(0, ERRORS_SHOWN), 'leave out')
  return {
    total_count: all.length,
    success_count: completed.length,
    skipped_count: skipped.length,
    failed_count: failed.length,
    error_count: troubled.length,
    errors: shown.map(({ item }) => `${item.resource_name}: ${item.error ?? ''}`),
  }
}

/** Whether the finished plan of a run is empty. */
export const isEmpty = ({ plan, quotaGroups }: StoredJob): boolean => plan.end && quotaGroups.length === 0
