import { rotateCredential } from '../../../shared/clouds/cloud-a/key-stores/rotate-credential.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CustomKeyStorePath, CustomKeyStoreWithSecret } from '../../../shared/clouds/cloud-a/key-stores/model.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/rotate-credential: with the new pair, shown this once. */
export const rotate = operation(
  {
    says: 'Rotate Cloud-a Custom Key Store Credential',
    path: CustomKeyStorePath,
    answers: CustomKeyStoreWithSecret,
    may: 'keymgr-users',
  },
  async ({ path, context }) => {
    const { item, rev } = await rotateCredential(context, path.id)
    return ok(item, rev)
  },
)
