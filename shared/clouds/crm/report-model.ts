import * as z from 'zod'
import { column, NameOrId } from '../../http/common-fields.ts'
import { reportSchemas } from '../../work/report/model.ts'
import { strictObject } from '../../base/lazy-fields.ts'

/** Content about a whole organization has no key name. */
export const reportModel = reportSchemas({
  params: {
    field: 'crm_params',
    schema: strictObject(() => ({
      organization_id: NameOrId.meta({ description: "id or name of the organization, or the cloud's id of it" }),
    })),
  },
  containerList: { field: 'organizations', description: "the cloud's ids of the organizations" },
  content: {
    organization: z.string().meta({ ...column('container'), description: 'name of the organization' }),
    tenant: z.string().meta({ description: "the cloud's id of the organization" }),
    type: z.string(),
  },
})
