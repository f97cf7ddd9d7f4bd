import type { Sweep } from './time.ts'
import type { AnyTrigger } from './trigger.ts'

/** Imported at the first call, so that a function loads only what it serves. */
export type Load<T> = () => Promise<T>

/**
 * Work on a schedule. A start has the event `{ trigger, scheduled_time, for_seconds? }`, with the time as in RFC 3339.
 */
export interface Scheduled {
  readonly trigger: string
  readonly everyMinutes: number
  /** how long one start continues while there is work; only when deployed */
  readonly forSeconds?: number
  /** may run twice, and stop anywhere */
  readonly run: Load<(sweep: Sweep, forSeconds: number) => Promise<unknown>>
}

/**
 * A room of the service, a cloud or a protocol, as the others see it: names and loaders, but no schema, SDK or verb. A
 * room that reads a fact of all others adds a field to this type (`declare module`), so that it imports no room above
 * it. `shared/rooms.ts` lists every row.
 */
export interface RoomRow {
  readonly name: string
  readonly schedules?: readonly Scheduled[]
  /** Its other triggers. */
  readonly triggers?: Load<readonly AnyTrigger[]>
}

let filled: readonly RoomRow[] | undefined

/** Called by `shared/wiring.ts` before the first request. */
export function fillRooms(rows: readonly RoomRow[]): void {
  filled = rows
}

/** @throws Error, a fault, when the function does not import `shared/wiring.ts` */
export function rooms(): readonly RoomRow[] {
  if (filled === undefined) throw new Error('The rooms are not known: import shared/wiring.ts')
  return filled
}

type Field = Exclude<keyof RoomRow, 'name'>
type Loaded<F extends Field> = NonNullable<RoomRow[F]> extends Load<infer T> ? T : never

/** A field of every row, if the row has it. */
export const fieldsOf = <F extends Field>(field: F): NonNullable<RoomRow[F]>[] =>
  rooms().flatMap((row) => {
    const value = row[field]
    return value === undefined ? [] : [value]
  })

/** The results of the loaders in a field, in the order of the rows. */
export const loadedOf = <F extends Field>(field: F): Promise<Loaded<F>[]> =>
  Promise.all(fieldsOf(field).map((load) => (load as Load<Loaded<F>>)())) // a field without a loader gives `never`

/** The result of the loader in a field that only one room has. @throws Error, a fault, if no row has it */
export async function onlyOf<F extends Field>(field: F): Promise<Loaded<F>> {
  const [load] = fieldsOf(field)
  if (load === undefined) throw new Error(`No room has ${field}`)
  return (load as Load<Loaded<F>>)()
}
