import { endpointsOver, followKey } from '../../endpoint/endpoint-key.ts'
import { blockable } from '../../emergency/targets.ts'
import { forgetEndpoint } from '../../store/owner.ts'
import { removing, type PurgeStep } from '../../store/remove-some.ts'
import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { dkeEndpointKind } from './records.ts'
import { DKE_OWNER, dkeEndpoints } from './store.ts'
import { authTenants } from './tenants/store.ts'

/** Endpoints over local keys. */
export const dkeKeyUser: KeyUser = {
  usesOf: (context, name) => endpointsOver(dkeEndpointKind, context, name, 'ReadDKEEndpoint'),
  follow: async (context, former, next) => {
    await followKey(dkeEndpointKind, context, former, next)
  },
}

export const dkeBlockable = [blockable('endpoint', dkeEndpoints)]

export const dkePurge: readonly PurgeStep[] = [
  removing(dkeEndpoints, 'all', (changes, _domain, { id }) => forgetEndpoint(changes, DKE_OWNER, id)),
  removing(authTenants, 'all'),
]
