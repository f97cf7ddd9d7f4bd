import { deleteKeyStore } from '../../../shared/clouds/cloud-a/key-stores/delete-key-store.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'
import { CustomKeyStorePath } from '../../../shared/clouds/cloud-a/key-stores/model.ts'

/** DELETE /v1/keymgr/cloud-a/custom-key-stores/{id}: a linked store goes in the cloud too. */
export const remove = operation(
  { says: 'Delete Cloud-a Custom Key Store', path: CustomKeyStorePath, answers: Deleted, may: 'keymgr-users' },
  async ({ path, context }) => {
    await deleteKeyStore(context, path.id)
    return deleted()
  },
)
