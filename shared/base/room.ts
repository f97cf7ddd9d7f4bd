import type { Sweep } from './time.ts'
import type { AnyTrigger } from './trigger.ts'

/** Loaded when first called, so that a function pays only for what it serves. */
export type Load<T> = () => Promise<T>

/** Work on a schedule. A start has the event `{ trigger, scheduled_time, for_seconds? }`, the time as in RFC 3339. */
export interface Scheduled {
  readonly trigger: string
  readonly everyMinutes: number
  /** how long a start carries on while there is work; deployed only */
  readonly forSeconds?: number
  /** may run twice, and stop anywhere */
  readonly run: Load<(sweep: Sweep, forSeconds: number) => Promise<unknown>>
}

/**
 * A room of the service, a cloud or a protocol, as the others see it: names and loaders, no schema, SDK or verb. A room that reads
 * something from all others adds a field to this type where it reads it (`declare module`), so that it imports no room above
 * it. `shared/rooms.ts` has every row.
 */
export interface RoomRow {
  readonly name: string
  readonly schedules?: readonly Scheduled[]
  /** Its other work without a request. */
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

/** A field of every row that has it. */
export const fieldsOf = <F extends Field>(field: F): NonNullable<RoomRow[F]>[] =>
  rooms().flatMap((row) => {
    const value = row[field]
    return value === undefined ? [] : [value]
  })

/** What the loaders in a field give, in the order of the rows. */
export const loadedOf = <F extends Field>(field: F): Promise<Loaded<F>[]> =>
  Promise.all(fieldsOf(field).map((load) => (load as Load<Loaded<F>>)())) // a field without a loader gives `never`

/** What the loader in a field gives that only one room has. @throws Error, a fault, where no row has it */
export async function onlyOf<F extends Field>(field: F): Promise<Loaded<F>> {
  const [load] = fieldsOf(field)
  if (load === undefined) throw new Error(`No room has ${field}`)
  return (load as Load<Loaded<F>>)()
}
