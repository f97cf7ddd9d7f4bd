import type { Route } from '../../../http/operation.ts'
import { UpdatePolicyTemplate } from './model.ts'
import { templates, updateTemplate } from './templates.ts'

/** With `auto_push`, the keys that carry the tag of a template follow its change in bulk jobs. */
export const templateRoutes: readonly Route[] = [
  ...templates.routes,
  templates.on.update('Update Cloud-a Policy Template', UpdatePolicyTemplate, updateTemplate),
]
