import { removing, type PurgeStep } from '../../store/remove-some.ts'
import type { KeyUser } from '../../vault/keys/key-users.ts'
import { followKey } from './follow-key.ts'
import { ekmEndpoints, forgetKek } from './store.ts'

/** Endpoints over local keys. */
export const ekmKeyUser: KeyUser = {
  usesOf: async (domain, name) => {
    const endpoint = await ekmEndpoints.holder(domain, 'kek', name)
    return [{ noun: 'EKM endpoint', count: endpoint === undefined ? 0 : 1 }]
  },
  follow: followKey,
  forget: forgetKek,
}

export const ekmPurge: readonly PurgeStep[] = [removing(ekmEndpoints, 'all')]
