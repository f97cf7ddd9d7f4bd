import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { NeedsApproval } from '../approval.ts'
import { isDangerous as stops, type Call } from '../calls.ts'
import { send } from '../service.ts'
import { Later } from '../shell/later.tsx'
import type { Approval } from './approval.tsx'
import { BusyButton, CancelButton } from './buttons.tsx'
import { CallPreview } from './call-preview.tsx'
import { addressOf } from './curl.ts'
import type { DryRun } from './dry-run.tsx'
import { NO_FAULTS, faultsOf, type Faults } from './faults.ts'
import { Field } from './field.tsx'
import { bodyOf, initialOf, shownOf, type FieldRow } from './fields.ts'

/** A second way to submit a form, with a call of its own. */
interface Second extends Pick<CallFormProps, 'call' | 'done'> {
  readonly title: string
}

/** A submission that others must approve. */
interface Unapproved {
  readonly needed: NeedsApproval
  /** its call at that time, without secrets: a form with other values asks again */
  readonly shown: Call
  readonly by: Second | undefined
}

const isSame = (a: Call, b: Call): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Loaded on demand, because few forms need it. */
const loadApproval = async (): Promise<typeof Approval> => (await import('./approval.tsx')).Approval

export interface CallFormProps {
  readonly fields: readonly FieldRow[]
  /** the call for a body; a body with hidden secrets gives the call to show */
  readonly call: (body: Record<string, unknown>) => Call
  /** sends it; default: the single call */
  readonly run?: (call: Call, body: Record<string, unknown>) => Promise<unknown>
  readonly submit: string
  /** whether this call ends something; for calls whose path does not show it */
  readonly isDangerous?: boolean | undefined
  readonly done: (answer: unknown) => void
  readonly cancel?: () => void
  readonly more?: number
  readonly second?: Second | undefined
  /** called when the user changes a field, with the present body */
  readonly changed?: (body: Record<string, unknown>) => void
  /** a text that the user must type before the form can be submitted */
  readonly typed?: string
  /** it cannot be submitted; the children show the reason */
  readonly isRefused?: boolean
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
 * A form that makes one call, and shows the call while the user fills in the fields. Errors of the browser and the service
 * appear at their fields, and the first of these gets the focus. If a rule demands approval, the form asks for it.
 */
export function CallForm({
  fields,
  call,
  run,
  submit,
  isDangerous: isRaised,
  done,
  cancel,
  more,
  second,
  changed,
  typed,
  isRefused = false,
  preview,
  children,
}: CallFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [values, setValues] = useState(() => initialOf(fields))
  const latest = useRef(values) // a field that is set later, from a file, keeps what was typed meanwhile
  const [faults, setFaults] = useState(NO_FAULTS)
  const [isSending, setSending] = useState(false)
  const [unapproved, setUnapproved] = useState<Unapproved>()
  const [confirmed, setConfirmed] = useState('')
  const shownBy = (by: Second | undefined): Call => (by?.call ?? call)(bodyOf(fields, values, { reveal: false }))
  const isDangerous = isRaised === true || stops(shownBy(undefined))
  const isUnconfirmed = isRefused || (typed !== undefined && confirmed !== typed)
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [faults])

  const attempt = async (by?: Second): Promise<void> => {
    const body = bodyOf(fields, values, { reveal: true })
    setSending(true)
    try {
      const answer = by === undefined ? await (run ?? send)(call(body), body) : await send(by.call(body))
      setFaults(NO_FAULTS)
      setUnapproved(undefined)
      ;(by?.done ?? done)(answer)
    } catch (error) {
      const needed = error instanceof NeedsApproval ? error : undefined
      setUnapproved(needed && { needed, by, shown: shownBy(by) })
      setFaults(needed === undefined ? faultsOf(shownOf(fields, values), error) : NO_FAULTS)
    } finally {
      setSending(false)
    }
  }
  const submitBy = (by?: Second): void => {
    const own = form.current === null ? NO_FAULTS : ownFaults(form.current)
    setFaults(own)
    if (Object.keys(own.at).length === 0 && !isSending && !isUnconfirmed) void attempt(by)
  }
  const set = (name: string, value: string): void => {
    const next = { ...latest.current, [name]: value }
    latest.current = next
    setValues(next)
    setUnapproved(undefined)
    changed?.(bodyOf(fields, next, { reveal: false }))
  }
  const waiting = unapproved !== undefined && isSame(unapproved.shown, shownBy(unapproved.by)) ? unapproved : undefined
  return (
    <form
      class="call-form"
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submitBy()
      }}
    >
      {children}
      {(isRefused ? [] : shownOf(fields, values)).map((field) => (
        <Field
          key={field.name}
          field={field}
          values={values}
          fault={faults.at[field.name]}
          set={(value) => set(field.name, value)}
        />
      ))}
      {preview?.(bodyOf(fields, values, { reveal: false }))}
      <p class="fault all" role="alert">
        {faults.all}
      </p>
      {typed !== undefined && !isRefused && <Typed text={typed} value={confirmed} set={setConfirmed} />}
      {!isRefused && <CallPreview call={shownBy(undefined)} {...(more !== undefined && { more })} />}
      {isDangerous && run === undefined && !isRefused && (
        <Rehearsal call={() => call(bodyOf(fields, values, { reveal: true }))} />
      )}
      {waiting !== undefined ? (
        <Later
          load={loadApproval}
          {...{ needed: waiting.needed, shown: waiting.shown, address: addressOf(waiting.needed.call), cancel }}
          again={() => void attempt(waiting.by)}
        />
      ) : (
        <div class="buttons">
          {!isRefused && (
            <BusyButton
              type="submit"
              class={isDangerous ? 'submit danger' : 'submit main'}
              title={submit}
              busyTitle="Sending …"
              isBusy={isSending}
              isDisabled={isUnconfirmed}
            />
          )}
          {second !== undefined && (
            <button type="button" aria-disabled={isSending} onClick={() => submitBy(second)}>
              {second.title}
            </button>
          )}
          <CancelButton cancel={cancel} />
        </div>
      )}
    </form>
  )
}

/** Loads the dry run on demand, because every page has forms and few users ask for it. */
function Rehearsal({ call }: { readonly call: () => Call }) {
  const [part, setPart] = useState<{ readonly DryRun: typeof DryRun }>()
  if (part !== undefined) return <part.DryRun call={call} />
  return (
    <button type="button" class="plain" onClick={() => void import('./dry-run.tsx').then(setPart)}>
      What would change?
    </button>
  )
}

interface TypedProps {
  readonly text: string
  readonly value: string
  readonly set: (value: string) => void
}

/** Asks for a text as a confirmation. Enter does not confirm. */
function Typed({ text, value, set }: TypedProps) {
  const id = useId()
  return (
    <div class="field typed">
      <label for={id}>
        Type <code>{text}</code> to go on
      </label>
      <input
        id={id}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault()
        }}
      />
    </div>
  )
}
