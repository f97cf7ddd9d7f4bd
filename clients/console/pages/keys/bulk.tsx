import { useState } from 'preact/hooks'
import type { BulkAction, BulkJob, CloudRow } from '../../clouds/row.ts'
import { CallDialog } from '../../forms/call-dialog.tsx'
import type { Selection } from '../../list/selection.ts'
import { useLive } from '../../live.ts'
import { sendAll } from '../../service.ts'
import { tell } from '../../shell/toasts.tsx'
import { counted } from '../../words/numbers.ts'
import { Failed, Pill } from '../../words/states.tsx'
import { Progress } from '../../words/progress.tsx'
import { isUnderWay, workState } from '../../words/work-states.ts'

/** Jobs of one action, which go on at the service after they were begun here. */
export interface Begun {
  readonly ids: readonly string[]
  readonly title: string
  readonly load: (id: string, signal: AbortSignal) => Promise<BulkJob>
}

interface BulkBarProps {
  readonly cloud: CloudRow
  readonly selection: Selection
  readonly selectAll: () => Promise<void>
  readonly begin: (jobs: Begun) => void
}

/** Actions on the selected keys. */
export function BulkBar({ cloud, selection, selectAll, begin }: BulkBarProps) {
  const [asked, setAsked] = useState<BulkAction>()
  const ids = [...selection.ids]
  return (
    <div class="bulk" role="group" aria-label="Selected keys">
      {ids.length > 0 && <span>{counted(ids.length, 'key')} selected</span>}
      {ids.length > 0 &&
        cloud.keys.bulk.map((action) => (
          <button key={action.name} type="button" onClick={() => setAsked(action)}>
            {action.title}
          </button>
        ))}
      <button type="button" class="plain" onClick={() => void selectAll()}>
        Select all
      </button>
      {ids.length > 0 && (
        <button type="button" class="plain" onClick={() => selection.set([])}>
          Select none
        </button>
      )}
      {asked !== undefined && (
        <BulkDialog
          {...{ action: asked, ids, begin }}
          close={() => setAsked(undefined)}
          done={() => selection.set([])}
        />
      )}
    </div>
  )
}

interface BulkDialogProps {
  readonly action: BulkAction
  readonly ids: readonly string[]
  readonly begin: (jobs: Begun) => void
  readonly close: () => void
  readonly done: () => void
}

function BulkDialog({ action, ids, begin, close, done }: BulkDialogProps) {
  const calls = action.calls(ids, {})
  const [first] = calls
  if (first === undefined) return null
  const { title, job: load } = action
  const run = async (body: Record<string, unknown>): Promise<void> => {
    const begun: string[] = []
    const answered = (answer: unknown): void => {
      if (load !== undefined) begun.push((answer as BulkJob).id) // as the row says
    }
    try {
      await sendAll(action.calls(ids, body), answered)
    } finally {
      if (load !== undefined && begun.length > 0) begin({ ids: begun, title, load })
    }
  }
  return (
    <CallDialog
      title={`${title}: ${counted(ids.length, 'key')}`}
      about={action.about}
      fields={action.fields ?? []}
      call={(body) => action.calls(ids, body)[0] ?? first}
      run={(_, body) => run(body)}
      more={calls.length - 1}
      submit={title}
      isDangerous={action.isDangerous === true}
      close={close}
      done={() => {
        if (load === undefined) tell(`${title}: done for ${counted(ids.length, 'key')}.`)
        done()
      }}
    />
  )
}

/** Several jobs as one: under way until all are over, and then as the first one that is not complete. */
const together = (jobs: readonly BulkJob[]): Omit<BulkJob, 'id'> => {
  const states = jobs.map((job) => job.overall_status)
  return {
    overall_status: states.find(isUnderWay) ?? states.find((state) => state !== 'completed') ?? 'completed',
    keys: jobs.flatMap(({ keys }) => keys),
    detailed_status: Object.assign({}, ...jobs.map((job) => job.detailed_status)) as BulkJob['detailed_status'],
  }
}

/** How far the jobs for many keys have come, and which keys they could not change. */
export function BulkProgress({ begun: { ids, title, load } }: { readonly begun: Begun }) {
  const { data, error } = useLive({
    key: ['bulk-jobs', ...ids],
    load: async (signal) => together(await Promise.all(ids.map((id) => load(id, signal)))),
    isOver: ({ overall_status }) => !isUnderWay(overall_status),
  })
  if (data === undefined) return error === null ? null : <Failed error={error} />
  const outcomes = Object.entries(data.detailed_status)
  const faults = outcomes.filter(([, outcome]) => outcome !== 'Success')
  const { title: state, tone } = workState(data.overall_status)
  return (
    <section class="bulk-job" aria-label={title}>
      <Progress
        label={title}
        value={outcomes.length}
        most={data.keys.length}
        words={
          <>
            {title}: {outcomes.length} of {counted(data.keys.length, 'key')} <Pill tone={tone}>{state}</Pill>
          </>
        }
      />
      {faults.length > 0 && (
        <ul class="plain-list">
          {faults.map(([key, outcome]) => (
            <li key={key}>
              {key}: {outcome}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
