import { beforeAll, expect, test } from 'vitest'
import { passwordPolicyResource } from '../../../../shared/identity/password-policies/policies.ts'
import {
  assertOldEnough,
  assertPassword,
  policyOf,
  setPassword,
} from '../../../../shared/identity/password-policies/rules.ts'
import { deleteUser } from '../../../../shared/identity/users/delete-user.ts'
import { updateUser } from '../../../../shared/identity/users/users.ts'
import {
  DEFAULT_RULES,
  PasswordPolicyQuery,
  type PasswordPolicy,
} from '../../../../shared/identity/password-policies/model.ts'
import { users, type StoredUser } from '../../../../shared/identity/users/store.ts'
import { DAY_MS, later } from '../../../../shared/base/time.ts'
import { useTable } from '../../../support/store.ts'
import { makeDomain, makeUser, NOW, PASSWORD, request, ROOT, rootAdmin } from './requests.ts'

useTable()
beforeAll(async () => {
  await makeDomain('root', { id: ROOT.id })
})

const at = NOW.toISOString()
const lenient: PasswordPolicy = {
  policy_name: 'lenient',
  ...DEFAULT_RULES,
  inclusive_min_total_length: 1,
  inclusive_min_upper_case: 0,
  inclusive_min_lower_case: 0,
  inclusive_min_digits: 0,
  inclusive_min_other: 0,
  created_at: at,
  updated_at: at,
}

const storedUser = async (userId: string): Promise<StoredUser> => {
  const stored = await users.get(ROOT.id, userId)
  if (stored === undefined) throw new Error(`No user ${userId}`)
  return stored.item
}

test.each([
  ['inclusive_min_total_length', 8, 'short-7', 'long-8-8', 'must have at least 8 characters'],
  ['inclusive_max_total_length', 8, 'too-long9', 'just-8-8', 'must have at most 8 characters'],
  ['inclusive_min_upper_case', 2, 'One-upper', 'TwO-upper', 'must have at least 2 upper-case letters'],
  ['inclusive_min_upper_case', 1, 'кот', 'Кот', 'must have at least 1 upper-case letter'],
  ['inclusive_min_lower_case', 2, 'LOWEr', 'LOWer', 'must have at least 2 lower-case letters'],
  ['inclusive_min_digits', 3, 'a1b2', 'a1b2c3', 'must have at least 3 digits'],
  ['inclusive_min_other', 1, 'Plain1', 'Plain 1', 'must have at least 1 character that is neither letter nor digit'],
])('%s %i refuses %s and accepts %s', async (rule, value, refused, passes, detail) => {
  const policy = { ...lenient, [rule]: value }
  await expect(assertPassword(policy, passes)).resolves.toBeUndefined()
  await expect(assertPassword(policy, refused)).rejects.toMatchObject({
    reason: 'RULE_BROKEN',
    errors: [{ pointer: '#/password', detail }],
  })
})

test('characters are counted as code points', async () => {
  const policy = { ...lenient, inclusive_min_total_length: 3, inclusive_max_total_length: 3 }
  await expect(assertPassword(policy, '🔑🔑🔑')).resolves.toBeUndefined()
  await expect(assertPassword(policy, '🔑🔑')).rejects.toMatchObject({ reason: 'RULE_BROKEN' })
})

test('a user with a weak password is refused with every broken rule at once, and the password is not repeated', async () => {
  const refusal: unknown = await makeUser('weak', { password: 'zzz' }).catch((error: unknown) => error)
  expect(refusal).toMatchObject({
    reason: 'RULE_BROKEN',
    errors: [
      { pointer: '#/password', detail: 'must have at least 8 characters' },
      { pointer: '#/password', detail: 'must have at least 1 upper-case letter' },
      { pointer: '#/password', detail: 'must have at least 1 digit' },
      { pointer: '#/password', detail: 'must have at least 1 character that is neither letter nor digit' },
    ],
  })
  expect((refusal as Error).message).not.toContain('zzz')
})

test('the last passwords are refused, as many as the policy remembers', async () => {
  await request((context) =>
    passwordPolicyResource.create(context, { policy_name: 'remembers', password_history_threshold: 2 }),
  )
  const { user_id } = await makeUser('hal', { password_policy: 'remembers' })
  const change = (password: string) => request((context) => updateUser(context, user_id, { password }))
  const again = {
    reason: 'RULE_BROKEN',
    errors: [{ pointer: '#/password', detail: 'must not be one of the last 2 passwords' }],
  }
  await expect(change(PASSWORD)).rejects.toMatchObject(again)
  await change('Second-horse-2')
  await expect(change(PASSWORD)).rejects.toMatchObject(again)
  await expect(change('Second-horse-2')).rejects.toMatchObject(again)
  await change('Third-horse-3')
  await expect(change('Second-horse-2')).rejects.toMatchObject(again)
  await change(PASSWORD)
  expect((await storedUser(user_id)).password_history).toHaveLength(2)
})

test('without a history the present password may be reused', async () => {
  const { user_id } = await makeUser('ida')
  await expect(request((context) => updateUser(context, user_id, { password: PASSWORD }))).resolves.toBeDefined()
  expect((await storedUser(user_id)).password_history).toEqual([])
})

test("users may change their own password after the policy's minimum of days, or when they must", async () => {
  const { user_id } = await makeUser('jim')
  const policy = { ...lenient, password_change_min_days: 3 }
  const user = await setPassword(await storedUser(user_id), PASSWORD, policy, NOW)
  const early = later(NOW, 3 * DAY_MS - 1)
  expect(() => {
    assertOldEnough(policy, user, early)
  }).toThrow('3 days')
  assertOldEnough(policy, { ...user, password_change_required: true }, early)
  assertOldEnough(policy, user, later(NOW, 3 * DAY_MS))
  assertOldEnough({ ...policy, password_change_min_days: 0 }, user, NOW)
  expect(() => assertOldEnough({ ...policy, password_change_min_days: 1 }, user, NOW)).toThrow('again 1 day after')
})

test('a user has their own policy, else the global one, else the default rules', async () => {
  const domain = await makeDomain('with policies', { allow_user_management: true })
  const caller = { ...rootAdmin, domain }
  expect(await policyOf(domain.id, {})).toMatchObject({ policy_name: 'global', ...DEFAULT_RULES })
  await request((context) => passwordPolicyResource.update(context, 'global', { inclusive_min_total_length: 12 }), {
    caller,
  })
  await request((context) => passwordPolicyResource.create(context, { policy_name: 'strict', password_lifetime: 30 }), {
    caller,
  })
  expect(await policyOf(domain.id, {})).toMatchObject({ policy_name: 'global', inclusive_min_total_length: 12 })
  expect(await policyOf(domain.id, { password_policy: 'strict' })).toMatchObject({
    policy_name: 'strict',
    inclusive_min_total_length: 8,
    password_lifetime: 30,
  })
  expect(await policyOf(ROOT.id, {})).toMatchObject({ inclusive_min_total_length: 8 })
  await expect(makeUser('short', { password: 'Short-9aa' }, { caller })).rejects.toMatchObject({
    reason: 'RULE_BROKEN',
  })
  await expect(
    makeUser('short', { password: 'Short-9aa', password_policy: 'strict' }, { caller }),
  ).resolves.toBeDefined()
})

test('an unknown policy cannot be assigned', async () => {
  const missing = {
    reason: 'NOT_FOUND',
    errors: [{ pointer: '#/password_policy', detail: 'is no password policy of this domain' }],
  }
  await expect(makeUser('ken', { password_policy: 'none' })).rejects.toMatchObject(missing)
  const { user_id } = await makeUser('ken')
  const attempt = request((context) => updateUser(context, user_id, { password_policy: 'none' }))
  await expect(attempt).rejects.toMatchObject(missing)
})

test('a policy is created, updated, and refused under a taken name', async () => {
  const made = await request((context) =>
    passwordPolicyResource.create(context, { policy_name: 'made', inclusive_min_digits: 2 }),
  )
  expect(made.item).toEqual({
    policy_name: 'made',
    ...DEFAULT_RULES,
    inclusive_min_digits: 2,
    created_at: at,
    updated_at: at,
  })
  const changed = await request((context) =>
    passwordPolicyResource.update(context, 'made', { inclusive_min_digits: 3 }),
  )
  expect(await request((context) => passwordPolicyResource.get(context, 'made'))).toEqual(changed)
  expect(changed.item).toMatchObject({ inclusive_min_digits: 3, inclusive_min_other: 1 })
  for (const policy_name of ['made', 'global'])
    await expect(request((context) => passwordPolicyResource.create(context, { policy_name }))).rejects.toMatchObject({
      reason: 'NAME_TAKEN',
      errors: [{ pointer: '#/policy_name', detail: 'is taken' }],
    })
})

test('rules that no password satisfies are refused, also if only their combination is at fault', async () => {
  await request((context) =>
    passwordPolicyResource.create(context, { policy_name: 'tight', inclusive_max_total_length: 10 }),
  )
  const impossible = {
    reason: 'RULE_BROKEN',
    errors: [expect.objectContaining({ pointer: '#/inclusive_max_total_length' })],
  }
  for (const body of [{ inclusive_min_total_length: 11 }, { inclusive_min_digits: 8 }])
    await expect(request((context) => passwordPolicyResource.update(context, 'tight', body))).rejects.toMatchObject(
      impossible,
    )
  await request((context) => passwordPolicyResource.update(context, 'tight', { inclusive_min_digits: 7 }))
})

test('a policy in use and the global one cannot be deleted', async () => {
  await request((context) => passwordPolicyResource.create(context, { policy_name: 'kept' }))
  const { user_id } = await makeUser('lou', { password_policy: 'kept' })
  const remove = (name: string) => request((context) => passwordPolicyResource.remove(context, name, undefined))
  await expect(remove('kept')).rejects.toMatchObject({ reason: 'IN_USE' })
  await expect(remove('global')).rejects.toMatchObject({ reason: 'STATE_CONFLICT' })
  await expect(remove('never made')).rejects.toMatchObject({ reason: 'NOT_FOUND' })
  await request((context) => deleteUser(context, user_id))
  await remove('kept')
  await expect(remove('kept')).rejects.toMatchObject({ reason: 'NOT_FOUND' })
})

test('the list always has the global policy, once', async () => {
  const domain = await makeDomain('listing policies', { allow_user_management: true })
  const caller = { ...rootAdmin, domain }
  const list = async (query: Record<string, string[]> = {}) => {
    const page = await request((context) => passwordPolicyResource.list(context, PasswordPolicyQuery.parse(query)), {
      caller,
    })
    return [page.total, ...page.resources.map(({ policy_name }) => policy_name)]
  }
  expect(await list()).toEqual([1, 'global'])
  for (const policy_name of ['b', 'z', 'a'])
    await request((context) => passwordPolicyResource.create(context, { policy_name }), { caller })
  expect(await list()).toEqual([4, 'global', 'b', 'z', 'a'])
  expect(await list({ sort: ['policy_name'] })).toEqual([4, 'a', 'b', 'global', 'z'])
  expect(await list({ sort: ['-createdAt'], limit: ['2'], skip: ['2'] })).toEqual([4, 'b', 'global'])
  await request((context) => passwordPolicyResource.update(context, 'global', { password_lifetime: 90 }), { caller })
  expect(await list({ sort: ['-policy_name'], limit: ['2'] })).toEqual([4, 'z', 'global'])
  expect(await list()).toEqual([4, 'global', 'b', 'z', 'a'])
})
