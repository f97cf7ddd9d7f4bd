import * as z from 'zod'
import { PasswordPolicy } from './model.ts'
import { entity } from '../../store/entity.ts'
import { extended } from '../../base/lazy-fields.ts'

const StoredPasswordPolicy = extended(PasswordPolicy, () => ({ id: z.uuid() }))
export type StoredPasswordPolicy = z.infer<typeof StoredPasswordPolicy>

/**
 * Ours: every domain's `global` has this id, lower than any generated one, so that it is read without a lookup by name.
 */
export const GLOBAL_POLICY_ID = '00000000-0000-7000-8000-000000000000'

/** Supported reads: a policy by id; by name; a domain's policies, oldest first. */
export const passwordPolicies = entity({
  name: 'password-policy',
  schema: StoredPasswordPolicy,
  id: ({ id }) => id,
  unique: ({ policy_name }) => ({ name: [policy_name] }),
  sets: () => ['all'],
  row: ({ policy_name, created_at, updated_at }) => ({ policy_name, created_at, updated_at }),
})
