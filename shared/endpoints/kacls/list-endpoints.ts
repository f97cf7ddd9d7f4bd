import type { Context } from '../../http/context.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { getRecord } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import type { KaclsEndpoint, KaclsEndpointQuery } from './model.ts'
import { kaclsEndpointKind } from './records.ts'
import { kaclsEndpoints } from './store.ts'

/** @throws Refusal NOT_FOUND */
export const getEndpoint = (context: Context, id: string): Promise<Stored<KaclsEndpoint>> =>
  getRecord(kaclsEndpointKind, context, id)

/** Endpoints of the caller's domain. */
export const listEndpoints = (
  context: Context,
  { issuer, ...query }: KaclsEndpointQuery,
): Promise<ResourceList<KaclsEndpoint>> =>
  listed(kaclsEndpoints, context.caller.domain.id, query, {
    served: 'all',
    filters: { id: query.id, status: query.status },
    patterns: { name: query.name },
    matches: (row) => issuer === undefined || row.issuer.some((one) => issuer.includes(one)),
    matchesNarrows: issuer !== undefined,
    present: (stored) => kaclsEndpointKind.present(stored).item,
  })
