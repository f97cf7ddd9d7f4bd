import { useRef } from 'preact/hooks'
import type { JobRow, KeysJob } from '../../clouds/row.ts'
import { useLive } from '../../live.ts'
import { count, counted } from '../../words/numbers.ts'
import { Progress } from '../../words/progress.tsx'
import { Failed, Pill } from '../../words/states.tsx'
import { isUnderWay, leftUntil, workState } from '../../words/work-states.ts'

/** Jobs of one action, which continue at the service after they were started here. */
export interface Begun {
  readonly ids: readonly string[]
  readonly title: string
  readonly job: JobRow
}

/** Maximum number of jobs that are loaded at once. */
const ASKED_MOST = 20

/** Several jobs as one. */
interface Together {
  readonly status: string
  /** `undefined` if it is not known */
  readonly total: number | undefined
  readonly outcomes: readonly (readonly [name: string, outcome: string])[]
  /** when the last one will be over; `undefined` if it is not known */
  readonly end: string | undefined
}

/** In progress until all jobs have ended; then the state of the first one that is not complete. */
const together = (jobs: readonly KeysJob[], isOver: boolean): Together => {
  const outcomes = jobs.flatMap((job) => Object.entries(job.detailed_status))
  const keys = jobs.flatMap((job) => job.keys ?? [])
  return {
    status: isOver
      ? (jobs.find(({ overall_status: status }) => status !== 'completed')?.overall_status ?? 'completed')
      : 'in_progress',
    total: isOver ? outcomes.length : keys.length > 0 ? keys.length : undefined,
    outcomes,
    end: jobs
      .flatMap(({ expected_end_at: end }) => (end === undefined ? [] : [end]))
      .sort()
      .at(-1),
  }
}

/** Progress of started jobs, and the keys that they could not change. */
export function BegunJobs({ begun: { ids, title, job } }: { readonly begun: Begun }) {
  const seen = useRef(new Map<string, KeysJob>())
  const goesOn = (id: string): boolean => isUnderWay(seen.current.get(id)?.overall_status ?? 'in_progress')
  const { data, error } = useLive({
    key: ['begun-jobs', ...ids],
    load: async (signal) => {
      const asked = ids.filter(goesOn).slice(0, ASKED_MOST)
      const answers = await Promise.all(asked.map((id) => job.load(id, signal)))
      for (const answer of answers) seen.current.set(answer.id, answer)
      return together([...seen.current.values()], !ids.some(goesOn))
    },
    isOver: ({ status }) => !isUnderWay(status),
    isNew: true,
  })
  if (data === undefined) return error === null ? null : <Failed error={error} />
  const { status, total, outcomes, end } = data
  const faults = outcomes.filter(([, outcome]) => outcome !== 'Success')
  const { title: state, tone } = workState(status)
  const ofTotal = total === undefined ? counted(outcomes.length, job.noun) : `of ${counted(total, job.noun)}`
  return (
    <section class="bulk-job" aria-label={title}>
      <Progress
        label={title}
        value={outcomes.length}
        most={total}
        words={
          <>
            {title}: {total !== undefined && count(outcomes.length)} {ofTotal} <Pill tone={tone}>{state}</Pill>
            {leftUntil(end)}
          </>
        }
      />
      {faults.length > 0 && (
        <ul class="plain-list">
          {faults.map(([name, outcome]) => (
            <li key={name}>
              {name}: {outcome}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
