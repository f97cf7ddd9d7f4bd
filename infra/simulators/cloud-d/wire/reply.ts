import type { Living } from '../state/held.ts'

/** An answer, without the headers that every answer has. */
export interface Reply {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The etag changes with every change of the resource. */
export const etagOf = ({ id, revision }: Living<string> & { readonly id: string }): string =>
  `${id.slice(-12)}.${revision}`

/** A resource in the answers to its reads and writes. */
export const resource = (living: Living<string> & { readonly id: string }, body: object): Reply => ({
  body,
  headers: { etag: etagOf(living) },
})
