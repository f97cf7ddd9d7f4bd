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

/** A job that goes on at the service after it was begun here. */
export interface Begun {
  readonly id: string
  readonly title: string
  readonly load: (id: string, signal: AbortSignal) => Promise<BulkJob>
}

interface BulkBarProps {
  readonly cloud: CloudRow
  readonly selection: Selection
  readonly selectAll: () => Promise<void>
  readonly begin: (job: Begun) => void
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
  readonly begin: (job: Begun) => void
  readonly close: () => void
  readonly done: () => void
}

function BulkDialog({ action, ids, begin, close, done }: BulkDialogProps) {
  const calls = action.calls(ids, {})
  const [first] = calls
  if (first === undefined) return null
  const { title, job: load } = action
  return (
    <CallDialog
      title={`${title}: ${counted(ids.length, 'key')}`}
      about={action.about}
      fields={action.fields ?? []}
      call={(body) => action.calls(ids, body)[0] ?? first}
      run={(_, body) => sendAll(action.calls(ids, body))}
      more={calls.length - 1}
      submit={title}
      isDangerous={action.isDangerous === true}
      close={close}
      done={(answers) => {
        const [answer] = answers as readonly { readonly id: string }[] // sendAll answers the bodies
        if (load === undefined) tell(`${title}: done for ${counted(ids.length, 'key')}.`)
        else if (answer !== undefined) begin({ id: answer.id, title, load })
        done()
      }}
    />
  )
}

/** How far a job for many keys has come, and which keys it could not change. */
export function BulkProgress({ begun: { id, title, load } }: { readonly begun: Begun }) {
  const { data, error } = useLive({
    key: ['bulk-job', id],
    load: (signal) => load(id, signal),
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
