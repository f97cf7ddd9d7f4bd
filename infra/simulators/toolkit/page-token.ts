/** What to ask a list for its next page with. It belongs to one list, with all that was asked of it. */
export const pageToken = (list: string, last: string | undefined): string =>
  Buffer.from(JSON.stringify([list, last ?? null])).toString('base64url')

/**
 * Reads a token of a list.
 * @returns the name that was shown last, if any; `undefined` for what is no token of this list
 */
export function readPageToken(token: string, list: string): { readonly last: string | undefined } | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    if (!Array.isArray(read) || read.length !== 2 || read[0] !== list) return undefined
    const last: unknown = read[1]
    return { last: typeof last === 'string' ? last : undefined }
  } catch {
    return undefined // not of our making
  }
}
