import { reimport as again } from '../../../shared/clouds/cloud-c/versions/reimport-version.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCVersion, CloudCVersionPath, ReimportVersion } from '../../../shared/clouds/cloud-c/versions/model.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/re-import: the same material, into a version that lost it. */
export const reimport = operation(
  {
    says: 'Re-import Cloud-c Key Version',
    path: CloudCVersionPath,
    body: ReimportVersion,
    answers: CloudCVersion,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await again(context, path.id, path.version_id, body)
    return ok(item, rev)
  },
)
