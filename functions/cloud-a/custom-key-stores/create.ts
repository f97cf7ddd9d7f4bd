import { createKeyStore } from '../../../shared/clouds/cloud-a/key-stores/create-key-store.ts'
import { created, operation } from '../../../shared/http/operation.ts'
import { CreateCustomKeyStore, CustomKeyStoreWithSecret } from '../../../shared/clouds/cloud-a/key-stores/model.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores: with the credential pair of a store of ours, shown this once. */
export const create = operation(
  {
    says: 'Create Cloud-a Custom Key Store',
    body: CreateCustomKeyStore,
    answers: CustomKeyStoreWithSecret,
    status: 201,
    may: 'keymgr-users',
  },
  async ({ body, context }) => {
    const { item, rev } = await createKeyStore(context, body)
    return created(item, rev)
  },
)
