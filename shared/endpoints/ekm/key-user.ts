import { endpointsOver, followKey } from '../../endpoint/endpoint-key.ts'
import { blockable } from '../../emergency/targets.ts'
import { Changes } from '../../store/changes.ts'
import { pageOf } from '../../store/list.ts'
import { ITEMS_A_TIME, removing, type PurgeStep } from '../../store/remove-some.ts'
import { ifIntact } from '../../store/salvage.ts'
import type { KeyUser } from '../../vault/keys/lifecycle/key-users.ts'
import { ekmEndpointKind } from './records.ts'
import { ekmIssuers } from './issuers/store.ts'
import { cryptoSpaces } from './spaces/store.ts'
import { countAtHosts } from './session-certificate/hosts.ts'
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

export const ekmBlockable = [blockable('endpoint', ekmEndpoints), blockable('container', cryptoSpaces)]

/** Removes endpoints, and counts them no longer at their hosts. */
const purgeEndpoints: PurgeStep = async (domain, now) => {
  const { items } = await pageOf(ekmEndpoints, domain, 'all', { skip: 0, limit: ITEMS_A_TIME, broken: 'salvage' })
  if (items.length === 0) return false
  const changes = new Changes()
  for (const stored of items) changes.remove(ekmEndpoints, domain, stored)
  const intact = items.flatMap(({ item, damage }) => ifIntact(damage, () => [item], []))
  await countAtHosts(changes, intact, [])
  await changes.commit(now)
  return true
}

export const ekmPurge: readonly PurgeStep[] = [
  purgeEndpoints,
  removing(cryptoSpaces, 'all'),
  removing(ekmIssuers, 'all'),
]
