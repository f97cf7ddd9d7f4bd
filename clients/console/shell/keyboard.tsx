import type { FunctionComponent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const KEYS = [
  ['Ctrl+K or /', 'Search'],
  ['?', 'This list'],
  ['Tab', 'To the next part of the page'],
  ['Arrows, Page Up, Page Down', 'Along a list'],
  ['Enter', 'Opens the row'],
  ['Space', 'Selects the row'],
  ['Esc', 'Closes a dialog'],
] as const

/** Whether keys are typed into a field. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

type Dialog = FunctionComponent<{ readonly close: () => void }>

/** The search is loaded when it is first opened. */
const loadSearch = async (): Promise<Dialog> => (await import('./search.tsx')).default

/** The search, the list of keys, and the keys that open them. */
export function Keyboard() {
  const [shown, setShown] = useState<{ readonly Dialog: Dialog }>()
  const search = async (): Promise<void> => setShown({ Dialog: await loadSearch() })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isSearch = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
      const isPlain = !isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey
      if (document.querySelector('dialog[open]') !== null) return
      if (isSearch || (isPlain && event.key === '/')) void search()
      else if (isPlain && event.key === '?') setShown({ Dialog: Help })
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
      {shown !== undefined && <shown.Dialog close={() => setShown(undefined)} />}
    </>
  )
}

function Help({ close }: { readonly close: () => void }) {
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
