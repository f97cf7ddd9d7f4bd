import { createdStored, ok, operation, route, type Route } from '../../http/operation.ts'
import { routesOn } from '../../http/routes-on.ts'
import { createIssuer, deleteIssuer, getIssuer, listIssuers, tryIssuer } from './issuers/issuers.ts'
import { CreateKaclsIssuer, FoundIssuer, KaclsIssuer, KaclsIssuerQuery } from './issuers/model.ts'
import { getEndpoint, listEndpoints } from './list-endpoints.ts'
import { KaclsEndpoint, KaclsEndpointQuery } from './model.ts'

const may = 'keymgr-admins'
const AT = '/v1/keymgr/WorkspaceCSE'
const on = routesOn({ at: `${AT}/endpoints`, answers: KaclsEndpoint, reads: may, changes: may })

const onIssuers = routesOn({ at: `${AT}/issuers`, answers: KaclsIssuer, reads: may, changes: may })

/** Identity providers, whose tokens tell endpoints who a user is. */
const issuers: readonly Route[] = [
  onIssuers.list('List KACLS Issuers', KaclsIssuerQuery, listIssuers),
  route(
    'POST',
    `${AT}/issuers`,
    operation(
      {
        summary: 'Create KACLS Issuer',
        body: CreateKaclsIssuer,
        answers: KaclsIssuer,
        tries: FoundIssuer,
        status: 201,
        may,
      },
      async ({ body, context }) =>
        body.dryRun ? ok(await tryIssuer(context, body)) : createdStored(await createIssuer(context, body)),
    ),
  ),
  onIssuers.get('Get KACLS Issuer', getIssuer),
  onIssuers.remove('Delete KACLS Issuer', deleteIssuer),
]

/** Addresses through which Workspace encrypts documents with keys that stay here. */
const endpoints: readonly Route[] = [
  on.list('List KACLS Endpoints', KaclsEndpointQuery, listEndpoints),
  on.get('Get KACLS Endpoint', getEndpoint),
]

export const routes: readonly Route[] = [...issuers, ...endpoints]
