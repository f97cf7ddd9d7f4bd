import type { Route } from '../../../http/operation.ts'
import { UpdatePolicyTemplate } from './model.ts'
import { templates, updateTemplate } from './templates.ts'

/** With `auto_push`, bulk jobs apply a changed template to the keys that have its tag. */
export const templateRoutes: readonly Route[] = [
  ...templates.routes,
  templates.on.update('Update Cloud-a Policy Template', UpdatePolicyTemplate, updateTemplate),
]
