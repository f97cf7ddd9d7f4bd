import * as z from 'zod'
import { column, NameOrId } from '../../http/common-fields.ts'
import { reportSchemas } from '../../work/report/model.ts'
import { strictObject } from '../../base/lazy-fields.ts'

/** Content about a whole vault has no key name. */
export const reportModel = reportSchemas({
  params: {
    field: 'cloud_d_params',
    schema: strictObject(() => ({
      vault: NameOrId.meta({ description: "id or name of the vault, or the cloud's id of it" }),
    })),
  },
  containerList: { field: 'vaults', description: "the cloud's ids of the vaults" },
  content: {
    vault_id: z.string().meta({ ...column('container'), description: "the cloud's id of the vault" }),
    key_id: z.string().meta({ description: "the cloud's id of the key" }),
    compartment_id: z.string(),
  },
})
