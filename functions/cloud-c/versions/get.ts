import { getVersion } from '../../../shared/clouds/cloud-c/versions/read-versions.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCVersion, CloudCVersionPath } from '../../../shared/clouds/cloud-c/versions/model.ts'

/** GET /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}: by the id of its record or by its number. */
export const get = operation(
  { says: 'Get Cloud-c Key Version', path: CloudCVersionPath, answers: CloudCVersion, may: 'keymgr-users' },
  async ({ path, context }) => {
    const { item, rev } = await getVersion(context, path.id, path.version_id)
    return ok(item, rev)
  },
)
