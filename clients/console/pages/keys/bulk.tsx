import { useState } from 'preact/hooks'
import type { BulkAction, PlaceRow, KeysJob } from '../../clouds/row.ts'
import { CallDialog } from '../../forms/call-dialog.tsx'
import type { Selection } from '../../list/selection.ts'
import { sendAll } from '../../service.ts'
import { tell } from '../../shell/toasts.tsx'
import { counted } from '../../words/numbers.ts'
import type { Begun } from './begun-jobs.tsx'

interface BulkBarProps {
  readonly cloud: PlaceRow
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
  const { title, job } = action
  const run = async (body: Record<string, unknown>): Promise<void> => {
    const begun: string[] = []
    const answered = (answer: unknown): void => {
      if (job !== undefined) begun.push((answer as KeysJob).id) // the row's answers are jobs
    }
    try {
      await sendAll(action.calls(ids, body), answered)
    } finally {
      if (job !== undefined && begun.length > 0) begin({ ids: begun, title, job })
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
      {...(action.isEnding === true && {
        typed: String(ids.length),
        note: <p>Uses of several keys are not read. The page of a key shows its known uses.</p>,
      })}
      close={close}
      done={() => {
        if (job === undefined) tell(`${title}: done for ${counted(ids.length, 'key')}.`)
        done()
      }}
    />
  )
}
