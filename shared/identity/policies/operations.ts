import type { Route } from '../../http/operation.ts'
import { routesOn } from '../../resource/routes.ts'
import { createAttachment, deleteAttachment, getAttachment, listAttachments } from './attachments.ts'
import {
  CreatePolicy,
  CreatePolicyAttachment,
  Policy,
  PolicyAttachment,
  PolicyAttachmentQuery,
  PolicyQuery,
} from './model.ts'
import { createPolicy, deletePolicy, getPolicy, listPolicies } from './policies.ts'

const admins = { reads: 'admins', changes: 'admins' } as const
const onPolicies = routesOn({ at: '/v1/admin/policies', answers: Policy, ...admins })
const onAttachments = routesOn({ at: '/v1/admin/policy-attachments', answers: PolicyAttachment, ...admins })

/** Policies, and the callers for whom they hold. Ours: neither changes; another one takes its place. */
export const routes: readonly Route[] = [
  onPolicies.list('List Policies', PolicyQuery, listPolicies),
  onPolicies.create('Create Policy', CreatePolicy, createPolicy),
  onPolicies.get('Get Policy', getPolicy),
  onPolicies.remove('Delete Policy', deletePolicy),
  onAttachments.list('List Policy Attachments', PolicyAttachmentQuery, listAttachments),
  onAttachments.create('Create Policy Attachment', CreatePolicyAttachment, createAttachment),
  onAttachments.get('Get Policy Attachment', getAttachment),
  onAttachments.remove('Delete Policy Attachment', deleteAttachment),
]
