import { fieldsOf, type Load } from '../base/room.ts'

declare module '../base/room.ts' {
  interface RoomRow {
    /** Records with sealed values, by the names under which a domain key records the progress of resealing. */
    readonly sealed?: Readonly<Record<string, Load<SealedKind>>>
  }
}

/**
 * The outcome of one page of a kind: the last id done, absent at the end of the kind, and the number of items that did
 * not open.
 */
interface Round {
  readonly after: string | undefined
  readonly failures: number
}

/** Reseals a page of records of one kind. */
export type SealedKind = (domain: string, after: string | undefined, now: Date) => Promise<Round>

/** A kind of record with sealed values, by the name under which a domain key records the progress of resealing. */
export interface SealedRow {
  readonly name: string
  readonly load: Load<SealedKind>
}

/**
 * Every kind of record with sealed values, in the order of resealing. Answers stored for `Idempotency-Key` are not
 * included: they are deleted within a day, and the former key still opens them.
 */
export const sealedRows = (): SealedRow[] =>
  fieldsOf('sealed').flatMap((sealed) => Object.entries(sealed).map(([name, load]) => ({ name, load })))
