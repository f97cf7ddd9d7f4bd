import { addVersion } from '../../../shared/clouds/cloud-c/versions/new-version.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudCKeyPath, NewCloudCVersion } from '../../../shared/clouds/cloud-c/keys/model.ts'
import { CloudCVersion } from '../../../shared/clouds/cloud-c/versions/model.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/versions: of a key that encrypts, the one that does from now on. */
export const create = operation(
  {
    says: 'Create Cloud-c Key Version',
    path: CloudCKeyPath,
    body: NewCloudCVersion,
    answers: CloudCVersion,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await addVersion(context, path.id, body)
    return created(item, rev)
  },
)
