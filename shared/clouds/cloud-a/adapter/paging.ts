/** One page of a list of the cloud, and the marker of the next page. */
export interface Page<T> {
  readonly items: readonly T[] | undefined
  readonly next: string | undefined
}

/** All items, page by page; a page may be short or empty although more follow. */
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

/** The marker of the next page of a KMS list: `NextMarker` is valid only if the list is truncated. */
export const nextOf = (reply: {
  Truncated?: boolean | undefined
  NextMarker?: string | undefined
}): string | undefined => (reply.Truncated === true ? reply.NextMarker : undefined)
