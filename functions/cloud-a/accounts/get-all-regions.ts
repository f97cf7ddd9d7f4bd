import { readRegions } from '../../../shared/clouds/cloud-a/accounts/accounts.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { AllRegions, ReadRegions } from '../../../shared/clouds/cloud-a/kms/model.ts'

/** POST /v1/keymgr/cloud-a/get-all-regions: asks the cloud, stores nothing. */
export const allRegions = operation(
  {
    says: 'Get Cloud-a Regions',
    body: ReadRegions,
    answers: AllRegions,
    may: 'keymgr-admins',
    reads: true,
  },
  async ({ body, context }) => ok({ regions: await readRegions(context, body.connection) }),
)
