import type { Route } from '../../http/operation.ts'
import { routesOn } from '../../resource/routes.ts'
import { createAttachment, deleteAttachment, getAttachment, listAttachments } from './attachments.ts'
import { CreatePolicyAttachment, PolicyAttachment, PolicyAttachmentQuery } from './model.ts'
import { policyResource } from './policies.ts'

const on = routesOn({
  at: '/v1/admin/policy-attachments',
  answers: PolicyAttachment,
  reads: 'admins',
  changes: 'admins',
})

/** Policies, and the callers to whom they apply. Ours: neither can be changed, only replaced. */
export const routes: readonly Route[] = [
  ...policyResource.routes,
  on.list('List Policy Attachments', PolicyAttachmentQuery, listAttachments),
  on.create('Create Policy Attachment', CreatePolicyAttachment, createAttachment),
  on.get('Get Policy Attachment', getAttachment),
  on.remove('Delete Policy Attachment', deleteAttachment),
]
