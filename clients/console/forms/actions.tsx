import { useState } from 'preact/hooks'
import type { Call } from '../calls.ts'
import { tell } from '../shell/toasts.tsx'
import { CallDialog } from './call-dialog.tsx'
import type { FieldRow } from './fields.ts'
import { save, type SavedFile } from './files.ts'

/** A way to create a key, a container or an endpoint. */
export interface AddWay {
  /** in the address */
  readonly name: string
  readonly title: string
  readonly about: string
  readonly fields: readonly FieldRow[]
  readonly call: (body: Record<string, unknown>) => Call
}

/** An action on one resource. Functions of the resource are declared as methods: see `PlaceRow`. */
export interface Action<T> {
  readonly name: string
  readonly title: string
  /** its effect, in a sentence */
  readonly about: string
  readonly isDangerous?: boolean
  readonly fields?: readonly FieldRow[]
  /** replaces `fields` if their initial values depend on the resource */
  fieldsFor?(of: T): readonly FieldRow[]
  applies(of: T): boolean
  call(of: T, body: Record<string, unknown>): Call
  /** label of the button; default: the title */
  readonly submit?: string
  /** its answer as a file, for an action whose purpose is that file */
  saves?(of: T, answer: unknown): SavedFile
  /** message after success */
  readonly done: string
}

/** The selected action, and the resource at that time: changes are relative to the form's initial values. */
interface Asked<T, A> {
  readonly action: A
  readonly subject: T
}

interface ActionsProps<T, A extends Action<T>> {
  readonly actions: readonly A[]
  readonly of: T
  /** the name of the main action */
  readonly main?: string
  readonly done?: ((action: A, answer: unknown) => void) | undefined
}

/** A button for each action that applies to a resource. Each opens a dialog that shows its call. */
export function Actions<T, A extends Action<T>>({ actions, of, main, done }: ActionsProps<T, A>) {
  const [asked, setAsked] = useState<Asked<T, A>>()
  return (
    <>
      {actions
        .filter((action) => action.applies(of))
        .map((action) => (
          <button
            key={action.name}
            type="button"
            class={action.name === main ? 'main' : ''}
            onClick={() => setAsked({ action, subject: of })}
          >
            {action.title}
          </button>
        ))}
      {asked !== undefined && <ActionDialog {...asked} close={() => setAsked(undefined)} done={done} />}
    </>
  )
}

interface ActionDialogProps<T, A extends Action<T>> extends Asked<T, A> {
  readonly close: () => void
  readonly done: ActionsProps<T, A>['done']
}

function ActionDialog<T, A extends Action<T>>({ action, subject, close, done }: ActionDialogProps<T, A>) {
  return (
    <CallDialog
      title={action.title}
      about={action.about}
      fields={action.fieldsFor?.(subject) ?? action.fields ?? []}
      call={(body) => action.call(subject, body)}
      submit={action.submit ?? action.title}
      isDangerous={action.isDangerous === true}
      close={close}
      done={(answer) => {
        if (action.saves !== undefined) save(action.saves(subject, answer))
        tell(action.done)
        done?.(action, answer)
      }}
    />
  )
}
