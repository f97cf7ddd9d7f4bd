import * as z from 'zod'
import { column } from '../../http/common-fields.ts'
import { reportSchemas } from '../../work/report/model.ts'
import { strictObject } from '../../base/lazy-fields.ts'
import { Vault } from './items/model.ts'
import { SubscriptionId } from './vaults/model.ts'

/** A vault to report on. */
export const ReportedVault = strictObject(() => ({
  subscription_id: SubscriptionId.optional().meta({ description: 'tells vaults of one name apart' }),
  log_workspace_id: z
    .guid({ error: 'must be the id of a log workspace' })
    .optional()
    .meta({ description: 'the workspace that has the diagnostic log of the vault; key-report needs it' }),
  key_vault: Vault,
}))
export type ReportedVault = z.infer<typeof ReportedVault>

/** Content rows about a vault as a whole have no key name. */
export const reportModel = reportSchemas({
  params: { field: 'cloud_b_params', schema: ReportedVault },
  containerList: { field: 'key_vaults', description: 'names of the vaults' },
  content: { key_vault: z.string().meta(column('container')), tenant: z.string() },
})
