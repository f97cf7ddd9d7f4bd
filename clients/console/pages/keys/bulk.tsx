import { useState } from 'preact/hooks'
import type { BulkAction, KeysJob, PlaceRow } from '../../clouds/row.ts'
import { CallDialog } from '../../forms/call-dialog.tsx'
import type { Selection } from '../../list/selection.ts'
import { sendAll } from '../../service.ts'
import { tell } from '../../shell/toasts.tsx'
import { count, counted } from '../../words/numbers.ts'
import type { Begun } from './begun-jobs.tsx'

/** Ours: "Select all" selects at most this many keys. */
export const MOST_SELECTED = 10_000

/** Selected keys of one place. */
export interface Chosen {
  readonly cloud: PlaceRow
  readonly ids: readonly string[]
}

/** An action on the selected keys of one place. */
interface Part {
  readonly action: BulkAction
  readonly ids: readonly string[]
}

interface BulkBarProps {
  readonly chosen: readonly Chosen[]
  readonly selection: Selection
  readonly selectAll: () => Promise<void>
  readonly begin: (jobs: readonly Begun[]) => void
}

/** Actions that all places of the selected keys have; of several places, only those without fields. */
function actionsOf(chosen: readonly Chosen[]): readonly (readonly [title: string, parts: readonly Part[]])[] {
  const titles = chosen[0]?.cloud.keys.bulk.map(({ title }) => title) ?? []
  return titles.flatMap((title) => {
    const parts = chosen.flatMap(({ cloud, ids }) => {
      const action = cloud.keys.bulk.find((each) => each.title === title)
      return action === undefined || (chosen.length > 1 && action.fields !== undefined) ? [] : [{ action, ids }]
    })
    return parts.length === chosen.length ? [[title, parts] as const] : []
  })
}

/** Actions on the selected keys. */
export function BulkBar({ chosen, selection, selectAll, begin }: BulkBarProps) {
  const [asked, setAsked] = useState<readonly Part[]>()
  const [isSelecting, setSelecting] = useState(false)
  const select = async (): Promise<void> => {
    setSelecting(true)
    await selectAll()
    setSelecting(false)
  }
  const total = selection.ids.size
  return (
    <div class="bulk" role="group" aria-label="Selected keys">
      {total > 0 && <span>{counted(total, 'key')} selected</span>}
      {total > 0 &&
        actionsOf(chosen).map(([title, parts]) => (
          <button key={title} type="button" onClick={() => setAsked(parts)}>
            {title}
          </button>
        ))}
      <button type="button" class="plain" disabled={isSelecting} onClick={() => void select()}>
        {isSelecting ? 'Selecting …' : 'Select all'}
      </button>
      {total > 0 && (
        <button type="button" class="plain" onClick={() => selection.set([])}>
          Select none
        </button>
      )}
      {asked !== undefined && (
        <BulkDialog {...{ parts: asked, begin }} close={() => setAsked(undefined)} done={() => selection.set([])} />
      )}
    </div>
  )
}

interface BulkDialogProps {
  readonly parts: readonly Part[]
  readonly begin: (jobs: readonly Begun[]) => void
  readonly close: () => void
  readonly done: () => void
}

const callsOf = (parts: readonly Part[], body: Record<string, unknown>) =>
  parts.flatMap(({ action, ids }) => action.calls(ids, body).map((call) => ({ action, call })))

function BulkDialog({ parts, begin, close, done }: BulkDialogProps) {
  const [sent, setSent] = useState(0)
  const calls = callsOf(parts, {})
  const [first] = calls
  if (first === undefined) return null
  const { title, fields = [] } = first.action
  const total = parts.reduce((sum, { ids }) => sum + ids.length, 0)
  const run = async (body: Record<string, unknown>): Promise<void> => {
    const begun = new Map<BulkAction, string[]>()
    const asked = callsOf(parts, body)
    const answered = (answer: unknown, at: number): void => {
      const action = asked[at]?.action
      if (action?.job === undefined) return
      begun.set(action, [...(begun.get(action) ?? []), (answer as KeysJob).id]) // the row's answers are jobs
    }
    try {
      await sendAll(
        asked.map(({ call }) => call),
        answered,
        setSent,
      )
    } finally {
      if (begun.size > 0)
        begin([...begun].flatMap(([{ job }, ids]) => (job === undefined ? [] : [{ ids, title, job }])))
    }
  }
  return (
    <CallDialog
      title={`${title}: ${counted(total, 'key')}`}
      about={[...new Set(parts.map(({ action: { about } }) => about))].join(' ')}
      fields={fields}
      call={(body) => callsOf(parts, body)[0]?.call ?? first.call}
      run={(_, body) => run(body)}
      more={calls.length - 1}
      submit={title}
      isDangerous={parts.some(({ action }) => action.isDangerous === true)}
      {...(parts.some(({ action }) => action.isEnding === true) && { typed: String(total) })}
      note={
        <>
          {parts.some(({ action }) => action.isEnding === true) && (
            <p>Uses of several keys are not read. The page of a key shows its known uses.</p>
          )}
          <p role="status">{sent > 0 && `${count(sent)} of ${counted(calls.length, 'call')} sent.`}</p>
        </>
      }
      close={close}
      done={() => {
        if (parts.some(({ action: { job } }) => job === undefined)) tell(`${title}: done for ${counted(total, 'key')}.`)
        done()
      }}
    />
  )
}
