import { useEffect, useId, useRef } from 'preact/hooks'
import { AttributeList, type AttributeRow } from '../../words/attributes.tsx'

/** Secrets that the service returns once. They disappear with the dialog, which Escape does not close. */
export function ShownOnce({ rows, close }: { readonly rows: readonly AttributeRow[]; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={close} onCancel={(event) => event.preventDefault()}>
      <h2 id={id}>Shown once</h2>
      <p>Keep this credential now: it cannot be read again.</p>
      <AttributeList rows={rows.map(([label, value]) => [label, <code key={label}>{value}</code>])} />
      <button type="button" class="main" onClick={() => dialog.current?.close()}>
        I have kept it
      </button>
    </dialog>
  )
}
