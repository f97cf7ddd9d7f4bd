import { listKeys } from '../../../shared/clouds/cloud-a/keys/list-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { CloudAKey, CloudAKeyQuery } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { listOf } from '../../../shared/http/common-fields.ts'

/** GET /v1/keymgr/cloud-a/keys: those the caller may see. */
export const list = operation(
  { says: 'List Cloud-a Keys', query: CloudAKeyQuery, answers: listOf(CloudAKey), may: 'keymgr-users' },
  async ({ query, context }) => ok(await listKeys(context, query)),
)
