import { listCredentials } from '../../../shared/clouds/cloud-a/key-stores/credentials.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { listOf } from '../../../shared/http/common-fields.ts'
import {
  CustomKeyStorePath,
  KeyStoreCredential,
  KeyStoreCredentialQuery,
} from '../../../shared/clouds/cloud-a/key-stores/model.ts'

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
