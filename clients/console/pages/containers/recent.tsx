import { synchronizationsOf, type Synchronization } from '../../clouds/containers.ts'
import type { CloudRow } from '../../clouds/row.ts'
import { TimeLine } from '../../figures/time-line.tsx'
import { useLive } from '../../live.ts'
import { HOME } from '../../home.ts'
import { count } from '../../words/numbers.ts'
import { Empty, Failed, Pill } from '../../words/states.tsx'
import { isUnderWay, workState } from '../../words/work-states.ts'

const SHOWN = 8

export const titleOf = (of: CloudRow, job: Synchronization): string => {
  const names = (job as unknown as Record<string, unknown>)[synchronizationsOf(of).listedAs] // each cloud has its own name
  if (job.synchronize_all) return 'Synchronization of all'
  return `Synchronization of ${Array.isArray(names) ? names.join(', ') : of.containers.noun}`
}

const outcomeOf = ({ added, updated, gone, unread }: Synchronization): string =>
  [
    `${count(added)} added`,
    `${count(updated)} updated`,
    `${count(gone)} gone`,
    ...(unread > 0 ? [`${count(unread)} unread`] : []),
  ].join(', ')

/** The newest synchronizations, live. @param only limits them to a container of this name */
export function Recent({ of, only }: { readonly of: CloudRow; readonly only?: string }) {
  const { data, error } = useLive({
    key: ['synchronizations', of.name, only],
    load: (signal) =>
      synchronizationsOf(of).list(
        { limit: SHOWN, sort: '-createdAt', ...(only !== undefined && { [synchronizationsOf(of).listedAs]: [only] }) },
        signal,
      ),
    isOver: ({ resources }) => !resources.some(({ overall_status }) => isUnderWay(overall_status)),
  })
  return (
    <section class="card">
      <h2>Synchronizations</h2>
      {error !== null && <Failed error={error} />}
      {data?.total === 0 && (
        <Empty>No keys have been read in yet. “Synchronize” does it now, and a job does it by itself.</Empty>
      )}
      {data !== undefined && data.total > 0 && (
        <TimeLine
          label="Synchronizations"
          moments={data.resources.map((job) => ({
            ...{ id: job.id, time: job.createdAt, tone: workState(job.overall_status).tone, detail: outcomeOf(job) },
            title: (
              <>
                <a href={`${HOME}containers/${of.name}/synchronizations/${job.id}`}>{titleOf(of, job)}</a>{' '}
                <Pill tone={workState(job.overall_status).tone}>{workState(job.overall_status).title}</Pill>
              </>
            ),
          }))}
        />
      )}
    </section>
  )
}
