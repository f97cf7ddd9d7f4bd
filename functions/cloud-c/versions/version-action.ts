import { actOnVersion, type VersionActionName } from '../../../shared/clouds/cloud-c/versions/act-on-version.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { CloudCVersion, CloudCVersionPath } from '../../../shared/clouds/cloud-c/versions/model.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/<action>: answers the version as it is then. */
export const versionAction = (says: string, action: VersionActionName): Operation =>
  operation(
    { says, path: CloudCVersionPath, answers: CloudCVersion, may: 'keymgr-users' },
    async ({ path, context }) => {
      const { item, rev } = await actOnVersion(context, action, path.id, path.version_id)
      return ok(item, rev)
    },
  )
