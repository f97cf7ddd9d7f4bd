import { setting } from '../../base/environment.ts'

/** Variable of functions that authenticate users. */
export const LOGIN_LOOPBACK = 'KEYMGR_LOGIN_LOOPBACK'

/** Whether directories and identity providers may be on loopback, even without TLS: on laptops and in tests. */
export const isLoopbackAllowed = (): boolean => setting(LOGIN_LOOPBACK) === 'allowed'
