import { setting } from '../../base/environment.ts'

/** Variable of functions by which people log in. */
export const LOGIN_LOOPBACK = 'KEYMGR_LOGIN_LOOPBACK'

/** Whether directories and identity providers may be on loopback, without TLS too: on laptops and in tests. */
export const isLoopbackAllowed = (): boolean => setting(LOGIN_LOOPBACK) === 'allowed'
