import { setting } from '../base/environment.ts'

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/**
 * The address that a deployment configures for a service of a cloud instead of the real one:
 * `<CLOUD>_<SERVICE>_ENDPOINT`, or `<CLOUD>_ENDPOINT` for all services. Plain HTTP, and hosts other than this machine,
 * are accepted only for tests.
 * @param cloud as the variables spell it, such as `CLOUD_A`
 * @param service likewise, such as `KMS`
 * @returns `undefined` when none is configured
 * @throws Error, a fault, for an address that is not permitted
 */
export function namedAddress(cloud: string, service: string): string | undefined {
  const variable = `${cloud}_${service}_ENDPOINT`
  const named = setting(variable) || setting(`${cloud}_ENDPOINT`)
  if (!named) return undefined
  const { protocol, hostname } = new URL(named)
  if (LOOPBACK.test(hostname)) return named
  if (setting('KEYMGR_STAGE') !== 'test')
    throw new Error(`${variable} or ${cloud}_ENDPOINT leads away from the cloud, which only a test stage may.`)
  if (protocol !== 'https:') throw new Error(`${variable} or ${cloud}_ENDPOINT must be https outside this machine.`)
  return named
}

/**
 * Whether identity providers of a cloud's callers may run on this machine, also without TLS: only if the cloud's
 * service does. @param cloud, service as for `namedAddress`
 */
export function isNamedOnLoopback(cloud: string, service: string): boolean {
  const named = namedAddress(cloud, service)
  return named !== undefined && LOOPBACK.test(new URL(named).hostname)
}
