import { Deleted, listOf } from '../../http/common-fields.ts'
import { deleted, ok, operation, okStored, createdStored } from '../../http/operation.ts'
import {
  CreatePasswordPolicy,
  PasswordPolicy,
  PasswordPolicyPath,
  PasswordPolicyQuery,
  UpdatePasswordPolicy,
} from './model.ts'
import {
  createPasswordPolicy,
  deletePasswordPolicy,
  getPasswordPolicy,
  listPasswordPolicies,
  updatePasswordPolicy,
} from './policies.ts'

/** GET /v1/usermgmt/pwdpolicies: always includes `global`. */
export const list = operation(
  {
    summary: 'List Password Policies',
    query: PasswordPolicyQuery,
    answers: listOf(PasswordPolicy),
    may: 'user-admins',
  },
  async ({ query, context }) => ok(await listPasswordPolicies(context, query)),
)

/** POST /v1/usermgmt/pwdpolicies */
export const create = operation(
  {
    summary: 'Create Password Policy',
    body: CreatePasswordPolicy,
    answers: PasswordPolicy,
    status: 201,
    may: 'user-admins',
  },
  async ({ body, context }) => createdStored(await createPasswordPolicy(context, body)),
)

/** GET /v1/usermgmt/pwdpolicies/{policy_name}, including `global`. */
export const get = operation(
  { summary: 'Get Password Policy', path: PasswordPolicyPath, answers: PasswordPolicy, may: 'user-admins' },
  async ({ path, context }) => okStored(await getPasswordPolicy(context, path.policy_name)),
)

/** PATCH /v1/usermgmt/pwdpolicies/{policy_name}, including `global`: applies to new passwords. */
export const update = operation(
  {
    summary: 'Update Password Policy',
    path: PasswordPolicyPath,
    body: UpdatePasswordPolicy,
    answers: PasswordPolicy,
    may: 'user-admins',
  },
  async ({ path, body, context }) => okStored(await updatePasswordPolicy(context, path.policy_name, body)),
)

/** DELETE /v1/usermgmt/pwdpolicies/{policy_name}: refused for `global`, and while a user has this policy. */
export const remove = operation(
  { summary: 'Delete Password Policy', path: PasswordPolicyPath, answers: Deleted, may: 'user-admins' },
  async ({ path, context }) => {
    await deletePasswordPolicy(context, path.policy_name)
    return deleted()
  },
)
