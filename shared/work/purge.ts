import { Changes } from '../store/changes.ts'
import { pageOf } from '../store/list.ts'
import { removing, type PurgeStep } from '../store/remove-some.ts'
import { bulkJobs } from './bulk/store.ts'
import { reportedNames } from './report/clouds.ts'
import { remainsOf, reportRemains, reports, reportsOf } from './report/store.ts'
import { sagas } from './sagas/store.ts'
import { jobConfigs } from './schedule/configs/store.ts'
import { jobRemains, jobs } from './schedule/runs/store.ts'
import { jobsOf, partsOfJob, synchronizationJobs, synchronizationParts } from './synchronize/store.ts'
import { workRows } from './work-row.ts'

const PARTS_A_TIME = 12

/** Removes the parts of a synchronization job, and the job once it has none. */
const removingSynchronizations =
  (source: string): PurgeStep =>
  async (domain, now) => {
    const { items } = await pageOf(synchronizationJobs, domain, jobsOf(source), {
      skip: 0,
      limit: 1,
      broken: 'salvage',
    })
    const [job] = items
    if (job === undefined) return false
    const changes = new Changes()
    const parts = await synchronizationParts.membersAfter(
      domain,
      partsOfJob(job.damage?.id ?? job.item.id),
      undefined,
      PARTS_A_TIME,
    )
    const ids = parts.map(({ id }) => id)
    for (const part of await synchronizationParts.getMany(domain, ids, 'salvage'))
      changes.remove(synchronizationParts, domain, part)
    if (changes.empty) changes.remove(synchronizationJobs, domain, job)
    await changes.commit(now)
    return true
  }

/** Every source of synchronization jobs. */
const sources = (): string[] =>
  workRows().flatMap(({ name, synchronize = {} }) =>
    Object.keys(synchronize).map((of) => (of === '' ? name : `${name}/${of}`)),
  )

/** Removes the records of work. Later sweeps remove its schedules, rows and objects. */
export const workPurge = (): readonly PurgeStep[] => [
  removing(sagas, 'all'),
  ...sources().map(removingSynchronizations),
  removing(bulkJobs, 'all'),
  removing(jobConfigs, 'all'),
  removing(jobs, 'all', (changes, domain, { id, quotaGroups }, now) => {
    changes.create(jobRemains, domain, { id, quotaGroups, dueAt: now.toISOString() })
  }),
  ...reportedNames().map((cloud) =>
    removing(reports, reportsOf(cloud), (changes, domain, report, now) =>
      changes.create(reportRemains, domain, remainsOf(report, now)),
    ),
  ),
]
