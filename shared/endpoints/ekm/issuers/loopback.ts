import { setting } from '../../../base/environment.ts'

/** Whether issuers of domains may run on loopback, also over http: for laptops and tests. */
export const isLoopbackAllowed = (): boolean => setting('KEYMGR_EKM_LOOPBACK') === 'allowed'
