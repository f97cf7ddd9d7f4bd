import { operation, okStored, createdStored } from '../../../http/operation.ts'
import { getVersionsJob, updateAllVersions } from './all-versions.ts'
import { UpdateAllVersions, UpdateAllVersionsJob, VersionJobPath } from './model.ts'

/** POST /v1/keymgr/cloud-c/update-all-versions-jobs: begun at once, gone on with after the answer. */
export const create = operation(
  {
    summary: 'Update All Cloud-c Key Versions',
    body: UpdateAllVersions,
    answers: UpdateAllVersionsJob,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ body, context }) => createdStored(await updateAllVersions(context, body)),
)

/** GET /v1/keymgr/cloud-c/update-all-versions-jobs/{id} */
export const get = operation(
  { summary: 'Get Cloud-c Key Versions Job', path: VersionJobPath, answers: UpdateAllVersionsJob, may: 'keymgr-users' },
  async ({ path, context }) => okStored(await getVersionsJob(context, path.id)),
)
