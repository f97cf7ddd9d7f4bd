import { createKeyInStore } from '../../../shared/clouds/cloud-a/key-stores/create-key-in-store.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CloudAKey, CreateKeyInStore } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { CustomKeyStorePath } from '../../../shared/clouds/cloud-a/key-stores/model.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/create-cloud-a-key: in the hardware modules behind the store. */
export const createKey = operation(
  {
    says: 'Create Cloud-a Key in Custom Key Store',
    path: CustomKeyStorePath,
    body: CreateKeyInStore,
    answers: CloudAKey,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ path, body, context }) => {
    const { item, rev } = await createKeyInStore(context, path.id, body)
    return created(item, rev)
  },
)
