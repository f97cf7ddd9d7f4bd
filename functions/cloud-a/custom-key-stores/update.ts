import { updateKeyStore } from '../../../shared/clouds/cloud-a/key-stores/update-key-store.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import {
  CustomKeyStore,
  CustomKeyStorePath,
  UpdateCustomKeyStore,
} from '../../../shared/clouds/cloud-a/key-stores/model.ts'

/** PATCH /v1/keymgr/cloud-a/custom-key-stores/{id}: a linked store is changed in the cloud too. */
export const update = operation(
  {
    says: 'Update Cloud-a Custom Key Store',
    path: CustomKeyStorePath,
    body: UpdateCustomKeyStore,
    answers: CustomKeyStore,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await updateKeyStore(context, path.id, body)
    return ok(item, rev)
  },
)
