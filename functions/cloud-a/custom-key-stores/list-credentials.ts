import { listCredentials } from '../../../shared/domain/cloud-a/custom-key-stores/credentials.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/model/common.ts'
import {
  CustomKeyStorePath,
  KeyStoreCredential,
  KeyStoreCredentialQuery,
} from '../../../shared/model/custom-key-store.ts'

/** GET /v1/keymgr/cloud-a/custom-key-stores/{id}/credentials, without secrets. */
export const credentials = operation(
  {
    says: 'List Cloud-a Custom Key Store Credentials',
    path: CustomKeyStorePath,
    query: KeyStoreCredentialQuery,
    answers: listOf(KeyStoreCredential),
    may: 'keymgr-users',
  },
  async ({ path, query, context }) => ok(await listCredentials(context, path.id, query)),
)
