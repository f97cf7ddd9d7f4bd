import { Refusal } from '../../base/errors.ts'
import { Deleted, listOf } from '../../http/common-fields.ts'
import type { Context } from '../../http/context.ts'
import {
  type Operation,
  deleted,
  ok,
  operation,
  route,
  type Route,
  okStored,
  createdStored,
  refusing,
} from '../../http/operation.ts'
import { PolicyDecision } from '../../serving/policy-model.ts'
import type { Stored } from '../../store/entity.ts'
import { createEndpoint } from './create-endpoint.ts'
import { getEndpoint, listEndpoints } from './list-endpoints.ts'
import {
  CreateEkmEndpoint,
  EkmEndpoint,
  EkmEndpointPath,
  EkmEndpointQuery,
  NewCryptoSpace,
  NewIssuer,
  UpdateEkmEndpoint,
  UpdateEkmPolicy,
} from './model.ts'
import { EkmPolicyWithText } from './policy-model.ts'
import { TestEkmPolicy } from './policy-test-model.ts'
import { deleteEndpoint, destroyEndpoint, rotateEndpoint } from './rotate-endpoint.ts'
import { testPolicy } from './test-policy.ts'
import { getPolicy, setEnabled, updateEndpoint, updatePolicy } from './update-endpoint.ts'

export { ofDataPlane as around } from './of-data-plane.ts'

/** POST /v1/keymgr/ekm/endpoints/{id}/<action>: does one action and answers with the endpoint after it. */
export const endpointAction = (
  summary: string,
  act: (context: Context, id: string) => Promise<Stored<EkmEndpoint>>,
): Operation =>
  operation({ summary, path: EkmEndpointPath, answers: EkmEndpoint, may: 'keymgr-admins' }, async ({ path, context }) =>
    okStored(await act(context, path.id)),
  )

/** GET /v1/keymgr/ekm/endpoints */
export const list = operation(
  { summary: 'List EKM Endpoints', query: EkmEndpointQuery, answers: listOf(EkmEndpoint), may: 'keymgr-admins' },
  async ({ query, context }) => ok(await listEndpoints(context, query)),
)

/** POST /v1/keymgr/ekm/endpoints: over an existing local key, or over a new one. */
export const create = operation(
  { summary: 'Create EKM Endpoint', body: CreateEkmEndpoint, answers: EkmEndpoint, status: 201, may: 'keymgr-admins' },
  async ({ body, context }) => createdStored(await createEndpoint(context, body)),
)

/** GET /v1/keymgr/ekm/endpoints/{id} */
export const get = operation(
  { summary: 'Get EKM Endpoint', path: EkmEndpointPath, answers: EkmEndpoint, may: 'keymgr-admins' },
  async ({ path, context }) => okStored(await getEndpoint(context, path.id)),
)

/** PATCH /v1/keymgr/ekm/endpoints/{id}: only what is present changes; `null` clears `meta`. */
export const update = operation(
  {
    summary: 'Update EKM Endpoint',
    path: EkmEndpointPath,
    body: UpdateEkmEndpoint,
    answers: EkmEndpoint,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => okStored(await updateEndpoint(context, path.id, body)),
)

/** DELETE /v1/keymgr/ekm/endpoints/{id}: the local key stays. */
export const remove = operation(
  { summary: 'Delete EKM Endpoint', path: EkmEndpointPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteEndpoint(context, path.id)
    return deleted()
  },
)

/** POST /v1/keymgr/ekm/endpoints/{id}/enable: the endpoint serves the cloud again. */
export const enable = endpointAction('Enable EKM Endpoint', (context, id) => setEnabled(context, id, true))

/** POST /v1/keymgr/ekm/endpoints/{id}/disable: within five seconds every instance refuses the cloud. */
export const disable = endpointAction('Disable EKM Endpoint', (context, id) => setEnabled(context, id, false))

/** POST /v1/keymgr/ekm/endpoints/{id}/rotate: a new version of the local key; the address stays. */
export const rotate = endpointAction('Rotate EKM Endpoint', rotateEndpoint)

/** POST /v1/keymgr/ekm/endpoints/{id}/destroy: for endpoints of a crypto space, of which there are none. */
export const destroy = endpointAction('Destroy EKM Endpoint', destroyEndpoint)

/** GET /v1/keymgr/ekm/endpoints/{id}/policies: the policy, and the Rego that decides. */
export const getPolicies = operation(
  { summary: 'Get EKM Endpoint Policy', path: EkmEndpointPath, answers: EkmPolicyWithText, may: 'keymgr-admins' },
  async ({ path, context }) => okStored(await getPolicy(context, path.id)),
)

/** PATCH /v1/keymgr/ekm/endpoints/{id}/policies: another policy of the kind the endpoint has. */
export const updatePolicies = operation(
  {
    summary: 'Update EKM Endpoint Policy',
    path: EkmEndpointPath,
    body: UpdateEkmPolicy,
    answers: EkmPolicyWithText,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => okStored(await updatePolicy(context, path.id, body)),
)

/**
 * POST /v1/keymgr/ekm/endpoints/{id}/policy/test: the decision of a policy on an input, and the rule behind it; nothing
 * is stored.
 */
export const tryPolicy = operation(
  {
    summary: 'Test EKM Endpoint Policy',
    path: EkmEndpointPath,
    body: TestEkmPolicy,
    answers: PolicyDecision,
    may: 'keymgr-admins',
    reads: true,
  },
  async ({ path, body, context }) => ok(await testPolicy(context, path.id, body)),
)

/** Refuses resources that are not offered yet, instead of ignoring them. */
const notOffered = (summary: string, body: typeof NewCryptoSpace | typeof NewIssuer, sentence: string): Operation =>
  refusing({ summary, body, may: 'keymgr-admins', refuses: () => new Refusal('NOT_SUPPORTED', sentence) })

/** POST /v1/keymgr/ekm/cryptospaces */
export const createCryptoSpace = notOffered(
  'Create EKM Crypto Space',
  NewCryptoSpace,
  'Crypto spaces are not offered yet: make endpoints one by one.',
)

/** POST /v1/keymgr/ekm/issuers */
export const createIssuer = notOffered(
  'Create EKM Issuer',
  NewIssuer,
  'Issuers of your own are not offered yet: the deployment names the one whose tokens are taken.',
)

/** Addresses at which cloud-c uses keys that stay here. The data plane serves POST to `{keyURI}:<verb>`. */
export const routes: readonly Route[] = [
  route('GET', '/v1/keymgr/ekm/endpoints', list),
  route('POST', '/v1/keymgr/ekm/endpoints', create),
  route('GET', '/v1/keymgr/ekm/endpoints/{id}', get),
  route('PATCH', '/v1/keymgr/ekm/endpoints/{id}', update),
  route('DELETE', '/v1/keymgr/ekm/endpoints/{id}', remove),
  route('POST', '/v1/keymgr/ekm/endpoints/{id}/enable', enable),
  route('POST', '/v1/keymgr/ekm/endpoints/{id}/disable', disable),
  route('POST', '/v1/keymgr/ekm/endpoints/{id}/rotate', rotate),
  route('POST', '/v1/keymgr/ekm/endpoints/{id}/destroy', destroy),
  route('GET', '/v1/keymgr/ekm/endpoints/{id}/policies', getPolicies),
  route('PATCH', '/v1/keymgr/ekm/endpoints/{id}/policies', updatePolicies),
  route('POST', '/v1/keymgr/ekm/endpoints/{id}/policy/test', tryPolicy),
  route('POST', '/v1/keymgr/ekm/cryptospaces', createCryptoSpace),
  route('POST', '/v1/keymgr/ekm/issuers', createIssuer),
]
