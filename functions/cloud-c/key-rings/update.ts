import { updateRing } from '../../../shared/clouds/cloud-c/rings/rings.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCContainerPath, CloudCRing, UpdateRing } from '../../../shared/clouds/cloud-c/projects/model.ts'

/** PATCH /v1/keymgr/cloud-c/key-rings/{id}: another connection must reach it. */
export const update = operation(
  {
    says: 'Update Cloud-c Key Ring',
    path: CloudCContainerPath,
    body: UpdateRing,
    answers: CloudCRing,
    may: 'keymgr-admins',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updateRing(context, path.id, body)
    return ok(item, rev)
  },
)
