import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface ProgressProps {
  readonly label: string
  readonly value: number
  /** `undefined` while it is unknown */
  readonly most: number | undefined
  /** the same as text, which screen readers announce when it changes */
  readonly words: ComponentChildren
}

/** Progress of a job. */
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
