import { useState } from 'preact/hooks'
import type { Call } from '../calls.ts'
import { tell } from '../shell/toasts.tsx'
import { CallDialog } from './call-dialog.tsx'
import type { FieldRow } from './fields.ts'
import { save, type SavedFile } from './files.ts'

/** A way to add a key, a container or an endpoint. */
export interface AddWay {
  /** in the address */
  readonly name: string
  readonly title: string
  readonly about: string
  readonly fields: readonly FieldRow[]
  readonly call: (body: Record<string, unknown>) => Call
}

/** Something that can be done with one resource. Functions of the resource are declared as methods: see `PlaceRow`. */
export interface Action<T> {
  readonly name: string
  readonly title: string
  /** its effect, in a sentence */
  readonly about: string
  readonly isDangerous?: boolean
  readonly fields?: readonly FieldRow[]
  /** in place of `fields`, where they begin with values of the resource */
  fieldsFor?(of: T): readonly FieldRow[]
  applies(of: T): boolean
  call(of: T, body: Record<string, unknown>): Call
  /** the button that sends it; the title without */
  readonly submit?: string
  /** its answer as a file, of one that is made to keep it */
  saves?(of: T, answer: unknown): SavedFile
  /** told when it is done */
  readonly done: string
}

/** The action that was chosen, and the resource as it was then: what a form begins with is what its changes are against. */
interface Asked<T, A> {
  readonly action: A
  readonly subject: T
}

interface ActionsProps<T, A extends Action<T>> {
  readonly actions: readonly A[]
  readonly of: T
  /** the name of the one that stands out */
  readonly main?: string
  readonly done?: ((action: A, answer: unknown) => void) | undefined
}

/** A button for each action that applies to a resource. Each asks first and shows its call. */
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
