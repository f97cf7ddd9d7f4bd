import { createTemplate } from '../../../shared/clouds/cloud-a/templates/templates.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CreatePolicyTemplate, PolicyTemplate } from '../../../shared/clouds/cloud-a/templates/model.ts'

/** POST /v1/keymgr/cloud-a/templates */
export const create = operation(
  {
    says: 'Create Cloud-a Policy Template',
    body: CreatePolicyTemplate,
    answers: PolicyTemplate,
    status: 201,
    may: 'keymgr-admins',
  },
  async ({ body, context }) => {
    const { item, rev } = await createTemplate(context, body)
    return created(item, rev)
  },
)
