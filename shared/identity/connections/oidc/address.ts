import { AddressRefused, assertFetchable } from '../../../base/network/guarded-fetch.ts'
import { isLoopbackAllowed } from '../loopback.ts'

const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/**
 * The rule that the address of a provider breaks, as far as it can be checked before it is called; `undefined` if it
 * breaks none.
 */
export function faultOfIssuer(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return 'must be an address'
  if (url.search !== '') return 'must have no query'
  try {
    assertFetchable(url, { allowsLoopback: isLoopbackAllowed() })
    return undefined
  } catch (error) {
    if (error instanceof AddressRefused) return error.message
    throw error
  }
}

const isOnLoopback = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && LOOPBACK_HOST.test(hostname)

/** The rule that a redirect address breaks; `undefined` if it breaks none. A loopback address is for command lines. */
export function faultOfRedirect(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.href !== text) return 'must be an address, spelled as browsers do, with a path'
  if (url.protocol !== 'https:' && !isOnLoopback(url)) return 'must begin with https://, or be http on loopback'
  if (url.search !== '' || url.hash !== '') return 'must have no query and no fragment'
  return url.username === '' && url.password === '' ? undefined : 'must have no user and no password'
}

/** Whether an address equals a registered one, except for the port on loopback. @see RFC 8252 §7.3 */
export function isRegistered(address: string, registered: readonly string[]): boolean {
  if (faultOfRedirect(address) !== undefined) return false
  const withoutPort = (text: string): string => {
    const url = new URL(text)
    if (isOnLoopback(url)) url.port = ''
    return url.href
  }
  return registered.some((one) => withoutPort(one) === withoutPort(address))
}
