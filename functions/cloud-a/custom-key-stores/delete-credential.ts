import { deleteCredential } from '../../../shared/clouds/cloud-a/key-stores/credentials.ts'
import { deleted, operation } from '../../../shared/http/operation.ts'
import { Deleted } from '../../../shared/http/common-fields.ts'
import { KeyStoreCredentialPath } from '../../../shared/clouds/cloud-a/key-stores/model.ts'

/** DELETE /v1/keymgr/cloud-a/custom-key-stores/{id}/credentials/{credential_id}: it no longer opens the store. */
export const removeCredential = operation(
  {
    says: 'Delete Cloud-a Custom Key Store Credential',
    path: KeyStoreCredentialPath,
    answers: Deleted,
    may: 'keymgr-users',
  },
  async ({ path, context }) => {
    await deleteCredential(context, path.id, path.credential_id)
    return deleted()
  },
)
