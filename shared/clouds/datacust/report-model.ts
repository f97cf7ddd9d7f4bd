import * as z from 'zod'
import { column, NameOrId } from '../../http/common-fields.ts'
import { reportSchemas } from '../../work/report/model.ts'
import { strictObject } from '../../base/lazy-fields.ts'

export const reportModel = reportSchemas({
  params: {
    field: 'datacust_params',
    schema: strictObject(() => ({
      group: NameOrId.meta({ description: "id or name of the group, or the cloud's id of it" }),
    })),
  },
  containerList: { field: 'groups', description: "the cloud's ids of the groups" },
  content: {
    group: z.string().meta({ ...column('container'), description: 'name of the group' }),
    key_id: z.string().meta({ description: "the cloud's id of the key" }),
    tenant: z.string(),
  },
})
