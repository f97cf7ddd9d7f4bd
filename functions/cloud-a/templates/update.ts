import { updateTemplate } from '../../../shared/clouds/cloud-a/templates/templates.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import {
  PolicyTemplate,
  PolicyTemplatePath,
  UpdatePolicyTemplate,
} from '../../../shared/clouds/cloud-a/templates/model.ts'

/** PATCH /v1/keymgr/cloud-a/templates/{id}: with `auto_push`, the keys that carry its tag follow in bulk jobs. */
export const update = operation(
  {
    says: 'Update Cloud-a Policy Template',
    path: PolicyTemplatePath,
    body: UpdatePolicyTemplate,
    answers: PolicyTemplate,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updateTemplate(context, path.id, body)
    return ok(item, rev)
  },
)
