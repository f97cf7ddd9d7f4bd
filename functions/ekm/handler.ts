import { route, type Route } from '../../shared/http/operation.ts'
import { serve } from '../../shared/http/serve.ts'
import { create } from './endpoints/create.ts'
import { remove } from './endpoints/delete.ts'
import { destroy } from './endpoints/destroy.ts'
import { disable } from './endpoints/disable.ts'
import { enable } from './endpoints/enable.ts'
import { get } from './endpoints/get.ts'
import { list } from './endpoints/list.ts'
import { rotate } from './endpoints/rotate.ts'
import { update } from './endpoints/update.ts'
import { createCryptoSpace, createIssuer } from './not-offered.ts'
import { ofDataPlane } from './of-data-plane.ts'
import { getPolicies } from './policies/get.ts'
import { tryPolicy } from './policies/test.ts'
import { updatePolicies } from './policies/update.ts'

/** Addresses through which cloud-c uses keys that stay here. What is posted to `{keyURI}:<verb>` is another function's. */
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

export const handler = ofDataPlane(serve(routes))
