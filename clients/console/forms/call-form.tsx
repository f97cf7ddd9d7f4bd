import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Call } from '../calls.ts'
import { send } from '../service.ts'
import { CallPreview } from './call-preview.tsx'
import { NO_FAULTS, faultsOf, type Faults } from './faults.ts'
import { Field } from './field.tsx'
import { bodyOf, initialOf, shownOf, type FieldRow } from './fields.ts'

export interface CallFormProps {
  readonly fields: readonly FieldRow[]
  /** the call of a body; also called with a body whose secrets are hidden, to show the call */
  readonly call: (body: Record<string, unknown>) => Call
  /** sends it; default: the single call */
  readonly run?: (call: Call, body: Record<string, unknown>) => Promise<unknown>
  readonly submit: string
  readonly isDangerous?: boolean
  readonly done: (answer: unknown) => void
  readonly cancel?: () => void
  readonly more?: number
  /** drawn below the fields, for their present body */
  readonly preview?: (body: Record<string, unknown>) => ComponentChildren
  readonly children?: ComponentChildren
}

/** Errors that the browser itself finds, by field. */
function ownFaults(form: HTMLFormElement): Faults {
  const at: Record<string, string> = {}
  for (const control of form.elements)
    if (
      (control instanceof HTMLInputElement ||
        control instanceof HTMLSelectElement ||
        control instanceof HTMLTextAreaElement) &&
      !control.validity.valid
    )
      at[control.name] = control.validationMessage
  return { at, all: '' }
}

/**
 * A form that makes one call, which it shows while it is filled in. Errors of the browser and the service appear at
 * their fields, and the first of these gets the focus.
 */
export function CallForm({
  fields,
  call,
  run,
  submit,
  isDangerous,
  done,
  cancel,
  more,
  preview,
  children,
}: CallFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState(() => initialOf(fields))
  const [faults, setFaults] = useState(NO_FAULTS)
  const [isSending, setSending] = useState(false)
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [faults])

  const attempt = async (): Promise<void> => {
    const body = bodyOf(fields, values, { reveal: true })
    setSending(true)
    try {
      const answer = await (run ?? send)(call(body), body)
      setFaults(NO_FAULTS)
      done(answer)
    } catch (error) {
      setFaults(faultsOf(shownOf(fields, values), error))
    } finally {
      setSending(false)
    }
  }
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    const own = form.current === null ? NO_FAULTS : ownFaults(form.current)
    setFaults(own)
    if (Object.keys(own.at).length === 0 && !isSending) void attempt()
  }
  return (
    <form class="call-form" ref={form} noValidate onSubmit={onSubmit}>
      {children}
      {shownOf(fields, values).map((field) => (
        <Field
          key={field.name}
          field={field}
          values={values}
          fault={faults.at[field.name]}
          set={(value) => setValues((now) => ({ ...now, [field.name]: value }))}
        />
      ))}
      {preview?.(bodyOf(fields, values, { reveal: false }))}
      <p class="fault all" role="alert">
        {faults.all}
      </p>
      <CallPreview call={call(bodyOf(fields, values, { reveal: false }))} {...(more !== undefined && { more })} />
      <div class="buttons">
        <button type="submit" class={isDangerous === true ? 'submit danger' : 'submit main'} aria-disabled={isSending}>
          {isSending ? 'Sending …' : submit}
        </button>
        {cancel !== undefined && (
          <button type="button" class="cancel" onClick={cancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  )
}
