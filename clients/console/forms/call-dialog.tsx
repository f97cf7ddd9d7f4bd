import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { isDangerous as stops } from '../calls.ts'
import { CallForm, type CallFormProps } from './call-form.tsx'
import { bodyOf, initialOf } from './fields.ts'

interface DialogProps extends Omit<CallFormProps, 'cancel' | 'children'> {
  readonly title: string
  /** effect of the action, in a sentence or two */
  readonly about: string
  /** below the sentence, for example what depends on a resource */
  readonly note?: ComponentChildren
  readonly close: () => void
}

/**
 * Asks for confirmation of a change, and shows its call. It is drawn while it is open; Escape closes it, and the focus
 * returns to where it was. The focus starts on a field, or on the confirmation unless the change is dangerous.
 */
export function CallDialog({ title, about, note, close, done, ...form }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isOver = useRef(false)
  const id = useId()
  const end = (): void => {
    if (isOver.current) return // the event of a closed dialog comes late: another dialog may be open by then
    isOver.current = true
    dialog.current?.close()
    close()
  }
  const { fields, typed, call } = form
  useEffect(() => {
    const isDangerous = form.isDangerous === true || stops(call(bodyOf(fields, initialOf(fields), { reveal: false })))
    dialog.current?.showModal()
    const begin =
      typed === undefined && fields.length > 0
        ? '.field :is(input, select, textarea)'
        : isDangerous
          ? '.cancel'
          : '.submit'
    dialog.current?.querySelector<HTMLElement>(begin)?.focus()
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={end}>
      <h2 id={id}>{title}</h2>
      <CallForm
        {...form}
        done={(answer) => {
          end()
          done(answer)
        }}
        cancel={end}
      >
        <p>{about}</p>
        {note}
      </CallForm>
    </dialog>
  )
}
