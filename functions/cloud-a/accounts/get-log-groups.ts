import { readLogGroups } from '../../../shared/clouds/cloud-a/accounts/accounts.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { LogGroups, ReadLogGroups } from '../../../shared/clouds/cloud-a/kms/model.ts'

/** POST /v1/keymgr/cloud-a/get-log-groups */
export const logGroups = operation(
  {
    says: 'Get Cloud-a Log Groups',
    body: ReadLogGroups,
    answers: LogGroups,
    may: 'keymgr-users',
    reads: true,
  },
  async ({ body, context }) => ok(await readLogGroups(context, body)),
)
