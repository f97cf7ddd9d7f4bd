import { getTemplate } from '../../../shared/clouds/cloud-a/templates/templates.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { PolicyTemplate, PolicyTemplatePath } from '../../../shared/clouds/cloud-a/templates/model.ts'

/** GET /v1/keymgr/cloud-a/templates/{id} */
export const get = operation(
  { says: 'Get Cloud-a Policy Template', path: PolicyTemplatePath, answers: PolicyTemplate, may: 'keymgr-users' },
  async ({ path, context }) => {
    const { item, rev } = await getTemplate(context, path.id)
    return ok(item, rev)
  },
)
