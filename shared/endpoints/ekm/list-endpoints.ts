import type { Context } from '../../http/context.ts'
import type { EkmEndpoint, EkmEndpointQuery } from './model.ts'
import { ekmEndpoints } from './store.ts'
import type { Stored } from '../../store/entity.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { getRecord } from '../../resource/records.ts'
import { ekmEndpointKind } from './records.ts'

/** @throws Refusal NOT_FOUND */
export const getEndpoint = (context: Context, id: string): Promise<Stored<EkmEndpoint>> =>
  getRecord(ekmEndpointKind, context, id)

/** Endpoints of the caller's domain. Ours: no endpoint belongs to a crypto space, so none has the id of one. */
export const listEndpoints = (context: Context, query: EkmEndpointQuery): Promise<ResourceList<EkmEndpoint>> =>
  listed(ekmEndpoints, context.caller.domain.id, query, {
    served: 'all',
    filters: {
      id: query.id,
      keyURIHostname: query.keyURIHostname,
      kekID: query.kekID,
      key_type: query.key_type,
      algorithm: query.algorithm,
      endpoint_type: query.endpoint_type,
    },
    patterns: { name: query.name, kekName: query.kekName },
    matches: ({ enabled }) =>
      query.cryptospace_id === undefined && (query.enabled === undefined || enabled === query.enabled),
    matchesNarrows: query.enabled !== undefined || query.cryptospace_id !== undefined,
    present: (stored) => ekmEndpointKind.present(stored).item,
  })
