import { listKeys } from '../../../shared/domain/cloud-a/keys/list-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKey, CloudAKeyQuery } from '../../../shared/model/cloud-a-key.ts'
import { listOf } from '../../../shared/model/common.ts'

/** GET /v1/keymgr/cloud-a/keys: those the caller may see. */
export const list = operation(
  { says: 'List Cloud-a Keys', query: CloudAKeyQuery, answers: listOf(CloudAKey), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listKeys(context, query)),
)
