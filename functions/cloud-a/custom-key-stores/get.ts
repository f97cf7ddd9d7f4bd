import { getKeyStore } from '../../../shared/clouds/cloud-a/key-stores/get-key-store.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CustomKeyStore, CustomKeyStorePath } from '../../../shared/clouds/cloud-a/key-stores/model.ts'

/** GET /v1/keymgr/cloud-a/custom-key-stores/{id}: while it connects or disconnects, as the cloud has it. */
export const get = operation(
  { says: 'Get Cloud-a Custom Key Store', path: CustomKeyStorePath, answers: CustomKeyStore, may: 'keymgr-users' },
  async ({ path, context }) => {
    const { item, rev } = await getKeyStore(context, path.id)
    return ok(item, rev)
  },
)
