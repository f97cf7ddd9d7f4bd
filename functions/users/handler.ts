import { route, type Route } from '../../shared/http/operation.ts'
import { serve } from '../../shared/http/serve.ts'
import { create } from './domains/create.ts'
import { remove } from './domains/delete.ts'
import { getKek } from './domains/get-kek.ts'
import { getPresent } from './domains/get-present.ts'
import { get } from './domains/get.ts'
import { listKeks } from './domains/list-keks.ts'
import { list } from './domains/list.ts'
import { retryKekRotation } from './domains/retry-kek-rotation.ts'
import { rotateKek } from './domains/rotate-kek.ts'
import { update } from './domains/update.ts'
import { add as addMember } from './usermgmt/groups/add-member.ts'
import { create as createGroup } from './usermgmt/groups/create.ts'
import { remove as deleteGroup } from './usermgmt/groups/delete.ts'
import { get as getGroup } from './usermgmt/groups/get.ts'
import { list as listGroups } from './usermgmt/groups/list.ts'
import { remove as removeMember } from './usermgmt/groups/remove-member.ts'
import { update as updateGroup } from './usermgmt/groups/update.ts'
import { create as createPasswordPolicy } from './usermgmt/pwdpolicies/create.ts'
import { remove as deletePasswordPolicy } from './usermgmt/pwdpolicies/delete.ts'
import { get as getPasswordPolicy } from './usermgmt/pwdpolicies/get.ts'
import { list as listPasswordPolicies } from './usermgmt/pwdpolicies/list.ts'
import { update as updatePasswordPolicy } from './usermgmt/pwdpolicies/update.ts'
import { create as createUser } from './usermgmt/users/create.ts'
import { remove as deleteUser } from './usermgmt/users/delete.ts'
import { get as getUser } from './usermgmt/users/get.ts'
import { list as listUsers } from './usermgmt/users/list.ts'
import { update as updateUser } from './usermgmt/users/update.ts'

/** Users and their groups, and the domains they live in. */
export const routes: readonly Route[] = [
  route('GET', '/v1/usermgmt/users', listUsers),
  route('POST', '/v1/usermgmt/users', createUser),
  route('GET', '/v1/usermgmt/users/{user_id}', getUser),
  route('PATCH', '/v1/usermgmt/users/{user_id}', updateUser),
  route('DELETE', '/v1/usermgmt/users/{user_id}', deleteUser),
  route('GET', '/v1/usermgmt/groups', listGroups),
  route('POST', '/v1/usermgmt/groups', createGroup),
  route('GET', '/v1/usermgmt/groups/{name}', getGroup),
  route('PATCH', '/v1/usermgmt/groups/{name}', updateGroup),
  route('DELETE', '/v1/usermgmt/groups/{name}', deleteGroup),
  route('POST', '/v1/usermgmt/groups/{name}/users/{user_id}', addMember),
  route('DELETE', '/v1/usermgmt/groups/{name}/users/{user_id}', removeMember),
  route('GET', '/v1/usermgmt/pwdpolicies', listPasswordPolicies),
  route('POST', '/v1/usermgmt/pwdpolicies', createPasswordPolicy),
  // The domain-wide policy, `global`, is a name like any other here.
  route('GET', '/v1/usermgmt/pwdpolicies/{policy_name}', getPasswordPolicy),
  route('PATCH', '/v1/usermgmt/pwdpolicies/{policy_name}', updatePasswordPolicy),
  route('DELETE', '/v1/usermgmt/pwdpolicies/{policy_name}', deletePasswordPolicy),
  route('GET', '/v1/domains', list),
  route('POST', '/v1/domains', create),
  route('GET', '/v1/domains/{id}', get),
  route('PATCH', '/v1/domains/{id}', update),
  route('DELETE', '/v1/domains/{id}', remove),
  route('GET', '/v1/domains/{id}/keks', listKeks),
  route('GET', '/v1/domains/{id}/keks/{kekID}', getKek),
  route('POST', '/v1/domains/{id}/rotate-kek', rotateKek),
  route('POST', '/v1/domains/{id}/retry-kek-rotation', retryKekRotation),
  route('GET', '/v1/domain', getPresent),
]

export const handler = serve(routes)
