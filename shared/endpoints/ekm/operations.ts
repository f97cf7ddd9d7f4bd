import { Refusal } from '../../base/errors.ts'
import { refusing, route, type Operation, type Route } from '../../http/operation.ts'
import { routesOn } from '../../resource/routes.ts'
import { PolicyDecision } from '../../endpoint/policy-model.ts'
import { createEndpoint } from './create-endpoint.ts'
import { getEndpoint, listEndpoints } from './list-endpoints.ts'
import {
  CreateEkmEndpoint,
  EkmEndpoint,
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

const may = 'keymgr-admins'
const on = routesOn({ at: '/v1/keymgr/ekm/endpoints', answers: EkmEndpoint, reads: may, changes: may })

/** Addresses at which cloud-c uses keys that stay here. The data plane serves POST to `{keyURI}:<verb>`. */
const endpoints: readonly Route[] = [
  on.list('List EKM Endpoints', EkmEndpointQuery, listEndpoints),
  on.create('Create EKM Endpoint', CreateEkmEndpoint, createEndpoint), // over an existing local key, or over a new one
  on.get('Get EKM Endpoint', getEndpoint),
  on.update('Update EKM Endpoint', UpdateEkmEndpoint, updateEndpoint), // `null` clears `meta`
  on.remove('Delete EKM Endpoint', deleteEndpoint), // the local key stays
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
  // The decision on an input, and the rule behind it.
  on.tell('POST', 'policy/test', 'Test EKM Endpoint Policy', PolicyDecision, testPolicy, {
    body: TestEkmPolicy,
    reads: true,
  }),
]

/** Refuses resources that are not offered yet, instead of ignoring them. */
const notOffered = (summary: string, body: typeof NewCryptoSpace | typeof NewIssuer, sentence: string): Operation =>
  refusing({ summary, body, may, refuses: () => new Refusal('NOT_SUPPORTED', sentence) })

/** POST /v1/keymgr/ekm/cryptospaces */
const createCryptoSpace = notOffered(
  'Create EKM Crypto Space',
  NewCryptoSpace,
  'Crypto spaces are not offered yet: make endpoints one by one.',
)

/** POST /v1/keymgr/ekm/issuers */
const createIssuer = notOffered(
  'Create EKM Issuer',
  NewIssuer,
  'Issuers of your own are not offered yet: the deployment names the one whose tokens are taken.',
)

export const routes: readonly Route[] = [
  ...endpoints,
  route('POST', '/v1/keymgr/ekm/cryptospaces', createCryptoSpace),
  route('POST', '/v1/keymgr/ekm/issuers', createIssuer),
]
