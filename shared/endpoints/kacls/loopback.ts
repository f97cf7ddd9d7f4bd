import { setting } from '../../base/environment.ts'

/** Whether identity providers and other services may be on loopback, over http too: on laptops and in tests. */
export const isLoopbackAllowed = (): boolean => setting('KEYMGR_KACLS_LOOPBACK') === 'allowed'

const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether the scheme of an address is one that this deployment takes. */
export const isSchemeTaken = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOST.test(hostname) && isLoopbackAllowed())
