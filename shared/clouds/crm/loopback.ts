import { namedAddress } from '../../cloud/named-address.ts'

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/** Whether identity providers may run on this machine, also without TLS: only if the cloud does. */
export function allowsLoopback(): boolean {
  const named = namedAddress('CRM', 'LOGIN')
  return named !== undefined && LOOPBACK.test(new URL(named).hostname)
}
