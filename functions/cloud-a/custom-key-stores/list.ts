import { listKeyStores } from '../../../shared/clouds/cloud-a/key-stores/list-key-stores.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import { CustomKeyStore, CustomKeyStoreQuery } from '../../../shared/clouds/cloud-a/key-stores/model.ts'

/** GET /v1/keymgr/cloud-a/custom-key-stores: those the caller may see, as they are on record. */
export const list = operation(
  {
    says: 'List Cloud-a Custom Key Stores',
    query: CustomKeyStoreQuery,
    answers: listOf(CustomKeyStore),
    may: 'keymgr-users',
  },
  async ({ query, context }) => ok(await listKeyStores(context, query)),
)
