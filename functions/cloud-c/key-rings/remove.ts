import { removeRing } from '../../../shared/clouds/cloud-c/rings/rings.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { CloudCContainerPath } from '../../../shared/clouds/cloud-c/projects/model.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'

/** POST /v1/keymgr/cloud-c/key-rings/{id}/remove-key-ring: the cloud is left alone. */
export const remove = operation(
  { says: 'Remove Cloud-c Key Ring', path: CloudCContainerPath, answers: Deleted, may: 'keymgr-admins' },
  async ({ path, context }) => {
    await removeRing(context, path.id)
    return deleted()
  },
)
