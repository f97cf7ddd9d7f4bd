import { publicKeyOf } from '../../../shared/clouds/cloud-a/keys/public-key.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKeyPath, PublicKeyPem } from '../../../shared/clouds/cloud-a/keys/model.ts'

/** GET /v1/keymgr/cloud-a/keys/{id}/download-public-key: PEM text. */
export const publicKey = operation(
  {
    says: 'Download Cloud-a Public Key',
    path: CloudAKeyPath,
    answers: PublicKeyPem,
    media: 'text/plain',
    may: 'keymgr-users',
  },
  async ({ path, context }) => ok(await publicKeyOf(context, path.id)),
)
