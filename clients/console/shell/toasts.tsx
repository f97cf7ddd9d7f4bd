import { useEffect, useState } from 'preact/hooks'

/** A toast goes after this time; it says nothing that the page does not show as well. */
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

/** Tells the user that something was done, in a sentence. Faults are shown where they arose, not here. */
export function tell(text: string): void {
  const toast = { id: nextId, text }
  nextId += 1
  set([...toasts, toast])
  window.setTimeout(() => set(toasts.filter(({ id }) => id !== toast.id)), SHOWN_MS)
}

/** The live region is there from the start: screen readers announce what is added to one, not one that is added. */
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
