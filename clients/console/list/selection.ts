import { useState } from 'preact/hooks'

/** The selected rows, by id: they stay selected when they are scrolled away. */
export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly toggle: (id: string) => void
  readonly set: (ids: readonly string[]) => void
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  return {
    ids,
    toggle: (id) =>
      setIds((now) => (now.has(id) ? new Set([...now].filter((each) => each !== id)) : new Set([...now, id]))),
    set: (next) => setIds(new Set(next)),
  }
}
