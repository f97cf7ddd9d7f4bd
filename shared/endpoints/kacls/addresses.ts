import * as z from 'zod'
import { AddressRefused, assertFetchable } from '../../base/network/guarded-fetch.ts'
import { isLoopbackAllowed, isSchemeTaken } from './loopback.ts'

const ADDRESS_CHARACTERS = 1_024
const VISIBLE = /^[\x21-\x7e]+$/
/** Ours: without " and \, which none of these texts contains: each would take two bytes in a record. */
const VISIBLE_UNESCAPED = /^[!#-[\]-~]+$/

/** `undefined` for a text that is not an address, or contains characters that `URL` would drop. */
const addressIn = (text: string): URL | undefined =>
  VISIBLE.test(text) && URL.canParse(text) ? new URL(text) : undefined

/**
 * An address in the one spelling that `normal` returns. Ours: another spelling is refused, since these addresses are
 * compared character by character with those in tokens and requests.
 */
const spelledAs = (normal: (url: URL) => string, error: string) =>
  z
    .string()
    .min(1)
    .max(ADDRESS_CHARACTERS)
    .refine(
      (text) => {
        const url = addressIn(text)
        // `URL` treats a `*` in a host as a letter: such an address would never match any.
        return url !== undefined && isSchemeTaken(url) && !url.hostname.includes('*') && normal(url) === text
      },
      { error },
    )

/** Base address of a KACLS, this one or another: the address of a call without its `/<method>`. */
export const KaclsUrl = spelledAs(
  ({ origin, pathname }) => origin + pathname.replace(/\/+$/, ''),
  'must be https://<host>/<path>, the host in lower case, without *, :443, user, query, fragment and slash at the end',
)

/** An origin of web pages. @see RFC 6454 §7.1 */
export const Origin = spelledAs(
  ({ origin }) => origin,
  'must be https://<host>, in lower case, without :443, path and slash at the end, and without *',
)

/** Issuer of tokens, as in their `iss`: usually an address, which is never called. */
export const ISSUER = z.string().min(1).max(ADDRESS_CHARACTERS).regex(VISIBLE_UNESCAPED, {
  error: 'must be visible ASCII without " and \\, character for character as tokens have it',
})

/**
 * The rule that an address violates, worded to follow the name of its field; `undefined` for one that may be called.
 */
export function faultOfFetched(text: string): string | undefined {
  const url = text.length > ADDRESS_CHARACTERS ? undefined : addressIn(text)
  if (url === undefined) return `must be an address of at most ${ADDRESS_CHARACTERS} characters`
  try {
    assertFetchable(url, { allowsLoopback: isLoopbackAllowed() })
    return undefined
  } catch (error) {
    if (error instanceof AddressRefused) return error.message
    throw error
  }
}

/** An address that is called: of a server on the public Internet, as far as the text shows. */
export const FetchedAddress = z
  .string()
  .min(1)
  .max(ADDRESS_CHARACTERS)
  .superRefine((text, context) => {
    const message = faultOfFetched(text)
    if (message !== undefined) context.addIssue({ code: 'custom', message, input: text })
  })
