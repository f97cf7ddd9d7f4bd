import { isBufferJson, openJournal, type Journal } from './journal.ts'

/** A thing in its present state; without a value, the thing is removed. */
export interface ThingLine<Kind extends string> {
  readonly kind: Kind
  readonly name: string
  readonly value?: unknown
}

/** Maximum number of log rows that a restart keeps; the oldest are dropped. */
const MAX_ROWS = 100_000
const BYTES = 'base64:'

/**
 * Opens the journal of a simulator whose state consists of things by kind and name. It contains key material.
 * @param rowKind kind of the rows of its log
 */
export const openThingJournal = <Kind extends string>(
  file: string | undefined,
  rowKind: NoInfer<Kind> | undefined,
  take: (line: ThingLine<Kind>) => void,
): Journal<ThingLine<Kind>> =>
  openJournal(
    file,
    {
      subjectOf: ({ kind, name }) => `${kind} ${name}`,
      isRemoval: ({ value }) => value === undefined,
      replace: (_name, value) => (isBufferJson(value) ? BYTES + Buffer.from(value.data).toString('base64') : value),
      revive: (_name, value) =>
        typeof value === 'string' && value.startsWith(BYTES) ? Buffer.from(value.slice(BYTES.length), 'base64') : value,
      settle: (lines) => {
        const excess = lines.filter(({ kind }) => kind === rowKind).length - MAX_ROWS
        let seen = 0
        return lines.filter(({ kind }) => kind !== rowKind || ++seen > excess)
      },
    },
    take,
  )

/** Things by kind and name, in memory and in a journal. */
export interface StoredThings<Things> {
  readonly named: <K extends keyof Things & string>(kind: K) => ReadonlyMap<string, Things[K]>
  readonly write: <K extends keyof Things & string>(kind: K, entries: readonly (readonly [string, Things[K]])[]) => void
  readonly remove: (kind: keyof Things & string, name: string) => void
  readonly close: () => void
}

/** @param file stores the things; default: in memory only. @param rowKind kind of the rows of a log, if there is one */
export function openThings<Things extends object>(
  file: string | undefined,
  rowKind?: keyof Things & string,
): StoredThings<Things> {
  type Kind = keyof Things & string
  const things = new Map<Kind, Map<string, unknown>>()
  const named = <K extends Kind>(kind: K): Map<string, Things[K]> => {
    const found = things.get(kind) ?? new Map<string, unknown>()
    things.set(kind, found)
    return found as Map<string, Things[K]> // each kind has a map of its own
  }
  const journal = openThingJournal<Kind>(file, rowKind, ({ kind, name, value }) => {
    named(kind).set(name, value as Things[Kind]) // as passed to `write`
  })
  return {
    named,
    write: (kind, entries) => {
      for (const [name, value] of entries) named(kind).set(name, value)
      journal.write(entries.map(([name, value]) => ({ kind, name, value })))
    },
    remove: (kind, name) => {
      named(kind).delete(name)
      journal.write([{ kind, name }])
    },
    close: () => journal.close(),
  }
}
