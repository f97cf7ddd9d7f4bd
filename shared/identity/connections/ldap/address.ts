import { isIP } from 'node:net'
import * as z from 'zod'
import { isLoopbackAddress, isPublicAddress } from '../../../base/network/public-address.ts'
import { isLoopbackAllowed } from '../loopback.ts'

/** Address of a directory. */
export interface DirectoryAddress {
  readonly isTls: boolean
  readonly host: string
  readonly port: number
}

const LDAP_PORT = 389
const LDAPS_PORT = 636
const LOCALHOST = 'localhost'

const isHere = (host: string): boolean => host === LOCALHOST || isLoopbackAddress(host)

/** An address of a directory; `undefined` for another text. */
export function directoryAddress(text: string): DirectoryAddress | undefined {
  const [, scheme, bracketed, bare, port] =
    /^(ldaps?):\/\/(?:\[([0-9a-f:.]+)\]|([A-Za-z0-9.-]+))(?::(\d{1,5}))?\/?$/.exec(text) ?? []
  const host = bracketed ?? bare
  if (host === undefined || (bracketed !== undefined && isIP(bracketed) !== 6)) return undefined
  const isTls = scheme === 'ldaps'
  const number = port === undefined ? (isTls ? LDAPS_PORT : LDAP_PORT) : Number(port)
  return number >= 1 && number <= 65_535 ? { isTls, host, port: number } : undefined
}

/** Whether a resolved address is allowed. Without TLS, immediate or by StartTLS, no password leaves this machine. */
export const isConnectable = (ip: string, isProtected: boolean): boolean =>
  (isProtected && isPublicAddress(ip)) || (isLoopbackAllowed() && isLoopbackAddress(ip))

/**
 * The rule that an address breaks, as far as it can be checked before its host is resolved; `undefined` if it breaks
 * none.
 */
export function faultOfDirectory(url: string, startTls: boolean): string | undefined {
  const address = directoryAddress(url)
  if (address === undefined) return 'must be ldaps://host[:port], or ldap://host[:port] with start_tls'
  const { isTls, host } = address
  if (isTls && startTls) return 'must begin with ldap:// where start_tls is true'
  if (!isTls && !startTls && !(isHere(host) && isLoopbackAllowed()))
    return 'must begin with ldaps://, or start_tls must be true'
  if (isIP(host) !== 0 ? !isConnectable(host, isTls || startTls) : host === LOCALHOST && !isLoopbackAllowed())
    return 'must lead to a server of the public Internet'
  return undefined
}

export const LdapUrl = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => directoryAddress(text) !== undefined, {
    error: 'must be ldaps://host[:port], or ldap://host[:port] with start_tls',
  })
