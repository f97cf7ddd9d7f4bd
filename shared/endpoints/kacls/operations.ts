import * as z from 'zod'
import type { Route } from '../../http/operation.ts'
import { resource } from '../../resource/resource.ts'
import { forgetEndpoint } from '../../store/owner.ts'
import { PolicyDecision, RegoText } from '../../endpoint/policy-model.ts'
import { changedEndpoint, rotateEndpoint, states } from './change-endpoint.ts'
import { getPrivilegedUnwrap, getRewrap, setPrivilegedUnwrap, setRewrap } from './configurations.ts'
import { newEndpoint } from './create-endpoint.ts'
import { createIssuer, issuers } from './issuers/issuers.ts'
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
import { kaclsEndpointKind } from './records.ts'
import { KACLS_OWNER } from './store.ts'

const may = 'keymgr-admins'
const AT = '/v1/keymgr/WorkspaceCSE'

/** Addresses through which Workspace encrypts documents with keys that stay here. */
const endpoints = resource({
  ...kaclsEndpointKind,
  title: 'KACLS Endpoint',
  at: `${AT}/endpoints`,
  reads: may,
  changes: may,
  answers: KaclsEndpoint,
  query: KaclsEndpointQuery,
  createBody: CreateKaclsEndpoint,
  updateBody: UpdateKaclsEndpoint,
  make: newEndpoint,
  next: changedEndpoint,
  // Its address becomes unknown; the local key stays.
  release: ({ changes }, { id }) => forgetEndpoint(changes, KACLS_OWNER, id),
})

const { on } = endpoints
const acts: readonly Route[] = [
  on.act('enable', 'Enable KACLS Endpoint', states.enable),
  on.act('disable', 'Disable KACLS Endpoint', states.disable), // within five seconds every instance refuses
  on.act('archive', 'Archive KACLS Endpoint', states.archive),
  on.act('recover', 'Recover KACLS Endpoint', states.recover), // disabled afterwards
  on.act('rotate-key', 'Rotate KACLS Endpoint', rotateEndpoint),
  on.tell('POST', 'wrapprivatekey', 'Wrap KACLS Private Key', WrappedPrivateKey, wrapPrivateKey, {
    body: WrapPrivateKey,
    once: true, // a stored answer would identify the request, and so its key
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

export const routes: readonly Route[] = [...issuers.routes, createIssuer, ...endpoints.routes, ...acts, ...settings]
