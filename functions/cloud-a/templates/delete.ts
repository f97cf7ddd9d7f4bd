import { deleteTemplate } from '../../../shared/clouds/cloud-a/templates/templates.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { PolicyTemplatePath } from '../../../shared/clouds/cloud-a/templates/model.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'

/** DELETE /v1/keymgr/cloud-a/templates/{id}: refused while a key carries its tag. */
export const remove = operation(
  { says: 'Delete Cloud-a Policy Template', path: PolicyTemplatePath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await deleteTemplate(context, path.id)
    return deleted()
  },
)
