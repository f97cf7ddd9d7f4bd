import { publicKeyOf } from '../../../shared/clouds/cloud-c/versions/read-versions.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudCPublicKey, CloudCVersionPath } from '../../../shared/clouds/cloud-c/versions/model.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/versions/{version_id}/download-public-key: as the cloud gives it out now. */
export const publicKey = operation(
  {
    says: 'Download Cloud-c Public Key',
    path: CloudCVersionPath,
    answers: CloudCPublicKey,
    may: 'keymgr-users',
  },
  async ({ path, context }) => ok(await publicKeyOf(context, path.id, path.version_id)),
)
