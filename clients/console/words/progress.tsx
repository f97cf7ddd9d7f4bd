import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface ProgressProps {
  readonly label: string
  readonly value: number
  /** `undefined` while it is not known */
  readonly most: number | undefined
  /** the same in words; read out when it changes */
  readonly words: ComponentChildren
}

/** How far work has come. */
export function Progress({ label, value, most, words }: ProgressProps) {
  const id = useId()
  return (
    <div class="progress">
      <progress aria-label={label} aria-describedby={id} {...(most !== undefined && { value, max: most })} />
      <p id={id} role="status">
        {words}
      </p>
    </div>
  )
}
