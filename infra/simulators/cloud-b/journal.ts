import { isBufferJson, openJournal as open, type Journal } from '../toolkit/journal.ts'

/** A thing in its present state; without a value it is removed. */
export interface Line {
  readonly kind: string
  readonly name: string
  readonly value?: unknown
}

/** Bound of log rows that outlive a start; the oldest are dropped. */
const MAX_ROWS = 100_000
const BYTES = 'base64:'

/** Opens the journal of the simulator. It holds key material. */
export const openJournal = (file: string | undefined, take: (line: Line) => void): Journal<Line> =>
  open(
    file,
    {
      subjectOf: ({ kind, name }) => `${kind} ${name}`,
      isRemoval: ({ value }) => value === undefined,
      replace: (_name, value) => (isBufferJson(value) ? BYTES + Buffer.from(value.data).toString('base64') : value),
      revive: (_name, value) =>
        typeof value === 'string' && value.startsWith(BYTES) ? Buffer.from(value.slice(BYTES.length), 'base64') : value,
      settle: (lines) => {
        const excess = lines.filter(({ kind }) => kind === 'row').length - MAX_ROWS
        let seen = 0
        return lines.filter(({ kind }) => kind !== 'row' || ++seen > excess)
      },
    },
    take,
  )
