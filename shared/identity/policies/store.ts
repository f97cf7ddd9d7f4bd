import * as z from 'zod'
import { entity } from '../../store/entity.ts'
import { Policy, PolicyAttachment, PrincipalSelector } from './model.ts'

/** `attachments` is their number: it changes with them, so that a policy in use does not go. */
export const StoredPolicy = Policy.omit({ allow: true }).extend({ attachments: z.int() })
export type StoredPolicy = z.infer<typeof StoredPolicy>

/** Reads served: a policy by id; by name; all of a domain. */
export const policies = entity({
  name: 'policy',
  schema: StoredPolicy,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, createdAt, updatedAt }) => ({ id, name, createdAt, updatedAt }),
})

/** Groups are kept by id, which a rename keeps and no later group has. */
export const StoredAttachment = PolicyAttachment.omit({ policy: true, principalSelector: true }).extend({
  policy_id: z.string(),
  principal: PrincipalSelector.omit({ groups: true }),
  group_ids: z.array(z.string()).optional(),
})
export type StoredAttachment = z.infer<typeof StoredAttachment>

/** Reads served: an attachment by id; all of a domain. */
export const policyAttachments = entity({
  name: 'policy-attachment',
  schema: StoredAttachment,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: ({ id, policy_id, createdAt, updatedAt }) => ({ id, policy_id, createdAt, updatedAt }),
})
