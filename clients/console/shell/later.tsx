import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface LaterProps<P> {
  readonly load: () => Promise<FunctionComponent<P>>
}

/** A component that is loaded when it is first drawn; nothing is drawn until then. */
export function Later<P extends object>({ load, ...props }: LaterProps<P> & P) {
  const [part, setPart] = useState<{ readonly Part: FunctionComponent<P> }>()
  useEffect(() => void load().then((Part) => setPart({ Part })), [])
  return part === undefined ? null : <part.Part {...(props as unknown as P)} />
}
