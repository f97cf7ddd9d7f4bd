import { endpointsOver, followKey } from '../../endpoint/endpoint-key.ts'
import { blockable } from '../../emergency/targets.ts'
import { forgetEndpoint } from '../../store/owner.ts'
import { removing, type PurgeStep } from '../../store/remove-some.ts'
import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { renewedKind } from './change-endpoint.ts'
import { kaclsIssuers } from './issuers/store.ts'
import { kaclsEndpointKind } from './records.ts'
import { KACLS_OWNER, kaclsEndpoints } from './store.ts'

/** Endpoints over local keys. */
export const kaclsKeyUser: KeyUser = {
  usesOf: (context, name) => endpointsOver(kaclsEndpointKind, context, name, 'ReadKACLSEndpoint'),
  follow: async (context, former, next) => {
    const id = await kaclsEndpoints.holder(context.caller.domain.id, 'kek', next.name)
    if (id !== undefined) await followKey(await renewedKind(context, id), context, former, next)
  },
}

export const kaclsBlockable = [blockable('endpoint', kaclsEndpoints)]

export const kaclsPurge: readonly PurgeStep[] = [
  removing(kaclsEndpoints, 'all', (changes, _domain, { id }) => forgetEndpoint(changes, KACLS_OWNER, id)),
  removing(kaclsIssuers, 'all'),
]
