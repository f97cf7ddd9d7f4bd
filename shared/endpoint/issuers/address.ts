import * as z from 'zod'
import { AddressRefused, assertFetchable } from '../../base/network/guarded-fetch.ts'

export const ADDRESS_CHARACTERS = 1_024
const VISIBLE = /^[\x21-\x7e]+$/
/** Ours: excludes " and \, which none of these texts contains, because each needs two bytes in a record. */
const VISIBLE_UNESCAPED = /^[!#-[\]-~]+$/

/** Whether servers on loopback may be called, also over http: for laptops and tests. */
export type AllowsLoopback = () => boolean

/** `undefined` for a text that is not an address, or contains characters that `URL` would drop. */
export const addressIn = (text: string): URL | undefined =>
  VISIBLE.test(text) && URL.canParse(text) ? new URL(text) : undefined

/** Issuer of tokens, as in their `iss`: usually an address, which is never called. */
export const ISSUER = z.string().min(1).max(ADDRESS_CHARACTERS).regex(VISIBLE_UNESCAPED, {
  error: 'must be visible ASCII without " and \\, character for character as tokens have it',
})

/**
 * The rule that an address violates, worded to follow the name of its field; `undefined` for one that may be called.
 */
export function faultOfFetched(text: string, allowsLoopback: boolean): string | undefined {
  const url = text.length > ADDRESS_CHARACTERS ? undefined : addressIn(text)
  if (url === undefined) return `must be an address of at most ${ADDRESS_CHARACTERS} characters`
  try {
    assertFetchable(url, { allowsLoopback })
    return undefined
  } catch (error) {
    if (error instanceof AddressRefused) return error.message
    throw error
  }
}

/** An address that is called: of a server on the public Internet, as far as the text shows. */
export const fetchedAddress = (allowsLoopback: AllowsLoopback) =>
  z
    .string()
    .min(1)
    .max(ADDRESS_CHARACTERS)
    .superRefine((text, context) => {
      const message = faultOfFetched(text, allowsLoopback())
      if (message !== undefined) context.addIssue({ code: 'custom', message, input: text })
    })
