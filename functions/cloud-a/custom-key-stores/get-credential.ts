import { getCredential } from '../../../shared/clouds/cloud-a/key-stores/credentials.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { KeyStoreCredential, KeyStoreCredentialPath } from '../../../shared/clouds/cloud-a/key-stores/model.ts'

/** GET /v1/keymgr/cloud-a/custom-key-stores/{id}/credentials/{credential_id}, without its secret. */
export const credential = operation(
  {
    says: 'Get Cloud-a Custom Key Store Credential',
    path: KeyStoreCredentialPath,
    answers: KeyStoreCredential,
    may: 'keymgr-users',
  },
  async ({ path, context }) => {
    const { item, rev } = await getCredential(context, path.id, path.credential_id)
    return ok(item, rev)
  },
)
