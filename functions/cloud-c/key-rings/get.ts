import { getRing } from '../../../shared/clouds/cloud-c/rings/rings.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCContainerPath, CloudCRing } from '../../../shared/clouds/cloud-c/projects/model.ts'

/** GET /v1/keymgr/cloud-c/key-rings/{id} */
export const get = operation(
  { says: 'Get Cloud-c Key Ring', path: CloudCContainerPath, answers: CloudCRing, may: 'keymgr-users' },
  async ({ path, context }) => {
    const { item, rev } = await getRing(context, path.id)
    return ok(item, rev)
  },
)
