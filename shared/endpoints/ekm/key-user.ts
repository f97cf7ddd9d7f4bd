import { endpointsOver, followKey } from '../../endpoint/endpoint-key.ts'
import { removing, type PurgeStep } from '../../store/remove-some.ts'
import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { ekmEndpointKind } from './records.ts'
import { ekmIssuers } from './issuers/store.ts'
import { cryptoSpaces } from './spaces/store.ts'
import { ekmEndpoints, forgetKek, leadToEndpoint } from './store.ts'

/** Endpoints over local keys. */
export const ekmKeyUser: KeyUser = {
  usesOf: (context, name) => endpointsOver(ekmEndpointKind, context, name, 'ReadEKMEndpoint'),
  follow: async (context, former, next) => {
    const endpoint = await followKey(ekmEndpointKind, context, former, next)
    if (endpoint !== undefined) leadToEndpoint(context.changes, context.caller.domain.id, endpoint.id, next.id)
  },
  forget: forgetKek,
}

export const ekmPurge: readonly PurgeStep[] = [
  removing(ekmEndpoints, 'all'),
  removing(cryptoSpaces, 'all'),
  removing(ekmIssuers, 'all'),
]
