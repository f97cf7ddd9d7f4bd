import { setting } from '../../base/environment.ts'

/** Whether identity providers and other services may run on loopback, also over http: for laptops and tests. */
export const isLoopbackAllowed = (): boolean => setting('KEYMGR_KACLS_LOOPBACK') === 'allowed'

const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether this deployment accepts the scheme of an address. */
export const isSchemeTaken = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOST.test(hostname) && isLoopbackAllowed())
