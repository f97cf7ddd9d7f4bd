import { useEffect, useState } from 'preact/hooks'

/** A toast disappears after this time; the page shows the same information. */
const SHOWN_MS = 8_000

interface Toast {
  readonly id: number
  readonly text: string
}

let toasts: readonly Toast[] = []
let nextId = 1
let draw: () => void = () => undefined

const set = (next: readonly Toast[]): void => {
  toasts = next
  draw()
}

/** Informs the user in a sentence that something was done. Errors are shown where they occurred, not here. */
export function tell(text: string): void {
  const toast = { id: nextId, text }
  nextId += 1
  set([...toasts, toast])
  window.setTimeout(() => set(toasts.filter(({ id }) => id !== toast.id)), SHOWN_MS)
}

/** The live region exists from the start: screen readers announce additions to it, but not a new region. */
export function Toasts() {
  const [, setShown] = useState(toasts)
  useEffect(() => {
    draw = () => setShown(toasts)
    return () => {
      draw = () => undefined
    }
  }, [])
  return (
    <div class="toasts" role="status">
      {toasts.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  )
}
