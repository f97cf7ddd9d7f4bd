import * as z from 'zod'
import { createdStored, ok, operation, route, type Route } from '../../http/operation.ts'
import { routesOn } from '../../resource/routes.ts'
import { PolicyDecision, RegoText } from '../../endpoint/policy-model.ts'
import { deleteEndpoint, rotateEndpoint, states, updateEndpoint } from './change-endpoint.ts'
import { getPrivilegedUnwrap, getRewrap, setPrivilegedUnwrap, setRewrap } from './configurations.ts'
import { createEndpoint } from './create-endpoint.ts'
import { createIssuer, deleteIssuer, getIssuer, listIssuers, tryIssuer } from './issuers/issuers.ts'
import { CreateKaclsIssuer, FoundIssuer, KaclsIssuer, KaclsIssuerQuery } from './issuers/model.ts'
import { getEndpoint, listEndpoints } from './list-endpoints.ts'
import {
  CreateKaclsEndpoint,
  KaclsEndpoint,
  KaclsEndpointQuery,
  PrivilegedUnwrapConfiguration,
  RewrapConfiguration,
  UpdateKaclsEndpoint,
  WrappedPrivateKey,
  WrapPrivateKey,
} from './model.ts'
import { getPerimeter, setPerimeter, testPerimeter } from './perimeter.ts'
import { PerimeterReplay, ReplayPerimeter, TestPerimeter } from './perimeter-model.ts'
import { replayPerimeter } from './perimeter-replay.ts'
import { wrapPrivateKey } from './private-key.ts'

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
  on.create('Create KACLS Endpoint', CreateKaclsEndpoint, createEndpoint), // over a new local key
  on.get('Get KACLS Endpoint', getEndpoint),
  on.update('Update KACLS Endpoint', UpdateKaclsEndpoint, updateEndpoint),
  on.remove('Delete KACLS Endpoint', deleteEndpoint), // the local key stays
  on.act('enable', 'Enable KACLS Endpoint', states.enable),
  on.act('disable', 'Disable KACLS Endpoint', states.disable), // within five seconds every instance refuses
  on.act('archive', 'Archive KACLS Endpoint', states.archive),
  on.act('recover', 'Recover KACLS Endpoint', states.recover), // to a disabled one
  on.act('rotate-key', 'Rotate KACLS Endpoint', rotateEndpoint),
  on.tell('POST', 'wrapprivatekey', 'Wrap KACLS Private Key', WrappedPrivateKey, wrapPrivateKey, {
    body: WrapPrivateKey,
    once: true, // a stored answer would name the request, and so its key
  }),
]

const PERIMETER = { body: RegoText, answers: z.string(), takes: 'text/plain' } as const

/** Policies of endpoints, and services that they trust. */
const settings: readonly Route[] = [
  on.getPart('perimeters', 'Get KACLS Perimeter', z.string(), getPerimeter),
  on.changePart(['PUT', 'perimeters'], 'Set KACLS Perimeter', PERIMETER, setPerimeter),
  on.changePart(['PATCH', 'perimeters'], 'Update KACLS Perimeter', PERIMETER, setPerimeter),
  on.tell('POST', 'perimeters/test', 'Test KACLS Perimeter', PolicyDecision, testPerimeter, {
    body: TestPerimeter,
    reads: true,
  }),
  on.tell('POST', 'perimeters/replay', 'Replay KACLS Perimeter', PerimeterReplay, replayPerimeter, {
    body: ReplayPerimeter,
    reads: true,
  }),
  on.getPart(
    'privileged-unwrap-configuration',
    'Get KACLS Privileged Unwrap Configuration',
    PrivilegedUnwrapConfiguration,
    getPrivilegedUnwrap,
  ),
  on.changePart(
    ['PUT', 'privileged-unwrap-configuration'],
    'Set KACLS Privileged Unwrap Configuration',
    { body: PrivilegedUnwrapConfiguration, answers: PrivilegedUnwrapConfiguration },
    setPrivilegedUnwrap,
  ),
  on.getPart('rewrap-configuration', 'Get KACLS Rewrap Configuration', RewrapConfiguration, getRewrap),
  on.changePart(
    ['PUT', 'rewrap-configuration'],
    'Set KACLS Rewrap Configuration',
    { body: RewrapConfiguration, answers: RewrapConfiguration },
    setRewrap,
  ),
]

export const routes: readonly Route[] = [...issuers, ...endpoints, ...settings]
