import { routesOn } from '../../../resource/routes.ts'
import type { Route } from '../../../http/operation.ts'
import { listTemplates } from './list-templates.ts'
import { CreatePolicyTemplate, PolicyTemplate, PolicyTemplateQuery, UpdatePolicyTemplate } from './model.ts'
import { createTemplate, deleteTemplate, getTemplate, updateTemplate } from './templates.ts'

const on = routesOn({
  at: '/v1/keymgr/cloud-a/templates',
  answers: PolicyTemplate,
  reads: 'keymgr-users',
  changes: 'keymgr-admins',
})

/** Users see the templates of the entries that they may see. */
export const templateRoutes: readonly Route[] = [
  on.list('List Cloud-a Policy Templates', PolicyTemplateQuery, listTemplates),
  on.create('Create Cloud-a Policy Template', CreatePolicyTemplate, createTemplate),
  on.get('Get Cloud-a Policy Template', getTemplate),
  // With `auto_push`, the keys that carry its tag follow in bulk jobs.
  on.update('Update Cloud-a Policy Template', UpdatePolicyTemplate, updateTemplate),
  on.remove('Delete Cloud-a Policy Template', deleteTemplate), // refused while a key carries its tag
]
