import type { Route } from '../../http/operation.ts'
import { resource } from '../../resource/resource.ts'
import { PolicyDecision } from '../../endpoint/policy-model.ts'
import { AttestationVerdict, TestAttestation } from './attestation/model.ts'
import { attestationTrustRoutes } from './attestation/operations.ts'
import { testAttestation } from './attestation/test-evidence.ts'
import { newEndpoint } from './create-endpoint.ts'
import { issuerRoutes } from './issuers/issuers.ts'
import { CreateEkmEndpoint, EkmEndpoint, EkmEndpointQuery, UpdateEkmEndpoint, UpdateEkmPolicy } from './model.ts'
import { EkmPolicyWithText } from './policy-model.ts'
import { TestEkmPolicy } from './policy-test-model.ts'
import { ekmEndpointKind } from './records.ts'
import { forgetEndpoint, rotateEndpoint } from './rotate-endpoint.ts'
import { getSessionCertificate, replaceSessionCertificate } from './session-certificate/certificate.ts'
import { ReplaceSessionCertificate, SessionCertificate } from './session-certificate/model.ts'
import { destroyEndpoint } from './spaces/destroy.ts'
import { spaceRoutes } from './spaces/spaces.ts'
import { testPolicy } from './test-policy.ts'
import { changedEndpoint, getPolicy, setEnabled, updatePolicy } from './update-endpoint.ts'

const may = 'keymgr-admins'

/** Addresses at which cloud-c uses keys that stay here. The data plane serves POST to `{keyURI}:<verb>`. */
const endpoints = resource({
  ...ekmEndpointKind,
  title: 'EKM Endpoint',
  at: '/v1/keymgr/ekm/endpoints',
  reads: may,
  changes: may,
  answers: EkmEndpoint,
  query: EkmEndpointQuery,
  createBody: CreateEkmEndpoint,
  updateBody: UpdateEkmEndpoint,
  patterns: ['name', 'kekName'],
  make: newEndpoint,
  next: changedEndpoint,
  release: forgetEndpoint,
})

const { on } = endpoints
const acts: readonly Route[] = [
  on.act('enable', 'Enable EKM Endpoint', (context, id) => setEnabled(context, id, true)),
  // Within five seconds every instance refuses the cloud.
  on.act('disable', 'Disable EKM Endpoint', (context, id) => setEnabled(context, id, false)),
  on.act('rotate', 'Rotate EKM Endpoint', rotateEndpoint), // the address stays
  on.act('destroy', 'Destroy EKM Endpoint', destroyEndpoint),
  on.getPart('policies', 'Get EKM Endpoint Policy', EkmPolicyWithText, getPolicy),
  on.changePart(
    ['PATCH', 'policies'],
    'Update EKM Endpoint Policy',
    { body: UpdateEkmPolicy, answers: EkmPolicyWithText },
    updatePolicy,
  ),
  on.getPart('session-certificate', 'Get EKM Session Certificate', SessionCertificate, getSessionCertificate),
  on.changePart(
    ['PUT', 'session-certificate'],
    'Replace EKM Session Certificate',
    { body: ReplaceSessionCertificate, answers: SessionCertificate },
    replaceSessionCertificate,
  ),
  // The decision on an input, and the rule that decided.
  on.tell('POST', 'policy/test', 'Test EKM Endpoint Policy', PolicyDecision, testPolicy, {
    body: TestEkmPolicy,
    reads: true,
  }),
  // The verdict of a session on evidence, and the decision on a call from it.
  on.tell('POST', 'attestation/test', 'Test EKM Attestation', AttestationVerdict, testAttestation, {
    body: TestAttestation,
    reads: true,
  }),
]

export const routes: readonly Route[] = [
  ...endpoints.routes,
  ...acts,
  ...attestationTrustRoutes,
  ...spaceRoutes,
  ...issuerRoutes,
]
