import type { Context } from '../../http/context.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { getRecord } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import type { DkeEndpoint, DkeEndpointQuery } from './model.ts'
import { dkeEndpointKind } from './records.ts'
import { dkeEndpoints } from './store.ts'

/** @throws Refusal NOT_FOUND */
export const getEndpoint = (context: Context, id: string): Promise<Stored<DkeEndpoint>> =>
  getRecord(dkeEndpointKind, context, id)

/** Endpoints of the caller's domain. */
export const listEndpoints = (context: Context, query: DkeEndpointQuery): Promise<ResourceList<DkeEndpoint>> =>
  listed(dkeEndpoints, context.caller.domain.id, query, {
    served: 'all',
    filters: {
      id: query.id,
      key_uri_hostname: query.key_uri_hostname,
      kek_id: query.kek_id,
      algorithm: query.algorithm,
      status: query.status,
    },
    patterns: { name: query.name, kek_name: query.kek_name },
    matches: ({ auto_rotate }) => query.auto_rotate === undefined || auto_rotate === query.auto_rotate,
    matchesNarrows: query.auto_rotate !== undefined,
    present: (stored) => dkeEndpointKind.present(stored).item,
  })
