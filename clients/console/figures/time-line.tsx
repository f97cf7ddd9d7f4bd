import type { ComponentChildren } from 'preact'
import { When } from '../words/when.tsx'
import type { Tone } from '../words/states.tsx'

export interface Moment {
  readonly id: string
  readonly time: string
  readonly tone: Tone
  readonly title: ComponentChildren
  readonly detail?: ComponentChildren
  /** actions on the event */
  readonly actions?: ComponentChildren
}

/** Events in the order given, newest first. */
export function TimeLine({ label, moments }: { readonly label: string; readonly moments: readonly Moment[] }) {
  return (
    <ol class="time-line" aria-label={label}>
      {moments.map(({ id, time, tone, title, detail, actions }) => (
        <li key={id} class={tone}>
          <p class="what">{title}</p>
          <p class="quiet">
            <When time={time} />
            {detail !== undefined && <> · {detail}</>}
          </p>
          {actions}
        </li>
      ))}
    </ol>
  )
}
