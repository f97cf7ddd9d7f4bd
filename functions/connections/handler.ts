import { route, type Route } from '../../shared/http/operation.ts'
import { serve } from '../../shared/http/serve.ts'
import { create } from './connections/create.ts'
import { removeOfService } from './connections/delete-of-service.ts'
import { removeWithForce } from './connections/delete-with-force.ts'
import { remove } from './connections/delete.ts'
import { get } from './connections/get.ts'
import { listOfService } from './connections/list-of-service.ts'
import { list } from './connections/list.ts'
import { testUnsaved } from './connections/test-unsaved.ts'
import { test } from './connections/test.ts'
import { update } from './connections/update.ts'

/** Credentials with which clouds are reached. */
export const routes: readonly Route[] = [
  route('GET', '/v1/connectionmgmt/connections', list),
  route('DELETE', '/v1/connectionmgmt/connections/{id}', remove),
  route('POST', '/v1/connectionmgmt/connections/{id}/delete', removeWithForce),
  route('GET', '/v1/connectionmgmt/services/{svc}/connections', listOfService),
  route('POST', '/v1/connectionmgmt/services/{svc}/connections', create),
  route('GET', '/v1/connectionmgmt/services/{svc}/connections/{id}', get),
  route('PATCH', '/v1/connectionmgmt/services/{svc}/connections/{id}', update),
  route('DELETE', '/v1/connectionmgmt/services/{svc}/connections/{id}', removeOfService),
  route('POST', '/v1/connectionmgmt/services/{svc}/connections/{id}/test', test),
  route('POST', '/v1/connectionmgmt/services/{svc}/connection-test', testUnsaved),
]

export const handler = serve(routes)
