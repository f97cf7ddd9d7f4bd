import { route, type Route } from '../http/operation.ts'
import * as connections from './connections/operations.ts'
import * as domains from './domains/operations.ts'
import { groupResource } from './groups/groups.ts'
import * as groups from './groups/operations.ts'
import * as policies from './policies/operations.ts'
import { passwordPolicyResource } from './password-policies/policies.ts'
import * as users from './users/operations.ts'

/** Users, groups, password policies, external ways to log in, domains and policies. */
export const routes: readonly Route[] = [
  route('GET', '/v1/usermgmt/users', users.list),
  route('POST', '/v1/usermgmt/users', users.create),
  route('GET', '/v1/usermgmt/users/{user_id}', users.get),
  route('PATCH', '/v1/usermgmt/users/{user_id}', users.update),
  route('DELETE', '/v1/usermgmt/users/{user_id}', users.remove),
  ...groupResource.routes,
  route('POST', '/v1/usermgmt/groups/{name}/users/{user_id}', groups.add),
  route('DELETE', '/v1/usermgmt/groups/{name}/users/{user_id}', groups.dropMember),
  ...passwordPolicyResource.routes,
  ...connections.routes,
  route('GET', '/v1/domains', domains.list),
  route('POST', '/v1/domains', domains.create),
  route('GET', '/v1/domains/{id}', domains.get),
  route('PATCH', '/v1/domains/{id}', domains.update),
  route('DELETE', '/v1/domains/{id}', domains.remove),
  route('GET', '/v1/domains/{id}/keks', domains.listKeks),
  route('GET', '/v1/domains/{id}/keks/{kekID}', domains.getKek),
  route('POST', '/v1/domains/{id}/rotate-kek', domains.rotateKek),
  route('POST', '/v1/domains/{id}/retry-kek-rotation', domains.retryKekRotation),
  route('GET', '/v1/domain', domains.getPresent),
  ...policies.routes,
]
