import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface DrawerProps {
  readonly title: ComponentChildren
  readonly close: () => void
  readonly children: ComponentChildren
}

/** A part of the page at its right side, for a look at one row of a list. Escape closes it. */
export function Drawer({ title, close, children }: DrawerProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="drawer" aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      {children}
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  )
}
