import { Deleted, listOf } from '../../../http/common-fields.ts'
import { deleted, ok, operation, okStored, createdStored } from '../../../http/operation.ts'
import { listTemplates } from './list-templates.ts'
import {
  CreatePolicyTemplate,
  PolicyTemplate,
  PolicyTemplatePath,
  PolicyTemplateQuery,
  UpdatePolicyTemplate,
} from './model.ts'
import { createTemplate, deleteTemplate, getTemplate, updateTemplate } from './templates.ts'

/** GET /v1/keymgr/cloud-a/templates: those of the entries the caller may see. */
export const list = operation(
  {
    summary: 'List Cloud-a Policy Templates',
    query: PolicyTemplateQuery,
    answers: listOf(PolicyTemplate),
    may: 'keymgr-users',
  },
  async ({ query, context }) => ok(await listTemplates(context, query)),
)

/** POST /v1/keymgr/cloud-a/templates */
export const create = operation(
  {
    summary: 'Create Cloud-a Policy Template',
    body: CreatePolicyTemplate,
    answers: PolicyTemplate,
    status: 201,
    may: 'keymgr-admins',
  },
  async ({ body, context }) => createdStored(await createTemplate(context, body)),
)

/** GET /v1/keymgr/cloud-a/templates/{id} */
export const get = operation(
  { summary: 'Get Cloud-a Policy Template', path: PolicyTemplatePath, answers: PolicyTemplate, may: 'keymgr-users' },
  async ({ path, context }) => okStored(await getTemplate(context, path.id)),
)

/** PATCH /v1/keymgr/cloud-a/templates/{id}: with `auto_push`, the keys that carry its tag follow in bulk jobs. */
export const update = operation(
  {
    summary: 'Update Cloud-a Policy Template',
    path: PolicyTemplatePath,
    body: UpdatePolicyTemplate,
    answers: PolicyTemplate,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => okStored(await updateTemplate(context, path.id, body)),
)

/** DELETE /v1/keymgr/cloud-a/templates/{id}: refused while a key carries its tag. */
export const remove = operation(
  { summary: 'Delete Cloud-a Policy Template', path: PolicyTemplatePath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteTemplate(context, path.id)
    return deleted()
  },
)
