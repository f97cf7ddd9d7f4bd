import { useEffect, useId, useRef } from 'preact/hooks'
import { AttributeList, type AttributeRow } from '../../words/attributes.tsx'

interface AnswerProps {
  readonly title: string
  readonly rows: readonly AttributeRow[]
  readonly close: () => void
}

/** The answer of an action. */
export function Answer({ title, rows, close }: AnswerProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      <AttributeList rows={rows} />
      <button type="button" class="main" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  )
}
