import { AddressRefused, assertFetchable } from '../../../base/network/guarded-fetch.ts'
import { namedAddress } from '../../../cloud/named-address.ts'

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/** Whether identity providers may run on this machine, also without TLS: only if the cloud does. */
export function allowsLoopback(): boolean {
  const named = namedAddress('CLOUD_D', 'IDENTITY')
  return named !== undefined && LOOPBACK.test(new URL(named).hostname)
}

/** The rule that an address violates, worded to follow the name of its field; `undefined` if it may be called. */
export function faultOf(text: string): string | undefined {
  const url = /^[\x21-\x7e]+$/.test(text) ? URL.parse(text) : null
  if (url === null) return 'must be an address'
  try {
    assertFetchable(url, { allowsLoopback: allowsLoopback() })
    return undefined
  } catch (error) {
    if (error instanceof AddressRefused) return error.message
    throw error
  }
}
