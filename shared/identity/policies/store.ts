import * as z from 'zod'
import { entity } from '../../store/entity.ts'
import { extended } from '../../base/lazy-fields.ts'
import { Policy, PolicyAttachment, PrincipalSelector } from './model.ts'

/**
 * `attachments` is their number: a change of attachments changes the record, so that a policy in use cannot be deleted.
 */
export const StoredPolicy = extended(Policy.omit({ allow: true }), () => ({ attachments: z.int() }))
export type StoredPolicy = z.infer<typeof StoredPolicy>

/** Supported reads: a policy by id; by name; all of a domain. */
export const policies = entity({
  name: 'policy',
  schema: StoredPolicy,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, createdAt, updatedAt }) => ({ id, name, createdAt, updatedAt }),
})

/** Groups are stored by id, which a rename does not change and which is never reused. */
export const StoredAttachment = extended(PolicyAttachment.omit({ policy: true, principalSelector: true }), () => ({
  policy_id: z.string(),
  principal: PrincipalSelector.omit({ groups: true }),
  group_ids: z.array(z.string()).optional(),
}))
export type StoredAttachment = z.infer<typeof StoredAttachment>

/** Supported reads: an attachment by id; all of a domain. */
export const policyAttachments = entity({
  name: 'policy-attachment',
  schema: StoredAttachment,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: ({ id, policy_id, createdAt, updatedAt }) => ({ id, policy_id, createdAt, updatedAt }),
})
