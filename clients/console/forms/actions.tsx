import { useState } from 'preact/hooks'
import type { Call } from '../calls.ts'
import { tell } from '../shell/toasts.tsx'
import type { AttributeRow } from '../words/attributes.tsx'
import { CallDialog } from './call-dialog.tsx'
import { addressOf } from './curl.ts'
import type { FieldRow } from './fields.ts'
import { save, type SavedFile } from './files.ts'
import { Uses, useUses, type Ending } from './uses.tsx'

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
  /** its body decides that it stops or ends something, not the path of its call */
  readonly isDangerous?: true
  /** it cannot be undone: the dialog shows what depends on the resource, and asks for its name */
  readonly ends?: Ending<T>
  readonly fields?: readonly FieldRow[]
  /** replaces `fields` if their initial values depend on the resource */
  fieldsFor?(of: T): readonly FieldRow[]
  applies(of: T): boolean
  call(of: T, body: Record<string, unknown>): Call
  /** label of the button; default: the title */
  readonly submit?: string
  /** its answer as a file, for an action whose purpose is that file */
  saves?(of: T, answer: unknown): SavedFile
  /** its answer in a dialog, for an action whose purpose is that answer */
  shows?(answer: unknown): readonly AttributeRow[]
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
      {asked !== undefined && (
        <ActionDialog
          key={asked.action.name}
          {...asked}
          actions={actions}
          choose={(action) => setAsked({ action, subject: asked.subject })}
          close={() => setAsked(undefined)}
          done={done}
        />
      )}
    </>
  )
}

interface ActionDialogProps<T, A extends Action<T>> extends Asked<T, A> {
  readonly actions: readonly A[]
  readonly choose: (action: A) => void
  readonly close: () => void
  readonly done: ActionsProps<T, A>['done']
}

function ActionDialog<T, A extends Action<T>>(props: ActionDialogProps<T, A>) {
  const { action, subject, actions, choose, close, done } = props
  const { ends } = action
  const uses = useUses(ends, subject, addressOf(action.call(subject, {})))
  const isUsed = uses.data !== undefined && uses.data.length > 0
  return (
    <CallDialog
      title={ends === undefined ? action.title : `${action.title}: ${ends.nameOf(subject)}`}
      about={action.about}
      fields={action.fieldsFor?.(subject) ?? action.fields ?? []}
      call={(body) => action.call(subject, body)}
      submit={action.submit ?? action.title}
      isDangerous={action.isDangerous}
      {...(ends !== undefined && {
        typed: ends.nameOf(subject),
        isRefused: ends.isForUnused === true && isUsed,
        note: (
          <>
            <Uses uses={uses.data} error={uses.error} areKnown={ends.uses !== undefined} />
            <Milder
              actions={actions.filter(
                (each) =>
                  ends.milder?.includes(each.name) === true &&
                  each.applies(subject) &&
                  !(isUsed && each.ends?.isForUnused === true),
              )}
              isOnly={ends.isForUnused === true && isUsed}
              choose={choose}
            />
          </>
        ),
      })}
      close={close}
      done={(answer) => {
        if (action.saves !== undefined) save(action.saves(subject, answer))
        tell(action.done)
        done?.(action, answer)
      }}
    />
  )
}

interface MilderProps<A> {
  readonly actions: readonly A[]
  /** whether the action itself is refused */
  readonly isOnly: boolean
  readonly choose: (action: A) => void
}

/** Actions that do less harm. */
function Milder<A extends { readonly name: string; readonly title: string; readonly about: string }>(
  props: MilderProps<A>,
) {
  const { actions, isOnly, choose } = props
  return (
    <>
      {isOnly && <p class="fault">This is refused while anything uses it.</p>}
      {actions.map((action) => (
        <p key={action.name} class="milder">
          <span>
            <b>{action.title} instead.</b> {action.about}
          </span>
          <button type="button" onClick={() => choose(action)}>
            {action.title}
          </button>
        </p>
      ))}
    </>
  )
}
