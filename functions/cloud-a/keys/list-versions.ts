import { listGenerations } from '../../../shared/clouds/cloud-a/keys/key-chain.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKeyPath, CloudAKeyVersion, KeyChainQuery } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { listOf } from '../../../shared/http/common-fields.ts'

/** GET /v1/keymgr/cloud-a/keys/{id}/versions: what the key replaced, itself, and what replaced it. */
export const versions = operation(
  {
    says: 'List Cloud-a Key Versions',
    path: CloudAKeyPath,
    query: KeyChainQuery,
    answers: listOf(CloudAKeyVersion),
    may: 'keymgr-users',
  },
  async ({ path, query, context }) => ok(await listGenerations(context, path.id, query)),
)
