import * as z from 'zod'
import { ADDRESS_CHARACTERS, addressIn } from '../../endpoint/issuers/address.ts'
import { isSchemeTaken } from './loopback.ts'

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
