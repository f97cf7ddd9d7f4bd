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
  rowKind: NoInfer<Kind>,
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
