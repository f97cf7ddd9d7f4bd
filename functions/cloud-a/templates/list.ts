import { listTemplates } from '../../../shared/clouds/cloud-a/templates/list-templates.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { PolicyTemplate, PolicyTemplateQuery } from '../../../shared/clouds/cloud-a/templates/model.ts'
import { listOf } from '../../../shared/http/common-fields.ts'

/** GET /v1/keymgr/cloud-a/templates: those of the entries the caller may see. */
export const list = operation(
  {
    says: 'List Cloud-a Policy Templates',
    query: PolicyTemplateQuery,
    answers: listOf(PolicyTemplate),
    may: 'keymgr-users',
  },
  async ({ query, context }) => ok(await listTemplates(context, query)),
)
