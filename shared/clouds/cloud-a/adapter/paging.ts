/** One page of the cloud, and what to ask for the next one with. */
export interface Page<T> {
  readonly items: readonly T[] | undefined
  readonly next: string | undefined
}

/** Everything, page by page; a page may be short or empty and others still follow. */
export async function allPages<T>(page: (marker: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = []
  let marker: string | undefined
  do {
    const { items = [], next } = await page(marker)
    all.push(...items)
    marker = next
  } while (marker !== undefined)
  return all
}

/** Where KMS goes on: `NextMarker` counts only while more is said to follow. */
export const nextOf = (reply: {
  Truncated?: boolean | undefined
  NextMarker?: string | undefined
}): string | undefined => (reply.Truncated === true ? reply.NextMarker : undefined)
