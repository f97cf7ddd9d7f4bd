import { operationsOn } from '../../../cloud/operations-on.ts'
import { listTemplates } from './list-templates.ts'
import {
  CreatePolicyTemplate,
  PolicyTemplate,
  PolicyTemplatePath,
  PolicyTemplateQuery,
  UpdatePolicyTemplate,
} from './model.ts'
import { createTemplate, deleteTemplate, getTemplate, updateTemplate } from './templates.ts'

const on = operationsOn({
  path: PolicyTemplatePath,
  answers: PolicyTemplate,
  reads: 'keymgr-users',
  changes: 'keymgr-admins',
})

/** GET /v1/keymgr/cloud-a/templates: those of the entries the caller may see. */
export const list = on.list('List Cloud-a Policy Templates', PolicyTemplateQuery, listTemplates)

/** POST /v1/keymgr/cloud-a/templates */
export const create = on.create('Create Cloud-a Policy Template', CreatePolicyTemplate, createTemplate)

/** GET /v1/keymgr/cloud-a/templates/{id} */
export const get = on.get('Get Cloud-a Policy Template', getTemplate)

/** PATCH /v1/keymgr/cloud-a/templates/{id}: with `auto_push`, the keys that carry its tag follow in bulk jobs. */
export const update = on.act('Update Cloud-a Policy Template', updateTemplate, UpdatePolicyTemplate)

/** DELETE /v1/keymgr/cloud-a/templates/{id}: refused while a key carries its tag. */
export const remove = on.remove('Delete Cloud-a Policy Template', deleteTemplate)
