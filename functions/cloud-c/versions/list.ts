import { listVersions } from '../../../shared/clouds/cloud-c/versions/read-versions.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCKeyPath } from '../../../shared/clouds/cloud-c/keys/model.ts'
import { CloudCVersion, CloudCVersionQuery } from '../../../shared/clouds/cloud-c/versions/model.ts'
import { listOf } from '../../../shared/http/common-fields.ts'

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
