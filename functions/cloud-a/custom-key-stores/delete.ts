import { deleteKeyStore } from '../../../shared/domain/cloud-a/custom-key-stores/delete-key-store.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/model/common.ts'
import { CustomKeyStorePath } from '../../../shared/model/custom-key-store.ts'

/** DELETE /v1/keymgr/cloud-a/custom-key-stores/{id}: a linked store goes in the cloud too. */
export const remove = operation(
  { says: 'Delete Cloud-a Custom Key Store', path: CustomKeyStorePath, answers: Deleted, may: 'keymgr-users' },
  async ({ path, context }) => {
    await deleteKeyStore(context, path.id)
    return deleted()
  },
)
