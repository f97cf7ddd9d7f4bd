import { deleteKey } from '../../../shared/clouds/cloud-a/keys/delete-key.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { CloudAKeyPath } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'

/** DELETE /v1/keymgr/cloud-a/keys/{id}: the record of a key that its cloud no longer has. */
export const remove = operation(
  { says: 'Delete Cloud-a Key', path: CloudAKeyPath, answers: Deleted, may: 'keymgr-users' },
  async ({ path, context }) => {
    await deleteKey(context, path.id)
    return deleted()
  },
)
