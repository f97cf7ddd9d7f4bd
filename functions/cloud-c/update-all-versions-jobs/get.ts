import { getVersionsJob } from '../../../shared/clouds/cloud-c/versions/all-versions.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { UpdateAllVersionsJob, VersionJobPath } from '../../../shared/clouds/cloud-c/versions/model.ts'

/** GET /v1/keymgr/cloud-c/update-all-versions-jobs/{id} */
export const get = operation(
  { says: 'Get Cloud-c Key Versions Job', path: VersionJobPath, answers: UpdateAllVersionsJob, may: 'keymgr-users' },
  async ({ path, context }) => {
    const { item, rev } = await getVersionsJob(context, path.id)
    return ok(item, rev)
  },
)
