import { listKeyStores } from '../../../shared/domain/cloud-a/custom-key-stores/list-key-stores.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import { CustomKeyStore, CustomKeyStoreQuery } from '../../../shared/model/custom-key-store.ts'

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
