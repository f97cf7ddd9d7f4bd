import { AddressRefused, assertFetchable } from '../../../base/network/guarded-fetch.ts'
import { namedAddress } from '../../../cloud/named-address.ts'

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/
/** Path of the version of the key service that this adapter speaks. */
const VERSION = '/kms/v2'
const ENDS_RIGHT = /\/kms\/v2\/?$/

const named = (): string | undefined => namedAddress('DATACUST', 'KMS')

/** Whether the key service may run on this machine, also without TLS: only if the deployment configured one there. */
export function allowsLoopback(): boolean {
  const address = named()
  return address !== undefined && LOOPBACK.test(new URL(address).hostname)
}

/** The rule that an address violates, worded to follow the name of its field; `undefined` if it may be called. */
export function faultOf(text: string): string | undefined {
  const url = /^[\x21-\x7e]+$/.test(text) ? URL.parse(text) : null
  if (url === null) return 'must be an address'
  if (!ENDS_RIGHT.test(url.pathname) || url.search !== '') return `must end in ${VERSION}`
  try {
    assertFetchable(url, { allowsLoopback: allowsLoopback() })
    return undefined
  } catch (error) {
    if (error instanceof AddressRefused) return error.message
    throw error
  }
}

/** The address of the key service, without a final slash. Ours: one that the deployment configured precedes. */
export function baseOf(apiEndpoint: string): string {
  const configured = named()
  const address = configured === undefined || ENDS_RIGHT.test(configured) ? configured : `${configured}${VERSION}`
  return (address ?? apiEndpoint).replace(/\/$/, '')
}
