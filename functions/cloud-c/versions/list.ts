import { listVersions } from '../../../shared/domain/cloud-c/versions/read-versions.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCKeyPath } from '../../../shared/model/cloud-c-key.ts'
import { CloudCVersion, CloudCVersionQuery } from '../../../shared/model/cloud-c-version.ts'
import { listOf } from '../../../shared/model/common.ts'

/** GET /v1/keymgr/cloud-c/keys/{id}/versions, oldest first. */
export const list = operation(
  {
    says: 'List Cloud-c Key Versions',
    path: CloudCKeyPath,
    query: CloudCVersionQuery,
    answers: listOf(CloudCVersion),
    may: 'keymgr-users',
  },
  async ({ path, query, context }) => ok(await listVersions(context, path.id, query)),
)
