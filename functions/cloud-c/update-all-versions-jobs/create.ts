import { updateAllVersions } from '../../../shared/clouds/cloud-c/versions/all-versions.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { UpdateAllVersions, UpdateAllVersionsJob } from '../../../shared/clouds/cloud-c/versions/model.ts'

/** POST /v1/keymgr/cloud-c/update-all-versions-jobs: begun at once, gone on with after the answer. */
export const create = operation(
  {
    says: 'Update All Cloud-c Key Versions',
    body: UpdateAllVersions,
    answers: UpdateAllVersionsJob,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ body, context }) => {
    const { item, rev } = await updateAllVersions(context, body)
    return created(item, rev)
  },
)
