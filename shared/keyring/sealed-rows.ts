import { fieldsOf, type Load } from '../base/room.ts'

declare module '../base/room.ts' {
  interface RoomRow {
    /** Records with sealed values, by the names under which a domain key notes how far resealing has come. */
    readonly sealed?: Readonly<Record<string, Load<SealedKind>>>
  }
}

/** How one page of a kind went: the last id done, absent at the end of the kind, and how many items did not open. */
interface Round {
  readonly after: string | undefined
  readonly failures: number
}

/** Seals a page of records of one kind again. */
export type SealedKind = (domain: string, after: string | undefined, now: Date) => Promise<Round>

/** A kind of record with sealed values, by the name under which a domain key notes how far resealing has come. */
export interface SealedRow {
  readonly name: string
  readonly load: Load<SealedKind>
}

/**
 * Every kind of record with sealed values, in the order they are sealed again. Answers kept for `Idempotency-Key` are not
 * among them: they are gone in a day, and the former key still opens them.
 */
export const sealedRows = (): SealedRow[] =>
  fieldsOf('sealed').flatMap((sealed) => Object.entries(sealed).map(([name, load]) => ({ name, load })))
