import { CONNECTION_KINDS } from '../../shared/cloud/connections/kinds.ts'
import { route, type Route } from '../../shared/http/operation.ts'
import { serve } from '../../shared/http/serve.ts'
import { removeOfService } from './connections/delete-of-service.ts'
import { removeWithForce } from './connections/delete-with-force.ts'
import { remove } from './connections/delete.ts'
import { get } from './connections/get.ts'
import { listOfService } from './connections/list-of-service.ts'
import { list } from './connections/list.ts'
import { createOfOther, testOfOther, testUnsavedOfOther, updateOfOther } from './connections/of-other-service.ts'
import { routesOfService } from './connections/of-service.ts'

const offered = Object.keys(CONNECTION_KINDS) as (keyof typeof CONNECTION_KINDS)[] // its own keys

/** Credentials with which clouds are reached. Routes of a service come before those of any service. */
export const routes: readonly Route[] = [
  route('GET', '/v1/connectionmgmt/connections', list),
  route('DELETE', '/v1/connectionmgmt/connections/{id}', remove),
  route('POST', '/v1/connectionmgmt/connections/{id}/delete', removeWithForce),
  ...offered.flatMap(routesOfService),
  route('GET', '/v1/connectionmgmt/services/{svc}/connections', listOfService),
  route('POST', '/v1/connectionmgmt/services/{svc}/connections', createOfOther),
  route('GET', '/v1/connectionmgmt/services/{svc}/connections/{id}', get),
  route('PATCH', '/v1/connectionmgmt/services/{svc}/connections/{id}', updateOfOther),
  route('DELETE', '/v1/connectionmgmt/services/{svc}/connections/{id}', removeOfService),
  route('POST', '/v1/connectionmgmt/services/{svc}/connections/{id}/test', testOfOther),
  route('POST', '/v1/connectionmgmt/services/{svc}/connection-test', testUnsavedOfOther),
]

export const handler = serve(routes)
