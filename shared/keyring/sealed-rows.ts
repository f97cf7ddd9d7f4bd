import { extensionPoint } from '../base/extension-point.ts'

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
  readonly load: () => Promise<SealedKind>
}

/**
 * Every kind of record with sealed values, in the order they are sealed again. Answers kept for `Idempotency-Key` are not
 * among them: they are gone in a day, and the former key still opens them.
 */
export const sealedRows = extensionPoint<SealedRow>('Sealed records')
