import type { FunctionComponent } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'
import { HOME } from '../home.ts'

const KEYS = [
  ['Ctrl+K or /', 'Search'],
  ['?', 'This list'],
  ['g, then k, c, j, a or o', 'To keys, containers, jobs, the audit or the overview'],
  ['Tab', 'To the next part of the page'],
  ['Arrows, Page Up, Page Down', 'Along a list'],
  ['Enter', 'Opens the row'],
  ['Space', 'Selects the row'],
  ['x', 'Selects all rows from the one that was selected last'],
  ['Esc', 'Closes a dialog'],
] as const

/** Pages that a letter opens after `g`. */
const PLACES: Readonly<Record<string, string>> = {
  ...{ k: 'keys', c: 'containers', j: 'jobs', a: 'audit', o: '' },
}
/** The letter counts this long after `g`. */
const AWAITED_MS = 1_500

/** Whether keys are typed into a field. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

export interface DialogProps {
  readonly close: () => void
  /** Returns the text typed since the dialog was requested, and stops collecting it. */
  readonly takeEarly: () => string
}
type Dialog = FunctionComponent<DialogProps>

/** A dialog that was opened. */
interface Opened {
  readonly Dialog: Dialog
  /** differs each time */
  readonly opening: number
}

let openings = 0
const opened = (dialog: Dialog): Opened => ({ Dialog: dialog, opening: ++openings })

/** The search is loaded when it is first opened. */
const loadSearch = async (): Promise<Dialog> => (await import('./search.tsx')).default

/** The search, the list of keys, and the keys that open them. */
export function Keyboard() {
  const [shown, setShown] = useState<Opened>()
  const { route } = useLocation()
  const early = useRef<string>() // typed while the search is loaded
  const takeEarly = (): string => {
    const text = early.current ?? ''
    early.current = undefined
    return text
  }
  const search = async (): Promise<void> => {
    early.current = ''
    try {
      setShown(opened(await loadSearch()))
    } catch (error) {
      takeEarly()
      throw error
    }
  }
  useEffect(() => {
    let goneAt = Number.NEGATIVE_INFINITY // when `g` was typed
    const onKeyDown = (event: KeyboardEvent): void => {
      const isSearch = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
      const isPlain = !isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey
      if (document.querySelector('dialog[open]') !== null) return
      if (early.current !== undefined && isPlain && event.key.length === 1) {
        early.current += event.key
        event.preventDefault()
        return
      }
      const page = isPlain && event.timeStamp - goneAt < AWAITED_MS ? PLACES[event.key] : undefined
      goneAt = isPlain && event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (page !== undefined) route(HOME + page)
      else if (isSearch || (isPlain && event.key === '/')) void search()
      else if (isPlain && event.key === '?') setShown(opened(Help))
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return (
    <>
      <button type="button" class="search-button" aria-haspopup="dialog" onClick={() => void search()}>
        Search <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      {shown !== undefined && (
        <shown.Dialog
          key={shown.opening}
          takeEarly={takeEarly}
          close={() => setShown((now) => (now === shown ? undefined : now))} // another one may be open by now
        />
      )}
    </>
  )
}

function Help({ close }: Pick<DialogProps, 'close'>) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-label="Keys" onClose={close}>
      <h2>Keys</h2>
      <dl class="attributes">
        {KEYS.map(([keys, effect]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  )
}
