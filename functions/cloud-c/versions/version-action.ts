import { actOnVersion, type VersionActionName } from '../../../shared/domain/cloud-c/versions/act-on-version.ts'
import { ok, operation, type Operation } from '../../../shared/http/operation.ts'
import { CloudCVersion, CloudCVersionPath } from '../../../shared/model/cloud-c-version.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/<action>: answers the version as it is then. */
export const versionAction = (says: string, action: VersionActionName): Operation =>
  operation(
    { says, path: CloudCVersionPath, answers: CloudCVersion, may: 'keymgr-users' },
    async ({ path, context }) => {
      const { item, rev } = await actOnVersion(context, action, path.id, path.version_id)
      return ok(item, rev)
    },
  )
