import { Quota } from '../../serving/key-use/quota.ts'

/** Calls per second of one store that the cloud asks a proxy to be ready for. */
const CALLS_PER_SECOND = 1_800

export const storeQuota = new Quota('KEYMGR_XKS_CALLS_PER_SECOND', CALLS_PER_SECOND)
